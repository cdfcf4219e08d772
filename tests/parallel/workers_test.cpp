// Tests workers, the units that they process, the queue of units, and the order of units.
#include "parallel/workers.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <numeric>
#include <queue>
#include <stdexcept>

#include "core/base/node_count.h"
#include "core/fen.h"
#include "core/known_values.h"
#include "core/position.h"
#include "parallel/chunk_queue.h"
#include "parallel/jobs/estimate.h"
#include "parallel/jobs/job.h"
#include "parallel/jobs/statistics_job.h"
#include "parallel/jobs/unique_job.h"
#include "parallel/jobs/verify.h"
#include "parallel/units/unit_runner.h"
#include "tests/parallel/jobs.h"
#include "tests/support/eventually.h"

namespace manyply {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(Workers, AreAsManyAsAskedForOrAsThereAreCores) {
  EXPECT_EQ(Workers::of(3)->count(), 3);
  EXPECT_EQ(Workers::of(0)->count(), available_threads());
  EXPECT_EQ(Workers::of(kMaxThreads)->count(), kMaxThreads);
  for (const int threads : {-1, kMaxThreads + 1}) {
    EXPECT_EQ(Workers::of(threads).error().field, "threads");
  }
}

// Every kind of job must accept a placement and give the same result as without one.
TEST(Workers, PlacementChangesNoAnswer) {
  const Placement placement{.interleave_tables = true, .pin_workers = true};
  if (const auto workers = Workers::of(2, placement); !workers) {
    EXPECT_EQ(workers.error().code, ErrorCode::kUnavailable);
    GTEST_SKIP() << workers.error().to_string();
  }
  const NamedPosition root = parse_position("kiwipete").value();
  constexpr NodeCount kNodes = 4085603;

  JobSpec spec;
  spec.root = root;
  spec.depth = Depth(5);
  spec.threads = 2;
  spec.hash = HashSpec{.bytes = std::uint64_t{4} << 20};
  spec.placement = placement;
  EXPECT_EQ(run_job(spec, {})->known, KnownVerdict::kMatch);
  EXPECT_TRUE(verify_job(spec, {.key_checks = 1'000}, {})->agrees());

  const TaskSpec task{.root = root, .depth = Depth(4), .threads = 2, .placement = placement};
  const auto statistics = run_statistics({task, StatisticsHash{.bytes = 1 << 20, .keys = {}}}, {});
  EXPECT_EQ(statistics->totals[Statistic::kNodes], kNodes);

  EstimateSpec estimate{task, 100};
  estimate.depth = Depth(6);
  const double pinned = estimate_nodes(estimate, {})->estimate;
  estimate.placement = {};
  EXPECT_EQ(estimate_nodes(estimate, {})->estimate, pinned);

  NodeCount paths;
  const UniqueObserver observer{.on_ply = [&](const UniquePly& ply) {
    paths = ply.paths;
    return std::optional<Error>();
  }};
  EXPECT_EQ(find_unique({task, std::uint64_t{64} << 20}, observer, {}), std::nullopt);
  EXPECT_EQ(paths, kNodes);
}

TEST(WorkerArena, RunsEachBodyOnce) {
  for (const int workers : kWorkerCounts) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(workers));
    WorkerArena::of(workers)->run(
        [&](int worker) { ++calls.at(static_cast<std::size_t>(worker)); });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(WorkerArena, StartsMoreThreadsThanCoresWhenAsked) {
  const int workers = static_cast<int>(std::thread::hardware_concurrency()) + 6;
  std::atomic<int> here{0};
  std::atomic<int> together{0};
  WorkerArena::of(workers)->run([&](int) {
    ++here;
    if (eventually([&] { return here == workers; })) ++together;
  });
  EXPECT_EQ(together, workers);
}

TEST(WorkerArena, HandsOnTheFirstException) {
  for (const int workers : kWorkerCounts) {
    std::atomic<int> calls{0};
    const auto throwing = [&](int) {
      ++calls;
      throw CountOverflow();
    };
    EXPECT_THROW(WorkerArena::of(workers)->run(throwing), CountOverflow);
    EXPECT_EQ(calls, workers);
  }
}

TEST(WorkerArena, ServesSeveralCallersAtOnce) {
  const auto arena = WorkerArena::of(3);
  std::atomic<int> calls{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] { arena->run([&](int) { ++calls; }); });
    }
  }
  EXPECT_EQ(calls, 12);
}

TEST(WorkerArena, ServesItsOwnBodies) {
  const auto arena = WorkerArena::of(3);
  std::atomic<int> calls{0};
  arena->run([&](int) { arena->run([&](int) { ++calls; }); });
  EXPECT_EQ(calls, 9);
}

TEST(WorkerArena, KeepsItsThreads) {
  constexpr int kCalls = 500;
  static std::atomic<int> threads{0};
  const auto arena = WorkerArena::of(3);
  for (int call = 0; call < kCalls; ++call) {
    std::atomic<int> here{0};
    arena->run([&](int) {
      thread_local const int number = threads++;  // counts the threads that run here
      EXPECT_GE(number, 0);
      ++here;
      // Wait for a second thread, so that this one does not do all the work. If there is only one
      // thread, continue.
      for (int i = 0; i < 1'000 && here < 2; ++i) std::this_thread::yield();
    });
  }
  EXPECT_LT(threads, kCalls / 2);
}

std::vector<std::size_t> numbers_of(std::size_t count, ChunkQueue::Order order) {
  ChunkQueue queue(count, {}, order);
  std::vector<std::size_t> numbers;
  while (const auto number = queue.next()) numbers.push_back(*number);
  return numbers;
}

TEST(ChunkQueue, HandsOutEachNumberOnce) {
  for (const std::size_t count : {0U, 1U, 2U, 3U, 255U, 256U, 257U, 511U, 1'000U, 12'345U}) {
    std::vector<std::size_t> ascending(count);
    std::iota(ascending.begin(), ascending.end(), std::size_t{0});
    EXPECT_EQ(numbers_of(count, ChunkQueue::Order::kAscending), ascending);
    std::vector<std::size_t> spread = numbers_of(count, ChunkQueue::Order::kSpread);
    if (count > 3) {
      EXPECT_NE(spread, ascending);
    }
    std::ranges::sort(spread);
    EXPECT_EQ(spread, ascending) << count;
  }
}

TEST(ChunkQueue, IsEmptyAfterAnException) {
  for (const auto order : {ChunkQueue::Order::kAscending, ChunkQueue::Order::kSpread}) {
    ChunkQueue queue(1'000, {}, order);
    std::atomic<int> taken = 0;
    EXPECT_THROW(queue.run_on(Workers(2),
                              [&](int worker) {
                                if (worker == 0) throw std::runtime_error("worker 0 fails");
                                if (queue.next()) ++taken;
                              }),
                 std::runtime_error);
    EXPECT_LE(taken, 1);
    EXPECT_EQ(queue.next(), std::nullopt);
  }
}

TEST(ChunkQueue, SpreadsRunsOfNeighbours) {
  constexpr std::size_t kCount = 123'456;
  const auto numbers = numbers_of(kCount, ChunkQueue::Order::kSpread);
  std::size_t neighbours = 0;
  for (std::size_t i = 1; i < kCount; ++i) neighbours += numbers[i] == numbers[i - 1] + 1 ? 1 : 0;
  EXPECT_GT(neighbours, kCount * 9 / 10);
}

/// In a count of kiwipete by configurations, 5 % of the chunks take two thirds of the time.
TEST(ChunkQueue, SpreadsSmallPartsOfTheWhole) {
  constexpr std::size_t kParts = 64;
  for (const std::size_t count : {1'131U, 12'106U, 17'830U}) {
    const auto numbers = numbers_of(count, ChunkQueue::Order::kSpread);
    std::array<double, kParts> come{};
    for (std::size_t i = 0; i < count; ++i) {
      ++come[numbers[i] * kParts / count];
      if (i < count / 4 || i % 16 != 0) continue;
      // Each part must have about an equal share of the first i + 1 chunks.
      const double share = static_cast<double>(i + 1) / kParts;
      for (const double each : come)
        ASSERT_NEAR(each, share, 2.0 + 0.2 * static_cast<double>(count) / kParts) << count;
    }
  }
}

constexpr std::size_t kUnits = 500;

UnitOrder ascending(std::size_t units, std::size_t group_size) {
  UnitOrder order = ascending_order(units);
  for (std::size_t unit = group_size; unit < units; unit += group_size) {
    order.group_begin.push_back(unit);
  }
  return order;
}

const UnitOrder kOrder = ascending_order(kUnits);

/// Runs `body` on `count` workers, with the objects that every run needs.
struct Fixture {
  explicit Fixture(int count) : by(Workers(count), nullptr, stop.get_token(), &progress) {
    progress.start(count, kUnits);
  }

  std::optional<Error> run(const UnitOrder& order, const UnitBody& body) {
    return for_each_unit(order, {.by = by}, body);
  }

  std::stop_source stop;
  Progress progress;
  const Workforce by;
};

/// Blocks until a stop is requested. Like a stopped kernel, returns an error, but counts nothing.
Error wait_for(const std::stop_token& stop) {
  while (!stop.stop_requested()) std::this_thread::sleep_for(100us);
  return cancelled();
}

TEST(RangeOf, CutsGroupsWhereItMust) {
  const UnitOrder order{{7, 3, 9, 1, 5, 2}, {0, 2, 5}};
  const auto range = [&](std::size_t begin, std::size_t end) {
    return range_of(order, begin, end);
  };
  EXPECT_THAT(range(0, 6).units, ElementsAre(7, 3, 9, 1, 5, 2));
  EXPECT_THAT(range(0, 6).group_begin, ElementsAre(0, 2, 5));
  EXPECT_THAT(range(1, 3).units, ElementsAre(3, 9));
  EXPECT_THAT(range(1, 3).group_begin, ElementsAre(0, 1));
  EXPECT_THAT(range(2, 5).units, ElementsAre(9, 1, 5));
  EXPECT_THAT(range(2, 5).group_begin, ElementsAre(0));
  EXPECT_THAT(range(5, 6).group_begin, ElementsAre(0));
  EXPECT_EQ(range(3, 3).groups(), 0U);
  EXPECT_THROW((void)range(4, 7), BugError);
  EXPECT_THROW((void)range(4, 3), BugError);
}

TEST(UnitRunner, DoesEachUnitOnceWhateverTheOrder) {
  auto backwards = kOrder;
  std::ranges::reverse(backwards.units);
  for (const UnitOrder& order : {kOrder, backwards, ascending(kUnits, 1), ascending(kUnits, 7),
                                 ascending(kUnits, kUnits / 2)}) {
    for (const int workers : kWorkerCounts) {
      std::vector<std::atomic<int>> calls(kUnits);
      Fixture fixture(workers);
      const auto error = fixture.run(order, [&](std::size_t unit, const UnitWorker&) {
        ++calls[unit];
        return std::nullopt;
      });
      ASSERT_EQ(error, std::nullopt);
      for (std::size_t unit = 0; unit < kUnits; ++unit) EXPECT_EQ(calls[unit], 1);
      EXPECT_EQ(fixture.progress.snapshot().units_done, kUnits);
    }
  }
}

// In a range of few units, results are indexed by a unit's number in the job, not in the range.
TEST(UnitRunner, ARangeIsDoneAlone) {
  const auto order = ascending(kUnits, 7);
  Fixture fixture(2);
  std::vector<std::atomic<int>> calls(kUnits);
  ASSERT_EQ(fixture.run(range_of(order, 400, 450),
                        [&](std::size_t unit, const UnitWorker&) {
                          ++calls[unit];
                          return std::nullopt;
                        }),
            std::nullopt);
  for (std::size_t unit = 0; unit < kUnits; ++unit)
    EXPECT_EQ(calls[unit], unit >= 400 && unit < 450 ? 1 : 0);
}

TEST(UnitRunner, OneWorkerStartsUnitsInOrder) {
  auto order = kOrder;
  std::ranges::reverse(order.units);
  std::vector<std::uint32_t> started;
  EXPECT_EQ(Fixture(1).run(order,
                           [&](std::size_t unit, const UnitWorker&) {
                             started.push_back(static_cast<std::uint32_t>(unit));
                             return std::nullopt;
                           }),
            std::nullopt);
  EXPECT_EQ(started, order.units);
}

TEST(UnitRunner, AloneTheCallerDoesAllUnits) {
  const auto caller = std::this_thread::get_id();
  const Workforce by(Workers(8));
  by.progress().start(by.count(), kUnits);
  const UnitRun run{.by = by, .alone = true};
  std::vector<int> calls(kUnits);
  const auto error = for_each_unit(kOrder, run, [&](std::size_t unit, const UnitWorker& worker) {
    EXPECT_EQ(worker.number, 0);
    EXPECT_EQ(std::this_thread::get_id(), caller);
    ++calls[unit];
    return std::nullopt;
  });
  ASSERT_EQ(error, std::nullopt);
  EXPECT_THAT(calls, Each(1));
  const auto failed = for_each_unit(kOrder, run, [](std::size_t, const UnitWorker&) {
    return Error{ErrorCode::kUnavailable, "", 0, "no"};
  });
  EXPECT_EQ(failed->message, "no");
}

TEST(UnitRunner, EachWorkerIsOneThreadAtATime) {
  constexpr int kWorkers = 8;
  std::vector<std::atomic<int>> inside(kWorkers);
  std::atomic<bool> shared{false};
  EXPECT_EQ(Fixture(kWorkers).run(kOrder,
                                  [&](std::size_t, const UnitWorker& worker) {
                                    auto& own = inside.at(static_cast<std::size_t>(worker.number));
                                    if (++own != 1) shared = true;
                                    std::this_thread::yield();
                                    --own;
                                    return std::nullopt;
                                  }),
            std::nullopt);
  EXPECT_FALSE(shared);
}

TEST(UnitRunner, NoUnitsAndFewUnitsAreFine) {
  for (const std::size_t units : {0U, 1U, 2U}) {
    std::atomic<std::size_t> calls{0};
    EXPECT_EQ(Fixture(8).run(ascending_order(units),
                             [&](std::size_t, const UnitWorker&) {
                               ++calls;
                               return std::nullopt;
                             }),
              std::nullopt);
    EXPECT_EQ(calls, units);
  }
}

TEST(UnitRunner, AnErrorStopsTheOthersAndIsReported) {
  for (const int workers : kWorkerCounts) {
    std::atomic<int> started{0};
    const auto error =
        Fixture(workers).run(kOrder, [&](std::size_t unit, const UnitWorker& worker) {
          ++started;
          if (unit == 0) return std::optional(Error{ErrorCode::kInternal, "", 0, "unit 0 broke"});
          return std::optional(wait_for(worker.stop));
        });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->message, "unit 0 broke");
    EXPECT_LE(started, workers);
  }
}

template <typename Exception>
ErrorCode code_after(const Exception& exception) {
  const auto error =
      Fixture(2).run(kOrder, [&](std::size_t unit, const UnitWorker&) -> std::optional<Error> {
        if (unit == kUnits / 2) throw exception;
        return std::nullopt;
      });
  return error ? error->code : ErrorCode{-1};
}

TEST(UnitRunner, ExceptionsBecomeErrors) {
  EXPECT_EQ(code_after(CountOverflow()), ErrorCode::kOverflow);
  EXPECT_EQ(code_after(BugError("check failed: 1 == 2")), ErrorCode::kInternal);
  EXPECT_EQ(code_after(std::bad_alloc()), ErrorCode::kUnavailable);
  EXPECT_EQ(code_after(std::runtime_error("no")), ErrorCode::kInternal);
  EXPECT_EQ(code_after(42), ErrorCode::kInternal);
}

TEST(UnitRunner, AStopBeforeTheStartDoesNothing) {
  Fixture fixture(3);
  fixture.stop.request_stop();
  std::atomic<int> started{0};
  const auto error = fixture.run(kOrder, [&](std::size_t, const UnitWorker&) {
    ++started;
    return std::nullopt;
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::kCancelled);
  EXPECT_EQ(started, 0);
}

TEST(UnitRunner, AStopFromAnotherThreadReachesEveryUnit) {
  for (const int workers : kWorkerCounts) {
    Fixture fixture(workers);
    std::atomic<bool> running{false};
    const std::jthread canceller([&] {
      running.wait(false);
      fixture.stop.request_stop();
    });
    const auto error = fixture.run(kOrder, [&](std::size_t, const UnitWorker& worker) {
      running = true;
      running.notify_all();
      return wait_for(worker.stop);
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::kCancelled);
  }
}

TEST(UnitRunner, AStopAfterTheLastUnitLosesNothing) {
  Fixture fixture(2);
  std::atomic<std::size_t> left{kUnits};
  EXPECT_EQ(fixture.run(kOrder,
                        [&](std::size_t, const UnitWorker&) {
                          if (--left == 0) fixture.stop.request_stop();
                          return std::nullopt;
                        }),
            std::nullopt);
}

// ---- The unit queue.

const UnitOrder kThreeGroups{.units = {0, 1, 2, 3, 4, 5, 8, 9}, .group_begin = {0, 3, 6}};

TEST(UnitQueue, WholeGroupsFirstThenWhatIsLeftOfOthers) {
  UnitQueue queue(kThreeGroups);
  const auto take = [&](std::size_t team) { return queue.take(team).value(); };
  UnitQueue::Portion first = take(0);
  EXPECT_EQ(first.next(), 0U);
  UnitQueue::Portion second = take(1);
  EXPECT_EQ(second.next(), 3U);
  UnitQueue::Portion third = take(2);
  EXPECT_EQ(third.next(), 8U);
  UnitQueue::Portion shared = take(3);
  EXPECT_EQ(shared.next(), 1U);
  EXPECT_EQ(first.next(), 2U);
  EXPECT_EQ(first.next(), std::nullopt);
  EXPECT_EQ(shared.next(), std::nullopt);
  UnitQueue::Portion more = take(3);
  EXPECT_EQ(more.next(), 4U);
  EXPECT_EQ(more.next(), 5U);
  EXPECT_EQ(third.next(), 9U);
  EXPECT_FALSE(queue.take(0));
}

TEST(UnitQueue, ATeamStaysTogether) {
  UnitQueue queue(kThreeGroups);
  const auto take = [&](std::size_t team) { return queue.take(team).value(); };
  UnitQueue::Portion first = take(0);
  UnitQueue::Portion other = take(1);
  UnitQueue::Portion second = take(0);
  EXPECT_EQ(first.next(), 0U);
  EXPECT_EQ(second.next(), 1U);
  EXPECT_EQ(other.next(), 3U);
  EXPECT_EQ(second.next(), 2U);
  EXPECT_EQ(second.next(), std::nullopt);
  UnitQueue::Portion next = take(0);
  EXPECT_EQ(next.next(), 8U);
  EXPECT_EQ(first.next(), std::nullopt);
  EXPECT_EQ(take(0).next(), 9U);
  EXPECT_EQ(take(0).next(), 4U) << "no whole group is left";
}

TEST(UnitRunner, TeamsAreNeighboursAndAsEqualAsCanBe) {
  for (int workers = 1; workers <= 40; ++workers) {
    for (int teams = 1; teams <= workers; ++teams) {
      int first = 0;
      for (int number = 0; number < teams; ++number) {
        const Team team = team_of(first, workers, teams);
        EXPECT_EQ(team.first, first);
        EXPECT_GE(team.workers, workers / teams);
        EXPECT_LE(team.workers, (workers + teams - 1) / teams);
        for (int worker = first; worker < first + team.workers; ++worker)
          EXPECT_EQ(team_of(worker, workers, teams).number, number);
        first += team.workers;
      }
      EXPECT_EQ(first, workers);
    }
  }
}

TEST(UnitQueue, OfNoUnitsGivesNone) { EXPECT_FALSE(UnitQueue(UnitOrder{}).take(0)); }

// The last unit of the first group waits until the second group has begun.
TEST(UnitQueue, RangesOverlap) {
  std::atomic<bool> second_begun{false};
  std::atomic<bool> met{false};
  EXPECT_EQ(Fixture(2).run(ascending(2, 1),
                           [&](std::size_t unit, const UnitWorker&) {
                             if (unit == 1) second_begun = true;
                             if (unit == 0) met = eventually([&] { return second_begun.load(); });
                             return std::nullopt;
                           }),
            std::nullopt);
  EXPECT_TRUE(met);
}

// ---- Stores.

class FlushedStore : public MemoryStore {
 public:
  std::optional<Error> flush() override {
    ++flushes;
    return flush_error;
  }

  int flushes = 0;
  std::optional<Error> flush_error;
};

TEST(KeptUnits, WhatIsKnownIsNotDoneAgainAndWhatIsDoneIsKept) {
  FlushedStore memory;
  memory.units[3] = {33, 0};
  std::vector<NodeCount> counts(5);
  auto opened = KeptUnits::open(
      memory, {.identity = {1, 2}, .units = 5},
      [&](std::size_t unit, std::span<const std::uint64_t> words) {
        counts[unit] = to_count(words);
      },
      [&](std::size_t unit) {
        const auto words = to_words(counts[unit]);
        return std::vector(words.begin(), words.end());
      });
  ASSERT_TRUE(opened.ok());
  KeptUnits kept = std::move(opened).value();
  EXPECT_EQ(kept.known(), 1U);
  Fixture fixture(2);
  const UnitRun run{.by = fixture.by, .weight = 10, .kept = &kept};
  const UnitBody body = [&](std::size_t unit, const UnitWorker&) {
    if (unit == 4) return std::optional(cancelled());
    counts[unit] = unit;
    return std::optional<Error>();
  };
  EXPECT_EQ(for_each_unit(ascending_order(4), run, body), std::nullopt);
  EXPECT_THAT(counts, ElementsAre(0, 1, 2, 33, 0));
  EXPECT_THAT(memory.units, ElementsAre(Pair(0, ElementsAre(0, 0)), Pair(1, ElementsAre(1, 0)),
                                        Pair(2, ElementsAre(2, 0)), Pair(3, ElementsAre(33, 0))));
  EXPECT_EQ(memory.recorded, 3U);
  EXPECT_EQ(fixture.progress.snapshot().units_done, 30U);  // three new units and one known unit
  EXPECT_EQ(memory.flushes, 1);

  EXPECT_NE(for_each_unit({.units = {4}, .group_begin = {0}}, run, body), std::nullopt);
  EXPECT_EQ(memory.recorded, 3U);
  EXPECT_EQ(memory.flushes, 2);

  memory.flush_error = Error{ErrorCode::kUnavailable, "", 0, "full"};
  const auto error = for_each_unit(ascending_order(1), run, body);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "full");
}

RootSplit split_at(std::string_view fen, int ply) {
  return split_root(parse_position(fen).value().position, Depth(ply), best_kernel(),
                    {.enough_units = SIZE_MAX, .min_unit_depth = 0});
}

void expect_permutation(const UnitOrder& order, std::size_t units) {
  auto sorted = order.units;
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> everyone(units);
  std::iota(everyone.begin(), everyone.end(), 0U);
  EXPECT_EQ(sorted, everyone);
}

TEST(UnitOrder, NothingToOrder) {
  const RootSplit mate = split_at("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", 3);
  for (const UnitOrder& order : {biggest_first(mate, best_kernel()), grouped_for_window(mate, 4),
                                 ascending_order(mate.size())}) {
    EXPECT_THAT(order.units, IsEmpty());
    EXPECT_EQ(order.groups(), 0U);
  }
}

TEST(UnitOrder, AscendingIsOneGroup) {
  const UnitOrder order = ascending_order(400);
  expect_permutation(order, 400);
  EXPECT_TRUE(std::ranges::is_sorted(order.units));
  EXPECT_THAT(order.group_begin, ElementsAre(0));
}

TEST(UnitOrder, BiggestFirstThenByBoard) {
  const RootSplit split = split_at(kKiwipeteFen, 2);
  const UnitOrder order = biggest_first(split, best_kernel());
  expect_permutation(order, split.size());
  EXPECT_THAT(order.group_begin, ElementsAre(0));
  const auto moves = [&](std::uint32_t unit) {
    return legal_moves(position_unchecked(split.boards[unit])).size();
  };
  for (std::size_t i = 1; i < order.units.size(); ++i) {
    const std::size_t before = moves(order.units[i - 1]);
    const std::size_t after = moves(order.units[i]);
    EXPECT_TRUE(before > after || (before == after && order.units[i - 1] < order.units[i])) << i;
  }
}

TEST(UnitOrder, GroupsShareThePiecesOfTheSideNotToMoveAtDepthThree) {
  const RootSplit split = split_at(kStartFen, 3);  // Black to move
  for (const int unit_depth : {3, 4, 5, 6}) {
    const Color common = unit_depth % 2 == 1 ? Color::kWhite : Color::kBlack;
    const UnitOrder order = grouped_for_window(split, unit_depth);
    expect_permutation(order, split.size());
    const auto pieces = [&](std::size_t place) {
      return split.boards[order.units[place]].of(common);
    };
    for (std::size_t group = 0; group < order.groups(); ++group) {
      const std::size_t begin = order.group_begin[group];
      for (std::size_t i = begin; i < order.group_end(group); ++i)
        EXPECT_EQ(pieces(i), pieces(begin));
      if (group > 0) {
        EXPECT_NE(pieces(begin - 1), pieces(begin));
      }
    }
  }
}

/// Returns the fraction of time in which `workers` workers are busy, if each worker takes the next
/// unit as soon as it is free. A unit takes as much time as it has interior nodes, so the result is
/// the same on every machine.
double busy_share(const UnitOrder& order, const std::vector<std::uint64_t>& work,
                  std::size_t workers) {
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> free_at;
  for (std::size_t i = 0; i < workers; ++i) free_at.push(0);
  std::uint64_t sum = 0;
  std::uint64_t end = 0;
  for (const std::uint32_t unit : order.units) {
    const std::uint64_t done = free_at.top() + work[unit];
    free_at.pop();
    free_at.push(done);
    sum += work[unit];
    end = std::max(end, done);
  }
  return static_cast<double>(sum) / static_cast<double>(end * workers);
}

TEST(UnitOrder, BiggestFirstKeepsEveryWorkerBusyToTheEnd) {
  struct Job {
    std::string_view fen;
    int depth;
    SplitLimits limits = {};
  };
  constexpr Job kJobs[] = {
      {kStartFen, 6},
      {kKiwipeteFen, 5},
      {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7},
      {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 6},
      {"7k/8/8/8/8/8/1p5r/K7 w - - 0 1", 8},                                  // two root moves
      {"rnb1kbnr/pppp1ppp/8/4p3/4P2q/5P2/PPPP2PP/RNBQKBNR w KQkq - 1 3", 6},  // two root moves
      {"3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 9},
      {kStartFen, 7, kCoarseSplit},
      {kKiwipeteFen, 6, kCoarseSplit},
  };
  for (const Job& job : kJobs) {
    const RootSplit split =
        split_root(parse_position(job.fen)->position, Depth(job.depth), best_kernel(), job.limits);
    std::vector<std::uint64_t> work;
    for (const Board& board : split.boards) {
      CountStats stats;
      best_kernel().count(board, job.depth - split.ply, {}, stats);
      work.push_back(stats.visited + 1);
    }
    const UnitOrder order = biggest_first(split, best_kernel());
    EXPECT_GE(busy_share(order, work, 2), 0.999) << job.fen;
    EXPECT_GE(busy_share(order, work, 16), 0.995) << job.fen;
    EXPECT_GE(busy_share(order, work, 128), 0.95) << job.fen;
  }
}

}  // namespace
}  // namespace manyply

#include "parallel/units/unit_runner.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "tests/parallel/jobs.h"
#include "tests/support/eventually.h"

namespace manyply {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::Pair;

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

/// Blocks until a stop is requested, as a kernel would, but without counting.
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

// A range of few units: results are indexed by the unit's number in the whole, not in the range.
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

}  // namespace
}  // namespace manyply

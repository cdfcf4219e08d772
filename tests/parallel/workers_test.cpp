#include "parallel/workers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "core/base/node_count.h"
#include "core/fen.h"
#include "core/known_values.h"
#include "parallel/chunk_queue.h"
#include "parallel/jobs/estimate.h"
#include "parallel/jobs/job.h"
#include "parallel/jobs/statistics_job.h"
#include "parallel/jobs/unique_job.h"
#include "parallel/jobs/verify.h"
#include "tests/parallel/jobs.h"
#include "tests/support/eventually.h"

namespace manyply {
namespace {

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

/// A twentieth of the chunks takes two thirds of the time of kiwipete by configurations.
TEST(ChunkQueue, SpreadsSmallPartsOfTheWhole) {
  constexpr std::size_t kParts = 64;
  for (const std::size_t count : {1'131U, 12'106U, 17'830U}) {
    const auto numbers = numbers_of(count, ChunkQueue::Order::kSpread);
    std::array<double, kParts> come{};
    for (std::size_t i = 0; i < count; ++i) {
      ++come[numbers[i] * kParts / count];
      if (i < count / 4 || i % 16 != 0) continue;
      // From every part, about the same share must have been taken as from the whole, within a few
      // runs.
      const double share = static_cast<double>(i + 1) / kParts;
      for (const double each : come)
        ASSERT_NEAR(each, share, 2.0 + 0.2 * static_cast<double>(count) / kParts) << count;
    }
  }
}

}  // namespace
}  // namespace manyply

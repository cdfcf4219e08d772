#include "parallel/worker_arena.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/node_count.h"
#include "tests/parallel/jobs.h"
#include "tests/support/eventually.h"

namespace manyply {
namespace {

TEST(WorkerArena, RunsEachBodyOnce) {
  for (const int workers : kWorkerCounts) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(workers));
    run_workers(workers, [&](int worker) { ++calls.at(static_cast<std::size_t>(worker)); });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(WorkerArena, StartsMoreThreadsThanCoresWhenAsked) {
  const int workers = static_cast<int>(std::thread::hardware_concurrency()) + 6;
  std::atomic<int> here{0};
  std::atomic<int> together{0};
  run_workers(workers, [&](int) {
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
    EXPECT_THROW(run_workers(workers, throwing), CountOverflow);
    EXPECT_EQ(calls, workers);
  }
}

TEST(WorkerArena, ServesSeveralCallersAtOnce) {
  std::atomic<int> calls{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] { run_workers(3, [&](int) { ++calls; }); });
    }
  }
  EXPECT_EQ(calls, 12);
}

}  // namespace
}  // namespace manyply

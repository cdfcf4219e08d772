#include "parallel/worker_arena.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/base/node_count.h"
#include "tests/parallel/jobs.h"
#include "tests/support/eventually.h"

namespace manyply {
namespace {

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
      thread_local const int number = threads++;  // counts those that come here
      EXPECT_GE(number, 0);
      ++here;
      // Two of them, so that this one does not do it all; where there is but one, it goes on.
      for (int i = 0; i < 1'000 && here < 2; ++i) std::this_thread::yield();
    });
  }
  EXPECT_LT(threads, kCalls / 2);
}

}  // namespace
}  // namespace manyply

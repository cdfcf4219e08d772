#include "hash/stripe_locks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/hash/together.h"
#include "tests/support/budget.h"
#include "tests/support/eventually.h"

namespace manyply {
namespace {

TEST(StripeLocks, ArePowersOfTwo) {
  EXPECT_EQ(StripeLocks(1).stripes(), 1U);
  EXPECT_EQ(StripeLocks(4096).stripes(), 4096U);
  EXPECT_THROW(StripeLocks(0), BugError);
  EXPECT_THROW(StripeLocks(3), BugError);
}

TEST(StripeLocks, NeighbouringBucketsDoNotShareOne) {
  StripeLocks locks(64);
  std::atomic<int> taken{0};
  bool taken_meanwhile = false;
  std::jthread neighbours;
  {
    const StripeLocks::Guard first(locks, 0);
    neighbours = std::jthread([&] {
      for (const std::uint64_t bucket : {1U, 63U}) {
        const StripeLocks::Guard guard(locks, bucket);
        ++taken;
      }
    });
    taken_meanwhile = eventually([&] { return taken == 2; });
  }
  EXPECT_TRUE(taken_meanwhile);
}

TEST(StripeLocks, AHolderIsWaitedFor) {
  StripeLocks locks(64);
  std::atomic<bool> released{false};
  std::atomic<bool> entered_early{false};
  std::jthread waiting;
  {
    const StripeLocks::Guard guard(locks, 5);
    waiting = std::jthread([&] {
      const StripeLocks::Guard same_stripe(locks, 5 + 64);
      if (!released) entered_early = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    released = true;
  }
  waiting.join();
  EXPECT_FALSE(entered_early);
}

// Plain counters: if a lock let two threads in, increments would be lost, and ThreadSanitizer would
// report a race.
TEST(StripeLocks, OneAtATimeInEachStripe) {
  constexpr int kThreads = 8;
  constexpr std::uint64_t kBuckets = 8;
  const std::uint64_t rounds = budget(100'000);
  for (const std::size_t stripes : {1U, 4U}) {
    StripeLocks locks(stripes);
    std::vector<std::uint64_t> counters(stripes);
    run_together(kThreads, [&](int thread) {
      for (std::uint64_t i = 0; i < rounds; ++i) {
        const std::uint64_t bucket = (i + static_cast<std::uint64_t>(thread)) % kBuckets;
        const StripeLocks::Guard guard(locks, bucket);
        ++counters[bucket % stripes];
      }
    });
    std::uint64_t sum = 0;
    for (const std::uint64_t counter : counters) sum += counter;
    EXPECT_EQ(sum, kThreads * rounds);
  }
}

}  // namespace
}  // namespace manyply

#include "tools/engine/child_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace manyply {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Whoever is stopped between two waits has waited no longer, and so has who is stopped in one.
TEST(WaitingClock, CountsNoMoreThanEachWaitWasToTake) {
  WaitingClock::waited(milliseconds(0));
  const WaitingClock::time_point begin = WaitingClock::now();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(WaitingClock::now(), begin);
  WaitingClock::waited(milliseconds(5));
  EXPECT_EQ(WaitingClock::now() - begin, milliseconds(5));
}

// However long a busy machine takes for the sleep: that, and not what was asked for.
TEST(WaitingClock, CountsWhatAWaitTookThatEndedEarly) {
  const steady_clock::time_point before = steady_clock::now();
  WaitingClock::waited(milliseconds(0));
  const WaitingClock::time_point begin = WaitingClock::now();
  std::this_thread::sleep_for(milliseconds(20));
  WaitingClock::waited(hours(24));
  EXPECT_GE(WaitingClock::now() - begin, milliseconds(20));
  EXPECT_LE(WaitingClock::now() - begin, steady_clock::now() - before);
}

}  // namespace
}  // namespace manyply

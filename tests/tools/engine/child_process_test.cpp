#include "tools/engine/child_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace manyply {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// If the process is stopped between or during waits, the clock does not count that time.
TEST(WaitingClock, CountsNoMoreThanEachWaitWasToTake) {
  WaitingClock::waited(milliseconds(0));
  const WaitingClock::time_point begin = WaitingClock::now();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(WaitingClock::now(), begin);
  WaitingClock::waited(milliseconds(5));
  EXPECT_EQ(WaitingClock::now() - begin, milliseconds(5));
}

// On a busy machine, a wait may take longer than requested. The clock counts the time that it took.
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

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "tools/server/jobs/job_board.h"

namespace manyply {
namespace {

TEST(ThreadTime, IsThatOfOneThreadAndNotOfTheClock) {
  std::promise<ThreadTime> told;
  std::promise<void> over;
  const std::jthread other([&] {
    told.set_value(ThreadTime::of_this_thread());
    over.get_future().wait();  // uses no processor time, however long it waits
  });
  const ThreadTime others = told.get_future().get();
  const ThreadTime mine = ThreadTime::of_this_thread();
  const auto begin = mine.used();
  while (mine.used() < begin + std::chrono::milliseconds(50)) continue;
  EXPECT_LT(others.used(), std::chrono::milliseconds(50));
  over.set_value();
}

TEST(ThreadTime, GoesOnWhereTheThreadWorks) {
  std::promise<ThreadTime> told;
  const std::jthread other([&](const std::stop_token& stop) {
    told.set_value(ThreadTime::of_this_thread());
    while (!stop.stop_requested()) continue;
  });
  const ThreadTime others = told.get_future().get();
  const auto begin = others.used();
  while (others.used() < begin + std::chrono::milliseconds(20)) std::this_thread::yield();
}

}  // namespace
}  // namespace manyply

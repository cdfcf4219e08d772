// Tests the lane for short jobs, and the time of its thread.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "tests/tools/server/state_dir.h"
#include "tools/server/jobs/job_manager.h"
#include "tools/server/jobs/job_queue.h"

namespace manyply {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr ShortLaneOptions kUsual{};  // 2 s, 5 %

class ShortLaneTest : public testing::Test {
 protected:
  // For an hour, runs jobs one after another. Each begins as soon as there is room, and runs for
  // `taken`. Records when each job ran.
  void fill(ShortLane& lane, milliseconds taken) {
    for (const auto end = now_ + std::chrono::hours(1); now_ < end; now_ += milliseconds(10)) {
      if (!lane.has_room(now_)) continue;
      runs_.emplace_back(now_, now_ + taken);
      now_ += taken;
      lane.charge(taken, now_);
    }
  }

  [[nodiscard]] double most_in_a_minute() const {
    ShortLane::Clock::duration most{};
    for (const auto& [first, unused] : runs_) {
      for (const auto begin : {first, unused - ShortLane::kWindow}) {
        ShortLane::Clock::duration sum{};
        for (const auto& [from, to] : runs_) {
          const auto inside = std::min(to, begin + ShortLane::kWindow) - std::max(from, begin);
          if (inside.count() > 0) sum += inside;
        }
        most = std::max(most, sum);
      }
    }
    return std::chrono::duration<double>(most).count();
  }

  ShortLane::Clock::time_point now_{std::chrono::hours(5)};
  std::vector<std::pair<ShortLane::Clock::time_point, ShortLane::Clock::time_point>> runs_;
};

TEST_F(ShortLaneTest, NoMinuteHasMoreThanItsShare) {
  for (const milliseconds taken : {milliseconds(300), milliseconds(1100), milliseconds(2000)}) {
    runs_.clear();
    ShortLane lane(kUsual, 2);
    fill(lane, taken);
    EXPECT_LE(most_in_a_minute(), 0.05 * 2 * 60) << taken.count();
    EXPECT_GT(most_in_a_minute(), 0.05 * 2 * 60 - 2) << "what is allowed can be used";
    EXPECT_GT(lane.total_seconds(), 60 * 3.9) << "and comes back, minute by minute";
  }
}

TEST_F(ShortLaneTest, WhatOthersHadOfTheCoreIsNotCharged) {
  ShortLane lane(kUsual, 2);
  for (int i = 0; i < 100; ++i) {  // each takes 10 s, but uses only 10 ms of processor time
    ASSERT_TRUE(lane.has_room(now_)) << i;
    now_ += seconds(10);
    lane.charge(milliseconds(10), now_);
  }
  EXPECT_NEAR(lane.total_seconds(), 1, 1e-6);
}

TEST_F(ShortLaneTest, AJobHasToGoAtTheLimit) {
  const ShortLane lane(kUsual, 2);
  EXPECT_FALSE(lane.outgrown(milliseconds(1999)));
  EXPECT_TRUE(lane.outgrown(seconds(2)));
  EXPECT_TRUE(lane.takes(2));
  EXPECT_FALSE(lane.takes(2.001));
}

TEST_F(ShortLaneTest, CanBeOff) {
  for (const ShortLaneOptions& off :
       {ShortLaneOptions{.limit = milliseconds(0)}, ShortLaneOptions{.share = 0}}) {
    EXPECT_FALSE(ShortLane::judge(off, 1));
    EXPECT_FALSE(ShortLane(off, 1).takes(0));
  }
}

TEST_F(ShortLaneTest, OneThatNothingFitsIsRefused) {
  EXPECT_FALSE(ShortLane::judge(kUsual, 1));
  EXPECT_FALSE(ShortLane::judge({.limit = seconds(3)}, 1));
  const auto error = ShortLane::judge({.limit = seconds(4)}, 1);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->field, "short-limit");
  EXPECT_EQ(error->message,
            "must not exceed the CPU time that --short-share allows per minute, 3.0 s");
  EXPECT_TRUE(ShortLane::judge({.share = 1.5}, 1));
}

TEST(JobCost, LeavesAreGuessedFromTheFirstPlies) {
  const auto leaves = [](const char* fen, int depth) {
    return expected_leaves(request_of(depth, fen).line.here(), Depth(depth));
  };
  EXPECT_EQ(leaves("startpos", 0), 1);
  EXPECT_EQ(leaves("startpos", 3), 8902);
  EXPECT_EQ(leaves("kiwipete", 2), 2039);
  // Estimates may exceed the published counts by a fifth. They may be too small by a factor of 1.5
  // for each ply after the third.
  const auto near = [&](const char* fen, int depth, double published) {
    const double guess = leaves(fen, depth);
    EXPECT_LE(guess, published * 1.2) << fen << ' ' << depth;
    EXPECT_GE(guess * std::pow(1.5, depth - 3), published) << fen << ' ' << depth;
  };
  near("startpos", 6, 119060324);
  near("startpos", 9, 2439530234167);
  near("kiwipete", 6, 8031647685);
  EXPECT_EQ(leaves("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 8), 0) << "stalemate";
}

TEST(JobCost, ShortIsWhatOneCoreDoesInSeconds) {
  const ShortLane lane({}, 2);
  const auto is_short = [&](int depth, CountMode mode) {
    return lane.takes(expected_core_seconds(request_of(depth, "startpos", mode)));
  };
  using enum CountMode;
  for (const auto& [depth, mode] :
       {std::pair(7, kHashed), {7, kUnhashed}, {6, kVerify}, {6, kStatistics}, {5, kUnique}})
    EXPECT_TRUE(is_short(depth, mode)) << to_string(mode);
  for (const auto& [depth, mode] : {std::pair(8, kHashed),
                                    {8, kUnhashed},
                                    {8, kVerify},
                                    {7, kStatistics},
                                    {6, kUnique},
                                    {30, kHashed},
                                    {64, kEstimate}})
    EXPECT_FALSE(is_short(depth, mode)) << depth << to_string(mode);
  JobRequest few = request_of(10, "startpos", CountMode::kEstimate);
  few.samples = 1'000;
  EXPECT_TRUE(lane.takes(expected_core_seconds(few)));
}

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

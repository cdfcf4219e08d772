#include "tools/command/progress_display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace manyply {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr ProgressSnapshot kHalfDone{.step = Step::kCounting,
                                     .leaves = 4e9,
                                     .visited = 100'000'000,
                                     .units_done = 200,
                                     .units_total = 400};
constexpr ProgressSnapshot kBarelyBegun{.step = Step::kCounting,
                                        .leaves = 4e6,
                                        .visited = 100'000,
                                        .units_done = 1,
                                        .units_total = 100'000};
constexpr ProgressSnapshot kSplitting{.step = Step::kSplitting};
constexpr ProgressSnapshot kSettingUp{
    .step = Step::kSettingUp, .bytes_set_up = 3 << 20, .bytes_to_set_up = 12 << 20};

TEST(Progress, TimeLeftWaitsUntilItMeansSomething) {
  EXPECT_EQ(seconds_left(kHalfDone, 1), std::nullopt);
  EXPECT_EQ(seconds_left(kBarelyBegun, 60), std::nullopt);  // and not 69 days
  EXPECT_EQ(seconds_left({}, 60), std::nullopt);
  EXPECT_EQ(seconds_left(kHalfDone, 20), 20);
}

TEST(Progress, WhatWasSetUpBeforeSaysNothingAboutTheTimeLeft) {
  ProgressSnapshot after = kHalfDone;
  after.seconds_before = 14;
  EXPECT_EQ(seconds_left(after, 18), std::nullopt) << "four seconds of counting";
  EXPECT_EQ(seconds_left(after, 20), 6);
}

TEST(Progress, BeforeCountingItSaysWhatIsDone) {
  EXPECT_EQ(progress_text(progress_figures({}, 2)), "starting  share done not yet known");
  EXPECT_EQ(progress_text(progress_figures(kSplitting, 2)), "splitting  share done not yet known");
  EXPECT_EQ(progress_text(progress_figures(kSettingUp, 2)), "setting up  25.0 %");
  const auto splitting = nlohmann::json::parse(progress_json(progress_figures(kSplitting, 2)));
  EXPECT_EQ(splitting["phase"], "splitting");
  EXPECT_TRUE(splitting["fraction"].is_null()) << "and not 0";
  const auto setting_up = nlohmann::json::parse(progress_json(progress_figures(kSettingUp, 2)));
  EXPECT_EQ(setting_up["phase"], "setting up");
  EXPECT_EQ(setting_up["fraction"], 0.25);
}

TEST(Progress, WhatAnEarlierRunDidSaysNothingAboutTheTimeLeft) {
  ProgressSnapshot resumed{
      .step = Step::kCounting, .units_done = 200, .units_total = 400, .units_resumed = 200};
  EXPECT_EQ(seconds_left(resumed, 60), std::nullopt);  // nothing counted yet
  resumed.units_done = 205;
  EXPECT_EQ(seconds_left(resumed, 60), std::nullopt);  // not a twentieth of the other half
  resumed.units_done = 220;
  EXPECT_EQ(seconds_left(resumed, 60), 540);  // 20 subtrees in a minute, 180 to go
  const auto json = nlohmann::json::parse(progress_json(progress_figures(resumed, 60)));
  EXPECT_EQ(json["fraction"], 0.55);
  EXPECT_EQ(json["resumed"], 0.5);
  EXPECT_EQ(json["seconds_left"], 540);
}

TEST(Progress, TextHasPercentBothRatesAndTimeLeft) {
  EXPECT_EQ(progress_text(progress_figures(kHalfDone, 20)),
            "50.0 %  4.00 G leaves, 200 M/s  5.00 M visited/s  about 20 s left");
  EXPECT_THAT(progress_text(progress_figures(kBarelyBegun, 60)), Not(HasSubstr("left")));
}

TEST(Progress, LinesAreCutBetweenFigures) {
  const std::string text = progress_text(progress_figures(kHalfDone, 20));
  EXPECT_EQ(fitted(text, 80), text);
  EXPECT_EQ(fitted(text, 63), "50.0 %  4.00 G leaves, 200 M/s  5.00 M visited/s");
  EXPECT_EQ(fitted(text, 40), "50.0 %  4.00 G leaves, 200 M/s");
  EXPECT_EQ(fitted(text, 20), "50.0 %");
  EXPECT_EQ(fitted(text, 6), "50.");
}

TEST(Progress, JsonHasTheSame) {
  const auto json = nlohmann::json::parse(progress_json(progress_figures(kHalfDone, 20)));
  EXPECT_EQ(json["event"], "progress");
  EXPECT_EQ(json["phase"], "counting");
  EXPECT_EQ(json["fraction"], 0.5);
  EXPECT_EQ(json["units_done"], 200);
  EXPECT_EQ(json["leaves_per_second"], 200'000'000);
  EXPECT_EQ(json["visited_per_second"], 5'000'000);
  EXPECT_EQ(json["seconds_left"], 20);
  EXPECT_TRUE(
      nlohmann::json::parse(progress_json(progress_figures(kBarelyBegun, 60)))["seconds_left"]
          .is_null());
}

TEST(Progress, DrawsNothingWithoutATerminalOrWhenTold) {
  std::ostringstream out;
  std::ostringstream err;
  const Progress progress;
  Io pipe{out, err};
  {
    const ProgressDisplay display(progress, ProgressMode::kAuto, pipe, "");
  }
  Io terminal{out, err, 0, 80};
  {
    const ProgressDisplay display(progress, ProgressMode::kNever, terminal, "");
  }
  EXPECT_EQ(out.str() + err.str(), "");
}

TEST(Progress, LineFitsTheTerminalAndIsWiped) {
  std::ostringstream out;
  std::ostringstream err;
  Progress progress;
  progress.start(1, 10);
  Io terminal{out, err, 0, 30};
  {
    const ProgressDisplay display(progress, ProgressMode::kAuto, terminal, "line 12, depth 5  ");
    std::this_thread::sleep_for(std::chrono::milliseconds(1400));
  }
  EXPECT_EQ(out.str(), "");
  const std::string drawn = err.str();
  EXPECT_THAT(drawn, ::testing::StartsWith("\r\x1b[Kline 12, depth 5  0.0 %\r"));
  EXPECT_THAT(drawn, ::testing::EndsWith("\r\x1b[K"));
}

}  // namespace
}  // namespace manyply

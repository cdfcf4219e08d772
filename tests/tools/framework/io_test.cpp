// Tests standard streams, lines of an input that another program may still be writing, printable
// text, and the display of progress.
#include "tools/cli/framework/io.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/eventually.h"
#include "tests/support/system.h"
#include "tools/cli/framework/progress_display.h"

namespace manyply {
namespace {

using testing::HasSubstr;
using testing::Not;

class LineReaderOfPipe : public ::testing::Test {
 protected:
  void write(std::string_view text) {
    ASSERT_EQ(::write(ends_[1], text.data(), static_cast<unsigned>(text.size())),
              static_cast<int>(text.size()));
  }
  void close_writing() {
    ::close(ends_[1]);
    ends_[1] = -1;
  }
  void TearDown() override {
    for (const int end : ends_) {
      if (end >= 0) ::close(end);
    }
  }

 private:
  std::array<int, 2> ends_ = open_pipe();

 protected:
  LineReader reader_{ends_[0], {}};
};

TEST_F(LineReaderOfPipe, WhoDoesOtherThingsMeanwhileIsToldWholeLinesAlone) {
  EXPECT_EQ(reader_.line_there(false), std::nullopt) << "nothing has been read";
  write("one\r\ntwo\nthr");
  EXPECT_EQ(reader_.line_there(false), std::nullopt) << "nobody has looked";
  EXPECT_EQ(reader_.line_there(true), "one");
  EXPECT_EQ(reader_.line_there(false), "two");
  EXPECT_EQ(reader_.line_there(false), std::nullopt);
  write("ee\nfour");
  EXPECT_EQ(reader_.line_there(true), "three");
  EXPECT_EQ(reader_.line_there(false), std::nullopt);
  close_writing();
  EXPECT_EQ(reader_.line_there(true), std::nullopt) << "what has no end is the next one's";
  EXPECT_EQ(reader_.next().value(), "four");
  EXPECT_EQ(reader_.next().value(), std::nullopt);
}

TEST(Printable, LeavesTextAsItIs) {
  for (const char* text : {"", "plain text", "Stände.epd", "χ ≤ ♜", "𝄞", "~", "\\x1B"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, WritesOutWhatSteersATerminal) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1B[31mb");
  EXPECT_EQ(printable("a\tb\r\nc"), "a b  c");
  EXPECT_EQ(printable(std::string_view("\0\x7f", 2)), "\\x00\\x7F");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "\\xC2\\x9B2J");
  EXPECT_EQ(printable("\xC2\xA0"), "\xC2\xA0");
}

TEST(Printable, WritesOutWhatIsNoUtf8) {
  EXPECT_EQ(printable("\x9B"), "\\x9B");
  EXPECT_EQ(printable("\xC3"), "\\xC3");
  EXPECT_EQ(printable("\xC3("), "\\xC3(");
  EXPECT_EQ(printable("\xE2\x89"), "\\xE2\\x89");
  EXPECT_EQ(printable("\xC1\x9B\xFF"), "\\xC1\\x9B\\xFF");
}

class Streams : public ::testing::Test {
 protected:
  ~Streams() override {
    close_reader();
    close_writer();
  }
  void close_reader() { close_end(0); }
  void close_writer() { close_end(1); }
  void write(std::string_view text) {
    const auto size = static_cast<unsigned>(text.size());
    ASSERT_EQ(::write(ends_[1], text.data(), size), static_cast<ssize_t>(size));
  }

  std::array<int, 2> ends_ = open_pipe();
  std::stop_source stop_;

 private:
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }
};

TEST_F(Streams, LinesComeWithoutTheirEnds) {
  write("one\r\n\ntwo\nlast");
  close_writer();
  LineReader reader(ends_[0], stop_.get_token());
  EXPECT_EQ(reader.next().value(), "one");
  EXPECT_EQ(reader.next().value(), "");
  EXPECT_EQ(reader.next().value(), "two");
  EXPECT_EQ(reader.next().value(), "last");
  EXPECT_EQ(reader.next().value(), std::nullopt);
  EXPECT_EQ(reader.next().value(), std::nullopt);
}

TEST_F(Streams, LinesLongerThanABufferSurvive) {
  const std::string line(60'000, 'x');
  write(line + "\n" + "y\n");
  LineReader reader(ends_[0], stop_.get_token());
  EXPECT_EQ(reader.next().value(), line);
  EXPECT_EQ(reader.next().value(), "y");
}

TEST_F(Streams, AStopRequestEndsTheWait) {
  LineReader reader(ends_[0], stop_.get_token());
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop_.request_stop();
  });
  EXPECT_EQ(reader.next().error().code, ErrorCode::kCancelled);
}

TEST_F(Streams, AnUnreadableDescriptorIsAnError) {
  LineReader reader(ends_[1], stop_.get_token());  // the writing end
  close_reader();
  EXPECT_EQ(reader.next().error().code, ErrorCode::kUnavailable);
}

TEST_F(Streams, OutputArrivesWhenFlushed) {
  FdStream stream(ends_[1]);
  stream << "a " << 1 << std::flush;
  LineReader reader(ends_[0], stop_.get_token());
  stream << "\nb\n" << std::flush;
  EXPECT_EQ(reader.next().value(), "a 1");
  EXPECT_EQ(reader.next().value(), "b");
  EXPECT_EQ(stream.error(), 0);
}

TEST_F(Streams, AFailedWriteIsRemembered) {
  FdStream stream(ends_[1]);
  close_reader();
  stream << "nobody reads this" << std::flush;
  EXPECT_FALSE(stream);
  EXPECT_EQ(stream.error(), EPIPE);
}

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
  EXPECT_EQ(seconds_left(kHalfDone, 1), 1);
  ProgressSnapshot tenth = kHalfDone;
  tenth.units_done = 40;
  EXPECT_EQ(seconds_left(tenth, 4), std::nullopt);
  EXPECT_EQ(seconds_left(tenth, 6), 54);
  EXPECT_EQ(seconds_left(kBarelyBegun, 60), std::nullopt);  // a naive estimate would be 69 days
  EXPECT_EQ(seconds_left({}, 60), std::nullopt);
  EXPECT_EQ(seconds_left(kHalfDone, 20), 20);
}

TEST(Progress, WhatWasSetUpBeforeSaysNothingAboutTheTimeLeft) {
  ProgressSnapshot after = kHalfDone;
  after.seconds_before = 14;
  EXPECT_EQ(seconds_left(after, 18), 4);
  EXPECT_EQ(seconds_left(after, 20), 6);
}

// In a hashed count, the first half of the units takes more than half of the time.
TEST(Progress, LaterUnitsOfACountWithATableAreFaster) {
  ProgressSnapshot hashed = kHalfDone;
  hashed.speed_up = 0.4;
  EXPECT_DOUBLE_EQ(*hashed.share_done(), 0.6);
  EXPECT_DOUBLE_EQ(*seconds_left(hashed, 30), 20);
  hashed.units_done = 400;
  EXPECT_EQ(hashed.share_done(), 1);
  EXPECT_EQ(seconds_left(hashed, 30), 0);
}

TEST(Progress, AfterCountingNoTimeIsLeftToTell) {
  ProgressSnapshot finishing = kHalfDone;
  finishing.step = Step::kFinishing;
  EXPECT_EQ(seconds_left(finishing, 30), std::nullopt);
  EXPECT_EQ(progress_text(progress_figures(finishing, 30)).substr(0, 15), "finishing  30 s");
}

TEST(Progress, BeforeCountingItSaysWhatIsDone) {
  EXPECT_EQ(progress_text(progress_figures({}, 2)), "starting  2 s");
  EXPECT_EQ(progress_text(progress_figures(kSplitting, 2)), "splitting  2 s");
  EXPECT_EQ(progress_text(progress_figures(kSettingUp, 2)), "setting up  25.0 %  2 s");
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
  EXPECT_EQ(seconds_left(resumed, 60), std::nullopt);  // less than a twentieth of the other half
  resumed.units_done = 220;
  EXPECT_NEAR(*seconds_left(resumed, 60), 540, 1e-6);  // 20 subtrees in a minute, 180 to go
  const auto json = nlohmann::json::parse(progress_json(progress_figures(resumed, 60)));
  EXPECT_EQ(json["fraction"], 0.55);
  EXPECT_EQ(json["resumed"], 0.5);
  EXPECT_NEAR(json["seconds_left"].get<double>(), 540, 1e-6);
}

TEST(Progress, TextHasPercentBothRatesAndTimeLeft) {
  EXPECT_EQ(progress_text(progress_figures(kHalfDone, 20)),
            "50.0 %  20 s, about 20 s left  4.00 G leaves, 200 M/s  5.00 M visited/s");
  EXPECT_THAT(progress_text(progress_figures(kBarelyBegun, 60)), Not(HasSubstr("left")));
}

TEST(Progress, ABarShowsTheShareWhereThereIsRoom) {
  EXPECT_EQ(progress_bar(progress_figures(kHalfDone, 20), 120), "[==========>         ]  ");
  EXPECT_EQ(progress_bar(progress_figures(kHalfDone, 20), 80), "[=====>    ]  ");
  EXPECT_EQ(progress_bar(progress_figures(kHalfDone, 20), 79), "");
  EXPECT_EQ(progress_bar(progress_figures(kSplitting, 2), 120), "") << "not known";
  ProgressFigures whole;
  whole.fraction = 1.0;
  EXPECT_EQ(progress_bar(whole, 80), "[==========]  ");
}

TEST(Progress, LinesAreCutBetweenFigures) {
  const std::string text = progress_text(progress_figures(kHalfDone, 20));
  EXPECT_EQ(fitted(text, 80), text);
  EXPECT_EQ(fitted(text, 63), "50.0 %  20 s, about 20 s left  4.00 G leaves, 200 M/s");
  EXPECT_EQ(fitted(text, 40), "50.0 %  20 s, about 20 s left");
  EXPECT_EQ(fitted(text, 20), "50.0 %");
  EXPECT_EQ(fitted(text, 6), "50.");
}

TEST(Progress, JsonHasTheSame) {
  const auto json = nlohmann::json::parse(progress_json(progress_figures(kHalfDone, 20)));
  using Member = std::pair<const char*, nlohmann::json>;
  for (const auto& [name, value] :
       {Member("event", "progress"), Member("phase", "counting"), Member("fraction", 0.5),
        Member("units_done", 200), Member("leaves_per_second", 200'000'000),
        Member("visited_per_second", 5'000'000), Member("seconds_left", 20)})
    EXPECT_EQ(json[name], value) << name;
  EXPECT_TRUE(
      nlohmann::json::parse(progress_json(progress_figures(kBarelyBegun, 60)))["seconds_left"]
          .is_null());
}

constexpr ProgressPace kAtOnce{.line = std::chrono::milliseconds(1),
                               .first_line = std::chrono::milliseconds(0),
                               .json = std::chrono::milliseconds(1)};

/// A text that several threads write and read.
class SharedText : public std::stringbuf {
 public:
  std::string text() {
    const std::scoped_lock lock(mutex_);
    return text_;
  }

 protected:
  int sync() override {
    const std::scoped_lock lock(mutex_);
    text_ += str();
    str("");
    return 0;
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

/// Drawn lines. A display writes them, and the test reads them.
struct Drawing {
  std::ostringstream out;
  SharedText text;
  std::ostream err{&text};
  Io io{out, err, 0, 30};

  /// Waits until this number of lines has begun.
  bool has(int lines) {
    return eventually([&] {
      const std::string all = text.text();
      return std::ranges::count(all, '\r') >= lines;
    });
  }
};

TEST(Progress, DrawsNothingWithoutATerminalOrWhenTold) {
  std::ostringstream out;
  std::ostringstream err;
  const Progress progress;
  Io pipe{out, err};
  Io terminal{out, err, 0, 80};
  {
    const ProgressDisplay unseen(progress, ProgressMode::kAuto, pipe, "", kAtOnce);
    const ProgressDisplay never(progress, ProgressMode::kNever, terminal, "", kAtOnce);
    // This display begins later, with the same speed.
    Drawing drawing;
    const ProgressDisplay seen(progress, ProgressMode::kAuto, drawing.io, "", kAtOnce);
    EXPECT_TRUE(drawing.has(3));
  }
  EXPECT_EQ(out.str() + err.str(), "");
}

TEST(Progress, QuickJobsLeaveTheTerminalAlone) {
  const Progress progress;
  Drawing quick;
  Drawing long_one;
  {
    const ProgressDisplay waits(
        progress, ProgressMode::kAuto, quick.io, "",
        {.line = std::chrono::milliseconds(1), .first_line = std::chrono::hours(1)});
    const ProgressDisplay draws(progress, ProgressMode::kAuto, long_one.io, "", kAtOnce);
    EXPECT_TRUE(long_one.has(3));
  }
  EXPECT_EQ(quick.text.text(), "");
}

TEST(Progress, LineFitsTheTerminalAndIsWiped) {
  Progress progress;
  progress.start(1, 10);
  Drawing drawing;
  {
    const ProgressDisplay display(progress, ProgressMode::kAuto, drawing.io, "line 12, depth 5  ",
                                  kAtOnce);
    EXPECT_TRUE(drawing.has(2));
  }
  EXPECT_EQ(drawing.out.str(), "");
  const std::string drawn = drawing.text.text();
  EXPECT_THAT(drawn, ::testing::StartsWith("\r\x1b[Kline 12, depth 5  0.0 %\r"));
  EXPECT_THAT(drawn, ::testing::EndsWith("\r\x1b[K"));
}

TEST(ClockedLine, ShowsItsTextAndTheTimeAndIsWiped) {
  Drawing drawing;
  Drawing pipe;
  pipe.io.terminal_columns = 0;
  {
    ClockedLine line(ProgressMode::kAuto, drawing.io, "starting", kAtOnce);
    ClockedLine unseen(ProgressMode::kAuto, pipe.io, "starting", kAtOnce);
    ClockedLine never(ProgressMode::kNever, pipe.io, "starting", kAtOnce);
    EXPECT_TRUE(drawing.has(1));
    line.show("question 2");
    EXPECT_TRUE(
        eventually([&] { return drawing.text.text().find("question 2  ") != std::string::npos; }));
    line.wipe();
    const std::string wiped = drawing.text.text();
    EXPECT_THAT(wiped, ::testing::EndsWith("\r\x1b[K"));
    line.show("question 3");
    EXPECT_TRUE(
        eventually([&] { return drawing.text.text().find("question 3") != std::string::npos; }));
  }
  const std::string drawn = drawing.text.text();
  EXPECT_THAT(drawn, ::testing::StartsWith("\r\x1b[Kstarting  0"));
  EXPECT_THAT(drawn, ::testing::EndsWith("\r\x1b[K"));
  EXPECT_EQ(pipe.text.text(), "");
}

}  // namespace
}  // namespace manyply

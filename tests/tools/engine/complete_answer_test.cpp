// Tests whether an answer is recognised as complete, with slow, silent, interrupted and endless
// programs.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/position.h"
#include "tests/tools/diagnose/fake_program.h"
#include "tools/diagnose/bisect.h"
#include "tools/engine/child_process.h"
#include "tools/engine/engine.h"
#include "tools/engine/engine_protocol.h"

namespace manyply {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// As in main(): the engine may end before it reads anything.
#ifdef SIGPIPE
[[maybe_unused]] const auto kPipesMayBreak = std::signal(SIGPIPE, SIG_IGN);
#endif

std::string test_engine(const std::string& arguments) {
  return std::string("\"") + MANYPLY_BROKEN_ENGINE "\" " + arguments;
}

Result<std::unique_ptr<Engine>> started(const std::string& command,
                                        const EnginePatience& patience = {},
                                        Dialect dialect = Dialect::kAuto) {
  EngineWords said;
  return Engine::open({.command = command, .dialect = dialect, .timeout_seconds = 300}, {}, said,
                      patience);
}

/// Short times, so that waits for silence are short.
constexpr EnginePatience kImpatient{.handshake = milliseconds(300),
                                    .learning = milliseconds(600),
                                    .quiet = milliseconds(200),
                                    .lacking = milliseconds(1000)};

/// Returns the error for a program with which no conversation is possible.
std::string complaint(const std::string& command, double timeout_seconds = 300) {
  EngineWords said;
  const auto engine =
      Engine::open({.command = command, .timeout_seconds = timeout_seconds}, {}, said, kImpatient);
  return engine ? "it answers" : engine.error().message;
}

/// Returns the dialect of a style of the test engine, so that no other dialect is tried.
Dialect dialect_of(const std::string& style) {
  for (const char* console :
       {"xboard", "console", "console-mute", "prompt", "echo", "done", "xboard-total", "board"}) {
    if (style == console) return Dialect::kXboard;
  }
  if (style.starts_with("lines")) return Dialect::kLines;
  if (style == "divide" || style == "bestmove-console") return Dialect::kDivide;
  return style == "repl" || style == "perft" ? Dialect::kPerft : Dialect::kStockfish;
}

/// Prints its rows without a total. Silence ends the answer before the last row has arrived.
class CutOffProgram : public FakeProgram {
 public:
  CutOffProgram(int from_depth, bool ended)
      : FakeProgram(
            [](const Line& line, Depth depth) { return printed_divide(line, depth.plies()); }),
        from_depth_(from_depth),
        ended_(ended) {}
  Result<EngineAnswer> divide(const Line& line, Depth depth) override {
    EngineAnswer answer = *FakeProgram::divide(line, depth);
    if (depth.plies() >= from_depth_) {
      answer.rows.pop_back();
      answer.ended = ended_;
    }
    return answer;
  }

 private:
  int from_depth_;
  bool ended_;
};

TEST(IncompleteAnswer, IsAnErrorAndNoAccusation) {
  CutOffProgram cut_off(2, false);
  const auto report = bisected(cut_off, "startpos", 2);
  EXPECT_EQ(report.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(report.error().message, testing::StartsWith("incomplete answer: "));
}

TEST(IncompleteAnswer, AnEndMarkOrTheSameListAtDepthOneMakesItComplete) {
  CutOffProgram marked(2, true);
  const auto of_marked = bisected(marked, "startpos", 2);
  EXPECT_FALSE(of_marked->differences.empty());
  CutOffProgram lacking(1, false);
  const auto of_lacking = bisected(lacking, "startpos", 2);
  EXPECT_FALSE(of_lacking->differences.empty());
}

// The program prints neither a total nor readyok, and no silence would be long enough.
TEST(EndMark, IsWhatAProgramSaysOfAWordThatItDoesNotKnow) {
  constexpr std::chrono::hours kLong(1);
  EngineWords said;
  const auto engine =
      Engine::open({.command = std::string("\"") + MANYPLY_BROKEN_ENGINE "\" none console",
                    .dialect = Dialect::kXboard,
                    .timeout_seconds = 300},
                   {}, said, {.handshake = kLong, .learning = kLong});
  ASSERT_TRUE(engine.ok()) << engine.error().to_string();
  const auto answer = (*engine)->divide(Line(), Depth(2));
  ASSERT_TRUE(answer.ok()) << answer.error().to_string();
  EXPECT_EQ(answer->sum(), NodeCount(400));
  EXPECT_TRUE(answer->ended);
}

/// Asks an engine without totals for depth 2, and returns the fault of its answer; empty if the
/// answer is complete and did not end by silence.
std::string fault_of_answer(const std::string& style) {
  const auto engine =
      started(test_engine("none " + style), {.handshake = milliseconds(300)}, Dialect::kXboard);
  if (!engine) return engine.error().to_string();
  const auto answer = (*engine)->divide(Line(), Depth(2));
  if (!answer) return answer.error().to_string();
  if (answer->sum() != NodeCount(400)) return "the rows are others";
  return answer->ended ? "" : "silence has ended it";
}

/// Returns each style with its `outcome`. The engines run at the same time, because they mostly
/// wait.
template <typename Outcome>
std::vector<std::pair<std::string, std::string>> outcomes_of(const std::vector<std::string>& styles,
                                                             Outcome outcome) {
  std::vector<std::pair<std::string, std::string>> outcomes;
  for (const std::string& style : styles) outcomes.emplace_back(style, "");
  std::vector<std::jthread> threads;
  for (auto& [style, said] : outcomes)
    threads.emplace_back([&outcome, &style, &said] { said = outcome(style); });
  threads.clear();
  return outcomes;
}

// These programs do not know isready. Their answers end with a prompt, an echo of isready, or a
// last line.
TEST(EndMark, IsWhatAllAnswersEndWith) {
  for (const auto& [style, fault] : outcomes_of({"prompt", "echo", "done"}, fault_of_answer))
    EXPECT_EQ(fault, "") << style;
}

/// Returns the error that ends the search for the bug of the test engine.
std::string failure(const std::string& bug, const std::string& style) {
  const auto engine = started(test_engine(bug + ' ' + style), kImpatient, dialect_of(style));
  if (!engine) return engine.error().to_string();
  const auto report = bisected(**engine, "startpos", 2);
  return report ? "no error: " + text_of(*report) : report.error().message;
}

TEST(IncompleteAnswer, OfAnEngineIsNoAccusation) {
  const auto outcomes =
      outcomes_of({"rows", "console", "prompt", "echo", "done", "lines-rows"},
                  [](const std::string& style) { return failure("short", style); });
  for (const auto& [style, said] : outcomes)
    EXPECT_THAT(said, HasSubstr("incomplete answer: ")) << style;
}

TEST(IncompleteAnswer, OfAScriptBehindAPipeIsNoAccusation) {
  const auto engine = started(test_engine("cut lines-rows {depth} {fen} | cat"));
  ASSERT_TRUE(engine.ok()) << engine.error().to_string();
  EXPECT_THAT(bisected(**engine, "startpos", 2).error().message, HasSubstr("incomplete answer: "));
}

TEST(IncompleteAnswer, OfAProgramThatEndsIsItsEnd) {
  const auto outcomes = outcomes_of({"stockfish", "rows", "mute", "mute-rows", "mute-depths"},
                                    [](const std::string& style) { return failure("cut", style); });
  for (const auto& [style, said] : outcomes)
    EXPECT_THAT(said, HasSubstr("ended with exit code 0")) << style;
}

// ------------------------------------------------------------------ slow programs

/// All styles that print divides or totals.
constexpr const char* kStyles[] = {
    "stockfish",    "rows",        "mute",        "mute-rows",  "mute-depths",  "depths",
    "threads",      "divide",      "xboard",      "console",    "console-mute", "prompt",
    "echo",         "done",        "total",       "mute-total", "table",        "mute-table",
    "xboard-total", "board",       "repl",        "letters",    "lines",        "lines-rows",
    "lines-two",    "lines-total", "threads-rows"};
constexpr const char* kPaused = "6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1";

/// Asks a correct generator in this style, with pauses of `milliseconds`. Returns the reported
/// fault; empty if the counts agree.
std::string outcome(const std::string& style, int milliseconds, const EnginePatience& patience) {
  const std::string paused = style + '@' + std::to_string(milliseconds);
  const auto engine = started(test_engine("none " + paused), patience, dialect_of(style));
  if (!engine) return "failed: " + engine.error().to_string();
  const auto report = bisected(**engine, kPaused, 2);
  if (!report) return "failed: " + report.error().to_string();
  if (report->not_understood) return "not understood";
  return report->agrees() ? "" : "ACCUSED: " + text_of(*report);
}

class PausedEngine : public ::testing::TestWithParam<const char*> {};

// An error is allowed, but no reported fault: on a busy machine these pauses may be longer than the
// time limit.
TEST_P(PausedEngine, IsNotAccused) {
  EXPECT_THAT(outcome(GetParam(), 50, kImpatient), Not(HasSubstr("ACCUSED")));
}

TEST_P(PausedEngine, AgreesWithLongPausesSlow) {
  const auto outcomes =
      outcomes_of({"0", "300", "600", "1000", "2000"}, [](const std::string& milliseconds) {
        return outcome(GetParam(), std::stoi(milliseconds), {});
      });
  for (const auto& [milliseconds, said] : outcomes) EXPECT_EQ(said, "") << milliseconds;
}

INSTANTIATE_TEST_SUITE_P(Engines, PausedEngine, ::testing::ValuesIn(kStyles), [](const auto& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
});

// ------------------------------------------------------------------ programs that are no engines

TEST(NoEngine, ABoardIsNamed) {
  EXPECT_THAT(complaint(test_engine("none only-board")), HasSubstr("printed a board and no count"));
  for (const char* rank :
       {"8 | *R |    |    |    | *K |    |    | *R |",
        "6 |    |    |    |    |    |    |    |    |", "r . . . k . . r", "8 r n b q k b n r 8",
        "rnbqkbnr", "........",
        "\xe2\x94\x82 \xe2\x99\x9c \xe2\x94\x82   \xe2\x94\x82   \xe2\x94\x82   \xe2\x94\x82 "
        "\xe2\x99\x9a \xe2\x94\x82   \xe2\x94\x82   \xe2\x94\x82   \xe2\x94\x82 8"})
    EXPECT_TRUE(is_board_rank(rank)) << rank;
  for (const char* line : {"", "8", "20", "e2e4: 20", "1 20 0 0 0 0 0 0 0", "Nb1 c3", "O-O 1",
                           "| 1 | 20 | 0 | 0 | 0 | 0 | 0 | 0 |", "r1bqkbnr/pppp1ppp/2n5/4p3 w"})
    EXPECT_FALSE(is_board_rank(line)) << line;
}

TEST(NoEngine, OneThatRepeatsWhatItIsToldIsNamed) {
  EXPECT_THAT(complaint("cat"), HasSubstr("repeats its input"));
}

TEST(NoEngine, OneThatPrintsWithoutEndIsNamed) {
  EXPECT_THAT(complaint("yes"), HasSubstr("prints without end"));
  EXPECT_THAT(complaint("cat /dev/zero"), HasSubstr("prints without end"));
}

TEST(NoEngine, OneThatReadsNothingHasItsTime) {
  EXPECT_THAT(complaint("sleep 1000", 1), HasSubstr("gave no answer in 1 s (--timeout)"));
}

// Each way of asking would start the script once more.
TEST(NoEngine, AScriptThatEndsAtOnceIsStartedFewTimes) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("manyply_starts_" + std::to_string(::getpid())))
          .string();
  const std::string said = complaint("echo x >> '" + file + "'; echo hello; exit 3; :");
  EXPECT_THAT(said, AllOf(HasSubstr("ended with exit code 3"), HasSubstr("--run")));
  std::ifstream starts(file);
  std::string line;
  int number = 0;
  while (std::getline(starts, line)) ++number;
  std::filesystem::remove(file);
  EXPECT_GE(number, 2);
  EXPECT_LE(number, 4);
}

TEST(NoEngine, FlagsAreNamedThatTellHowItIsAsked) {
  const std::string said = complaint(test_engine("search"));
  EXPECT_THAT(said, AllOf(HasSubstr("does not know 'go perft'"), HasSubstr("--dialect"),
                          HasSubstr("--ask")));
}

TEST(NoEngine, ScoresOfMovesAreNoOverflow) {
  const auto engine = started(test_engine("none scores"), kImpatient);
  const std::string said = engine ? to_string((*engine)->divide(Line(), Depth(1))->unread.front())
                                  : engine.error().message;
  EXPECT_THAT(said, HasSubstr("is negative, so it is not a count"));
}

// The clock counts each wait only up to its limit, and no time between waits. So it does not count
// time in which the process is stopped.
TEST(WaitingClock, CountsNoMoreThanEachWaitWasToTake) {
  WaitingClock::waited(milliseconds(0));
  const WaitingClock::time_point begin = WaitingClock::now();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(WaitingClock::now(), begin);
  WaitingClock::waited(milliseconds(5));
  EXPECT_EQ(WaitingClock::now() - begin, milliseconds(5));
}

// If a wait ends before its limit, the clock counts the time that the wait took: here 20 ms, or
// more on a busy machine.
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

// Tests how long engines may take. The clock does not count time in which this process cannot run.
#include "tools/engine/engine.h"

#include <gmock/gmock.h>

#include <thread>

#include "core/fen.h"
#include "tools/engine/child_process.h"

namespace manyply {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using Clock = ChildProcess::Clock;

/// Short times, so that waits for silence are short. Slow programs are slower than this on any
/// machine.
constexpr EnginePatience kShort{.handshake = milliseconds(20), .learning = milliseconds(20)};

std::string broken(const std::string& arguments) {
  return std::string("\"") + MANYPLY_BROKEN_ENGINE "\" " + arguments;
}

Result<std::unique_ptr<Engine>> open(const std::string& command, double timeout_seconds = 600,
                                     const EnginePatience& patience = kShort) {
  EngineWords said;
  return Engine::open({.command = command, .timeout_seconds = timeout_seconds}, {}, said, patience);
}

/// Checks that a new engine answers 20 for the start position at depth 1.
void expect_twenty(const std::string& command) {
  const auto engine = open(command);
  ASSERT_TRUE(engine.ok()) << engine.error().to_string();
  const auto answer = (*engine)->divide(Line(), Depth(1));
  ASSERT_TRUE(answer.ok()) << answer.error().to_string();
  EXPECT_EQ(answer->rows.size(), 20U);
  EXPECT_EQ(answer->sum(), NodeCount(20));
}

// Simulates that this process is stopped between two waits, for longer than the limit.
TEST(WaitingClock, ALimitDoesNotPassWhileWeCannotRun) {
  const auto child = ChildProcess::start("read word; echo $word", {}, {});
  ASSERT_TRUE(child.ok()) << child.error().to_string();
  const Clock::time_point limit = Clock::now() + milliseconds(500);
  std::this_thread::sleep_for(milliseconds(600));
  std::string line;
  EXPECT_EQ((*child)->next_line(line, Clock::now() + milliseconds(1)),
            ChildProcess::Read::kTimeout);
  EXPECT_LT(Clock::now(), limit);
  ASSERT_TRUE((*child)->send("here\n", Clock::now() + std::chrono::minutes(10)));
  EXPECT_EQ((*child)->next_line(line, Clock::now() + std::chrono::minutes(10)),
            ChildProcess::Read::kLine);
  EXPECT_EQ(line, "here");
}

// All ways of asking share one time limit, and the message says what happened.
TEST(EnginePatience, ASilentProgramHasItsTimeOnce) {
  const Clock::time_point begin = Clock::now();
  EXPECT_THAT(open("sleep 1000; :", 1, {}).error().message,
              HasSubstr("gave no answer in 1 s (--timeout)"));
  // The limit is 1 s. Stopping the program for each of four dialects takes more time.
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2)) << "4 s when each dialect had its own";
}

// The engine prints statistics beside the total, and no word says which number is the total.
TEST(EnginePatience, WhatIsNotUnderstoodInTimeIsShownSlow) {
  const auto engine = open(
      "while read word rest; do case $word in uci) echo uciok;; isready) echo readyok;; go) "
      "echo '20 0 4 1';; esac; done",
      20, {.learning = std::chrono::minutes(10)});
  EXPECT_THAT(engine.error().message,
              HasSubstr("printed neither moves with counts nor a total that could be understood "
                        "within 20 s (--timeout); its last line: '20 0 4 1'"));
}

TEST(EnginePatience, AProgramMayBeSlowToStart) {
  expect_twenty("sleep 0.1; exec " + broken("none mute"));
}

// The answer to the greeting comes late, and the first divide later still. Each answer has one
// table per depth, and the last table counts. The end of one answer must not be read as the next
// answer.
TEST(EnginePatience, ALateGreetingIsNoAnswer) {
  const auto engine =
      open("sleep 0.1; read uci; read isready; echo uciok; echo readyok; sleep 0.1; exec " +
           broken("none depths"));
  ASSERT_TRUE(engine.ok()) << engine.error().to_string();
  const auto answer = (*engine)->divide(Line(), Depth(2));
  ASSERT_TRUE(answer.ok()) << answer.error().to_string();
  EXPECT_TRUE(answer->unread.empty());
  EXPECT_EQ(answer->rows.size(), 20U);
  EXPECT_EQ(answer->sum(), NodeCount(400));
}

// Like Stockfish, the engine prints readyok before it begins to count. It knows no other dialect.
TEST(EnginePatience, AReadyEngineThatHasSaidNothingYetIsWaitedFor) {
  expect_twenty(
      "read uci || exit 1; read ready; echo uciok; echo readyok; read position; read go; "
      "[ \"$go\" = 'go perft 1' ] || exit 1; read ready; "
      "echo readyok; sleep 0.1; echo 'info string soon'; sleep 0.1; '" MANYPLY_BROKEN_ENGINE
      "' none lines 1 '" +
      std::string(kStartFen) + "'; exec " + broken("none"));
}

TEST(EnginePatience, WhatSaysSomethingElseIsNotWaitedFor) {
  EXPECT_THAT(open(broken("garbage")).error().message,
              HasSubstr("printed nothing that looks like moves with counts"));
}

}  // namespace
}  // namespace manyply

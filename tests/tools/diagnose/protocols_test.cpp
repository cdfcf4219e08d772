// Engines and scripts with one protocol each. The program must detect the protocol.
#include <gmock/gmock.h>

#include <csignal>

#include "tests/tools/diagnose/fake_program.h"
#include "tools/diagnose/bisect.h"
#include "tools/engine/engine.h"

namespace manyply {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Clock = ChildProcess::Clock;

constexpr const char* kManyPins =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

std::string engine_of(const std::string& bug, const std::string& style) {
  return std::string("\"") + MANYPLY_BROKEN_ENGINE "\" " + bug + ' ' + style;
}

/// As in main(): the engine may end before it reads anything.
[[maybe_unused]] const auto kOldHandler = std::signal(SIGPIPE, SIG_IGN);

/// The time limit only ends tests that hang. Silence is judged as usual: see EnginePatience.
Result<std::unique_ptr<Engine>> opened(EngineSpec spec) {
  spec.timeout_seconds = 300;
  EngineWords said;
  return Engine::open(spec, {}, said);
}

struct Protocol {
  const char* style;
  Dialect dialect;
  bool divides;
  bool plays_moves;
};
constexpr Protocol kProtocols[] = {
    {"stockfish", Dialect::kStockfish, true, true},
    {"mute", Dialect::kStockfish, true, true},
    {"divide", Dialect::kDivide, true, true},
    {"perft", Dialect::kPerft, false, true},  // its answer to `go perft N` never ends
    {"repl", Dialect::kPerft, false, true},
    {"bestmove", Dialect::kPerft, true, true},  // answers `go perft N` only with a move
    {"console", Dialect::kXboard, true, false},
    {"console-mute", Dialect::kXboard, true, false},
    {"bestmove-console", Dialect::kDivide, true, true},  // only before it was greeted
    {"echo", Dialect::kXboard, true, false},
    {"board", Dialect::kXboard, false, false},
    {"threads", Dialect::kStockfish, true, true},
    {"threads-rows", Dialect::kStockfish, true, true},
    {"mute-total", Dialect::kStockfish, false, true},
    {"mute-table", Dialect::kStockfish, false, true},
    {"xboard", Dialect::kXboard, true, false},
    {"xboard-total", Dialect::kXboard, false, false},
    {"list", Dialect::kStockfish, true, true},
    {"table", Dialect::kStockfish, false, true},
    {"depths", Dialect::kStockfish, true, true},
    {"mute-depths", Dialect::kStockfish, true, true},
    {"lines", Dialect::kLines, true, true},
    {"lines-rows", Dialect::kLines, true, true},
    {"lines-total", Dialect::kLines, false, true},
    {"lines-two", Dialect::kLines, true, false},
    {"juddperft", Dialect::kJudDperft, false, false},
};

class Protocols : public ::testing::TestWithParam<Protocol> {};

TEST_P(Protocols, IsFoundOut) {
  const Protocol& wanted = GetParam();
  const auto engine = opened({.command = engine_of("none", wanted.style)});
  ASSERT_TRUE(engine.ok()) << engine.error().to_string();
  EXPECT_EQ((*engine)->dialect(), wanted.dialect);
  EXPECT_EQ((*engine)->divides(), wanted.divides);
  EXPECT_EQ((*engine)->plays_moves(), wanted.plays_moves);
  const Line line = *parse_line(kManyPins, "e2a6 b4c3", std::nullopt);
  for (const auto& [depth, count] : {std::pair(1, 52), std::pair(2, 1976), std::pair(1, 52)}) {
    const auto verdict =
        (*engine)->check(line, Depth(depth), NodeCount(static_cast<unsigned>(count)));
    ASSERT_TRUE(verdict.ok()) << verdict.error().to_string();
    EXPECT_TRUE(verdict->agrees) << depth << ' '
                                 << (verdict->total ? verdict->total->to_string() : "");
    EXPECT_TRUE(verdict->unread.empty());
  }
}

TEST_P(Protocols, ABugIsFoundThroughIt) {
  const Protocol& wanted = GetParam();
  const auto engine = opened({.command = engine_of("pinned-moves", wanted.style)});
  ASSERT_TRUE(engine.ok()) << engine.error().to_string();
  const auto report = bisected(**engine, kManyPins, 2);
  ASSERT_TRUE(report.ok()) << report.error().to_string();
  ASSERT_EQ(report->differences.size(), 1U);
  const Difference& difference = report->differences.front();
  EXPECT_THAT(difference.line.uci_moves(), ElementsAre("e2b5"));
  ASSERT_FALSE(difference.findings.empty());
  EXPECT_EQ(difference.findings.front().cause,
            wanted.divides ? Cause::kPinnedLeavesLine : Cause::kMoveListWrong);
}

INSTANTIATE_TEST_SUITE_P(Engines, Protocols, ::testing::ValuesIn(kProtocols), [](const auto& info) {
  std::string name = info.param.style;
  std::erase(name, '-');
  return name;
});

/// Checks that the count of kiwipete is understood.
void expect_understood(EngineSpec spec, Dialect dialect, bool plays_moves) {
  const auto engine = opened(std::move(spec));
  ASSERT_TRUE(engine.ok()) << engine.error().to_string();
  EXPECT_EQ((*engine)->dialect(), dialect);
  EXPECT_EQ((*engine)->plays_moves(), plays_moves);
  const auto answer =
      (*engine)->divide(*parse_line(kManyPins, "e2a6 b4c3", std::nullopt), Depth(2));
  ASSERT_TRUE(answer.ok()) << answer.error().to_string();
  EXPECT_EQ(answer->sum(), NodeCount(1976));
}

TEST(AskTemplates, SayHowAProgramIsToldOrRun) {
  expect_understood({.command = engine_of("none", "count"), .ask = "count {depth} {fen}"},
                    Dialect::kAsk, false);
  expect_understood({.command = engine_of("none", "mute"),
                     .ask = "position fen {fen} moves {moves}\\ngo perft {depth}"},
                    Dialect::kAsk, true);
  expect_understood({.command = engine_of("none", "divide"), .ask = "divide {depth}"},
                    Dialect::kAsk, true);
  expect_understood({.command = engine_of("none", "lines {depth} {fen} '{moves}'")}, Dialect::kRun,
                    true);
  expect_understood({.command = engine_of("none", "lines {depth} \"{fen}\" | cat")}, Dialect::kRun,
                    false);
}

TEST(AskTemplates, WhatIsNotUnderstoodIsShownWithoutWaitingForTheWholeTime) {
  const Clock::time_point begin = Clock::now();
  EngineWords said;
  EXPECT_THAT(
      Engine::open({.command = engine_of("none", "count"), .ask = "perft {depth}"}, {}, said)
          .error()
          .message,
      HasSubstr("'what? no such command: perft'"));
  EXPECT_THAT(said.printed,
              ElementsAre("what? no such command: position", "what? no such command: perft"));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(30)) << "60 s are the limit on an answer";
}

TEST(AskTemplates, ASearchThatNeverEndsIsCalledOne) {
  EngineWords said;
  const auto engine = Engine::open(
      {.command = engine_of("none", "perft"), .dialect = Dialect::kStockfish}, {}, said,
      {.handshake = std::chrono::milliseconds(50), .learning = std::chrono::seconds(1)});
  EXPECT_THAT(engine.error().message,
              HasSubstr("searches for a best move: it does not know 'go perft'"));
}

TEST(AskTemplates, GarbageIsShown) {
  EngineWords said;
  const auto engine = Engine::open(
      {.command = engine_of("garbage", "stockfish")}, {}, said,
      {.handshake = std::chrono::milliseconds(50), .learning = std::chrono::milliseconds(50)});
  ASSERT_FALSE(engine.ok());
  ASSERT_FALSE(said.printed.empty());
  EXPECT_THAT(said.printed.back(), HasSubstr("12 monkeys"));
}

}  // namespace
}  // namespace manyply

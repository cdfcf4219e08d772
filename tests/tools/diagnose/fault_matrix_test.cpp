// Each fault of the test engine on many positions: its cause is named, and no other one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <set>

#include "core/movegen.h"
#include "tests/tools/diagnose/hunts.h"
#include "tools/diagnose/bisect.h"
#include "tools/engine/engine.h"

namespace manyply {
namespace {

struct MatrixPosition {
  std::string fen;
  int depth = 1;
};

/// Reached by random moves from the start position; the same ones each time.
std::vector<std::string> random_positions(std::size_t number) {
  std::mt19937 random(20'26);  // NOLINT: the same sequence is wanted
  std::vector<std::string> fens;
  while (fens.size() < number) {
    Line line;
    const std::size_t plies = 6 + random() % 90;
    for (std::size_t ply = 0; ply < plies; ++ply) {
      const MoveList moves = legal_moves(line.here());
      if (moves.empty()) break;
      line.play(moves[random() % moves.size()]);
    }
    if (!legal_moves(line.here()).empty()) fens.push_back(line.fen_here());
  }
  return fens;
}

std::vector<std::string> tricky_positions() {
  std::ifstream file(MANYPLY_SOURCE_DIR "/tools/suites/tricky.epd");
  std::vector<std::string> fens;
  for (std::string text; std::getline(file, text);) {
    if (text.find(';') == std::string::npos || text.starts_with('#')) continue;
    fens.push_back(text.substr(0, text.find(" ;")));
  }
  return fens;
}

/// The deepest of at most three plies with at most `most` paths.
int affordable(const std::string& fen, std::uint64_t most) {
  const Result<Line> line = parse_line(fen, "", std::nullopt);
  int depth = 1;
  for (; depth < 3; ++depth) {
    NodeCount sum;
    const Result<std::vector<DivideEntry>> rows = divide(line->here(), Depth(depth + 1));
    for (const DivideEntry& row : *rows) sum += row.nodes;
    if (sum > NodeCount(most)) break;
  }
  return depth;
}

std::vector<MatrixPosition> matrix_positions(std::size_t every, std::size_t random,
                                             std::uint64_t most) {
  std::vector<MatrixPosition> positions;
  const std::vector<std::string> tricky = tricky_positions();
  EXPECT_GT(tricky.size(), 20U);
  for (std::size_t i = 0; i < tricky.size(); i += every)
    positions.push_back({tricky[i], affordable(tricky[i], most)});
  for (const std::string& fen : random_positions(random))
    positions.push_back({fen, affordable(fen, most)});
  return positions;
}

/// The names of all causes found, in order; what went wrong instead, where it did.
std::vector<std::string> causes_of(const Hunt& hunt, std::vector<MatrixPosition> positions) {
  EngineWords said;
  const auto engine = Engine::open(
      {.command = std::string("'") + MANYPLY_BROKEN_ENGINE "' " + hunt.bug, .timeout_seconds = 300},
      {}, said);
  if (!engine) return {engine.error().to_string()};
  positions.insert(positions.begin(), {hunt.fen, std::stoi(hunt.depth)});
  std::vector<std::string> names;
  std::vector<Cause> known;
  for (const auto& [fen, depth] : positions) {
    BisectOptions options;
    options.known = known;
    options.divide = [](const Line& line, Depth plies) { return divide(line.here(), plies); };
    const Result<Line> line = parse_line(fen, "", std::nullopt);
    const auto report = bisect(**engine, *line, Depth(depth), options);
    if (!report || report->not_understood) {
      names.push_back((report ? "not understood" : report.error().to_string()) + " at " + fen);
      break;
    }
    for (const Cause cause : report->causes()) {
      if (std::ranges::count(known, cause) != 0) continue;
      known.push_back(cause);
      names.emplace_back(name_of(cause));
      if (names.size() > 1) names.back() += " at " + fen + " depth " + std::to_string(depth);
    }
  }
  return names;
}

/// How many faults are named otherwise.
void expect_causes(const std::vector<MatrixPosition>& positions, std::size_t wrong_allowed) {
  ASSERT_GE(kHunts.size(), 40U);
  std::vector<std::string> wrong;
  for (const Hunt& hunt : kHunts) {
    const std::vector<std::string> found = causes_of(hunt, positions);
    if (found == std::vector<std::string>{hunt.cause}) continue;
    wrong.push_back(hunt.bug + std::string(":"));
    for (const std::string& name : found) wrong.back() += "\n    " + name;
  }
  std::string text;
  for (const std::string& one : wrong) text += one + '\n';
  EXPECT_LE(wrong.size(), wrong_allowed) << text;
  const Hunt none{"none", "startpos", "3", "", "", "", ""};
  EXPECT_THAT(causes_of(none, positions), testing::IsEmpty());
}

TEST(FaultMatrix, OneCauseOfEachFaultOnASample) { expect_causes(matrix_positions(9, 6, 1'000), 1); }

TEST(FaultMatrix, OneCauseOfEachFaultOnAllPositionsSlow) {
  expect_causes(matrix_positions(1, 200, 10'000), 1);
}

// ------------------------------------------------------------------ slow and silent programs

class PausedEngine : public ::testing::TestWithParam<const char*> {};

/// A right generator that is slow to print its rows is never accused.
void expect_no_accusation(const std::string& style, int milliseconds) {
  EngineWords said;
  const auto engine = Engine::open({.command = std::string("'") + MANYPLY_BROKEN_ENGINE "' none " +
                                               style + '@' + std::to_string(milliseconds),
                                    .timeout_seconds = 300},
                                   {}, said);
  ASSERT_TRUE(engine.ok()) << style << ": " << engine.error().to_string();
  BisectOptions options;
  options.divide = [](const Line& line, Depth plies) { return divide(line.here(), plies); };
  const char* const fen = "6k1/5ppp/8/8/8/8/6PP/K3R3 w - - 0 1";
  const auto report = bisect(**engine, *parse_line(fen, "", std::nullopt), Depth(2), options);
  if (!report) return;  // a failure is no accusation
  EXPECT_TRUE(report->differences.empty()) << style << ' ' << milliseconds;
}

TEST_P(PausedEngine, IsNotAccused) { expect_no_accusation(GetParam(), 100); }
TEST_P(PausedEngine, IsNotAccusedWithLongPausesSlow) {
  for (const int milliseconds : {600, 2000}) expect_no_accusation(GetParam(), milliseconds);
}

INSTANTIATE_TEST_SUITE_P(Engines, PausedEngine,
                         ::testing::Values("stockfish", "mute", "rows", "mute-rows", "divide",
                                           "xboard", "console", "console-mute"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace manyply

// Runs each fault of the test engine on many positions. The right cause must be named, and no
// other.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "core/position.h"
#include "tests/tools/diagnose/fake_program.h"
#include "tests/tools/diagnose/hunts.h"
#include "tools/diagnose/bisect.h"
#include "tools/engine/engine.h"

namespace manyply {
namespace {

struct MatrixPosition {
  std::string fen;
  int depth = 1;
};

/// Returns positions after random moves from the start position, the same ones each time.
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

/// Returns the largest depth up to three that has at most `most` paths.
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

/// Returns the names of all causes that were found, in order; if something failed, the error
/// instead.
std::vector<std::string> causes_of(const Hunt& hunt, std::vector<MatrixPosition> positions,
                                   const std::string& style) {
  EngineWords said;
  const auto engine = Engine::open(
      {.command = std::string("'") + MANYPLY_BROKEN_ENGINE "' " + hunt.bug + ' ' + style,
       .timeout_seconds = 300},
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

/// Faults of other kinds than those of kHunts.
const std::vector<Hunt> kOtherHunts{
    {"right-lost-by-rook", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "3", "", "", "",
     "castling-right-lost"},
    {"right-of-inner-rook", "4k3/8/8/8/8/8/8/4K1RR w K - 0 1", "1", "", "", "",
     "castling-right-misread"},
    {"en-passant-bulk", "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", "2", "", "", "", "bulk-count"},
    {"bishop-jumps", "startpos", "1", "", "", "", "jumps"},
    {"queen-captures-own", "startpos", "1", "", "", "", "captures-own"},
    {"double-check-blocked", "4k3/8/8/8/1b2r3/8/8/1N2K3 w - - 0 1", "1", "", "", "",
     "double-check-ignored"},
    {"pawn-slants", "startpos", "1", "", "", "", "pawn-slants-without-capture"},
    {"double-step-from-third", "startpos", "3", "", "", "", "double-push-wrong-rank"},
    {"promotes-to-king", "8/P6k/8/8/8/8/8/K7 w - - 0 1", "1", "", "", "", "promotion-wrong"},
    {"no-blocks", "4r2k/8/8/8/8/8/8/4K1N1 w - - 0 1", "1", "", "", "", "evasion-missed"},
    {"king-never-slants", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "1", "", "", "", "king-move-missed"},
    {"knight-never-back", "4k3/8/8/8/4N3/8/8/4K3 w - - 0 1", "1", "", "", "", "move-missed"},
    {"castling-by-place", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", "1", "", "", "",
     "castling-without-right"},
    {"mover-stays", "4k3/8/8/8/8/8/8/3RK3 w - - 0 1", "2", "", "", "", "mover-stays"},
};

/// Fails if more than `wrong_allowed` faults get another cause, or if the correct generator gets
/// one.
void expect_causes(const std::vector<MatrixPosition>& positions, std::size_t wrong_allowed,
                   const std::string& style = "stockfish") {
  std::vector<Hunt> hunts = kHunts;
  hunts.insert(hunts.end(), kOtherHunts.begin(), kOtherHunts.end());
  std::vector<std::string> wrong;
  for (const Hunt& hunt : hunts) {
    const std::vector<std::string> found = causes_of(hunt, positions, style);
    if (found == std::vector<std::string>{hunt.cause}) continue;
    wrong.push_back(hunt.bug + std::string(":"));
    for (const std::string& name : found) wrong.back() += "\n    " + name;
  }
  std::string text;
  for (const std::string& one : wrong) text += one + '\n';
  EXPECT_LE(wrong.size(), wrong_allowed) << text;
  const Hunt none{"none", "startpos", "3", "", "", "", ""};
  EXPECT_THAT(causes_of(none, positions, style), testing::IsEmpty());
}

std::string name_of_style(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}

// The last two styles get each position as a FEN, so errors in making moves show only in counts.
class FaultMatrix : public ::testing::TestWithParam<const char*> {};
TEST_P(FaultMatrix, OneCauseOfEachFaultOnASample) {
  expect_causes(matrix_positions(9, 6, 1'000), 1, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Styles, FaultMatrix, ::testing::Values("stockfish", "no-moves", "xboard"),
                         name_of_style);

class FaultMatrixSlow : public ::testing::TestWithParam<const char*> {};
TEST_P(FaultMatrixSlow, OneCauseOfEachFaultOnAllPositions) {
  expect_causes(matrix_positions(1, 200, 10'000), 1, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Styles, FaultMatrixSlow,
                         ::testing::Values("stockfish", "rows", "lines", "no-moves", "xboard",
                                           "console", "lines-two"),
                         name_of_style);

/// Returns the only finding for the test engine with this bug and style.
std::string finding_of(const std::string& bug, const std::string& fen, int depth) {
  EngineWords said;
  const auto engine = Engine::open(
      {.command = std::string("'") + MANYPLY_BROKEN_ENGINE "' " + bug, .timeout_seconds = 300}, {},
      said);
  if (!engine) return engine.error().to_string();
  const auto report = bisected(**engine, fen, depth);
  if (!report) return report.error().to_string();
  if (report->differences.size() != 1 || report->differences[0].findings.size() != 1)
    return "not one finding";
  const Finding& finding = report->differences[0].findings[0];
  return std::string(name_of(finding.cause)) + ": " + finding.detail;
}

TEST(FirstCause, IsTheMoveThatBrokeThePosition) {
  EXPECT_EQ(finding_of("castling-rook-stays", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", 3),
            "castling-rook-stays: after e1c1 the rook is still on a1");
  EXPECT_EQ(finding_of("promoted-stays-pawn", "8/P6k/8/8/8/8/8/K7 w - - 0 1", 3),
            "promoted-stays-pawn: after a7a8q the promoted piece is still a pawn");
  EXPECT_EQ(finding_of("en-passant-victim-stays", "7k/8/8/8/1Pp5/8/8/K7 b - b3 0 1", 3),
            "en-passant-victim-stays: after c4b3 the captured pawn is still on b4");
}

TEST(FirstCause, OfAnEngineThatIsToldFensIsTheMoveToo) {
  EXPECT_EQ(finding_of("castling-rook-stays no-moves", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", 3),
            "castling-rook-stays: after e1c1 the rook is still on a1");
  EXPECT_EQ(finding_of("right-lost-by-rook no-moves", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", 3),
            "castling-right-lost: every count is what it would be if a rook's move ended both "
            "castling rights");
}

// At depth 2, the counts would also fit a last ply without en passant captures.
TEST(FirstCause, OneMorePlyTellsTheLastPlyFromAFaultOfAllPlies) {
  const char* const fen = "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1";
  EXPECT_THAT(finding_of("en-passant-never no-moves", fen, 2),
              testing::StartsWith("en-passant-missed: "));
  EXPECT_THAT(finding_of("en-passant-bulk no-moves", fen, 2), testing::StartsWith("bulk-count: "));
}

TEST(FirstCause, IsTheReadingOfTheFensCastlingRight) {
  const std::string read =
      "castling-right-misread: the castling right of the rook on h1 is read "
      "as a right of the rook on g1";
  for (const std::string style : {"stockfish", "no-moves"}) {
    const std::string engine = "right-of-inner-rook " + style;
    EXPECT_EQ(finding_of(engine, "4k3/8/8/8/8/8/8/4K1RR w K - 0 1", 1), read) << style;
    EXPECT_EQ(finding_of(engine, "4k3/8/8/8/8/8/7r/4K1RR b K - 0 1", 2), read) << style;
  }
  // The engine has the right of the inner rook and loses it when that rook moves.
  EXPECT_EQ(finding_of("right-of-inner-rook", "4k3/8/8/8/2b5/8/8/4K1RR w K - 0 1", 3), read);
}

TEST(FirstCause, ShowsWhereNoMoveIsLegal) {
  const char* const back_rank_mate = "6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1";
  EXPECT_EQ(finding_of("king-along-ray", back_rank_mate, 2),
            "king-along-ray: h8 is attacked by the rook on e8");
  EXPECT_THAT(finding_of("stalemate-counts", back_rank_mate, 2),
              testing::StartsWith("no-moves-counted: the right count of e1e8 "));
}

TEST(FirstCause, IsTheDrawAtWhichTheSearchStops) {
  const char* const late = "8/8/8/8/8/k7/8/K6R w - - 98 80";
  for (const std::string style : {"stockfish", "no-moves", "xboard"}) {
    EXPECT_THAT(finding_of("fifty-moves-end " + style, late, 3),
                testing::AllOf(testing::StartsWith("stops-at-draw: "),
                               testing::HasSubstr("the fifty-move rule allows a draw: 100")))
        << style;
  }
}

TEST(FirstCause, ClaimsNoAttackWithoutProof) {
  const char* const attacked = "1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1";
  EXPECT_THAT(finding_of("castling-never", attacked, 1), testing::StartsWith("castling-missed: "));
  EXPECT_THAT(finding_of("castling-long-never", attacked, 1),
              testing::StartsWith("castling-missed: "));
  EXPECT_EQ(finding_of("castling-refused-b1", attacked, 1),
            "castling-missed-rook-attacked: it is listed without the rook on b8");
}

TEST(FirstCause, IsACheckOrPinOnlyIfTheMoveIsListedWithoutIt) {
  EXPECT_EQ(finding_of("king-never-slants", "4k3/8/8/8/8/8/8/K6r w - - 0 1", 1),
            "king-move-missed: a1b2 is missing, too, without the rook on h1");
  EXPECT_THAT(finding_of("knight-never-back", "7k/8/8/8/8/4N3/8/K6r w - - 0 1", 1),
              testing::AllOf(testing::StartsWith("move-missed: "),
                             testing::HasSubstr("is missing, too, without the rook on h1")));
  EXPECT_THAT(finding_of("no-blocks", "4r2k/8/8/8/8/8/8/4K1N1 w - - 0 1", 1),
              testing::StartsWith("evasion-missed: "));
  EXPECT_THAT(finding_of("pinned-stuck", "4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1", 1),
              testing::StartsWith("pinned-missed: "));
}

// A promotion that is missing in check, and a list without moves.
TEST(FirstCause, IsTheOneThatExplainsOtherPositions) {
  EXPECT_THAT(finding_of("no-blocks", "8/8/8/8/8/K7/3p4/k6R b - - 0 1", 1),
              testing::StartsWith("evasion-missed: "));
  EXPECT_EQ(finding_of("king-never-slants", "7k/7p/8/8/8/2n5/8/K7 w - - 0 1", 1),
            "king-move-missed: a1b2 is missing, too, without the other pieces");
}

TEST(FirstCause, OfMovesOfPinnedPawnsIsTheMoreGeneralOne) {
  const char* const pinned = "2b5/1P5k/K7/8/8/8/8/8 w - - 0 1";
  EXPECT_THAT(finding_of("promotion-capture-missing", pinned, 1),
              testing::StartsWith("promotion-capture-missed: "));
}

TEST(UnreachablePositions, AreKnownByTheirChecksAndPieces) {
  const auto reason = [](const char* fen) {
    return unreachable_reason(parse_line(fen, "", std::nullopt)->here());
  };
  EXPECT_EQ(reason("4k3/8/8/b7/8/2K5/8/4b3 w - - 0 1"),
            "two pieces give check along one line, from opposite sides of the king");
  EXPECT_EQ(reason("k7/8/8/4b3/4b3/2K5/2n5/8 w - - 0 1"), "");
  EXPECT_NE(reason("k7/8/8/1n3n2/3K4/8/8/8 w - - 0 1"), "");
  EXPECT_NE(reason("k7/8/8/8/QQQQQQQQ/Q7/Q7/7K b - - 0 1"), "");
  EXPECT_EQ(reason("4k3/8/8/8/7b/8/3n4/4K2R w K - 0 1"), "");
  EXPECT_EQ(reason("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "");
}

}  // namespace
}  // namespace manyply

// legal_moves(), and every kernel with it, against the oracle: node by node along random games.

#include <gmock/gmock.h>

#include <optional>

#include "core/fen.h"
#include "core/kernel.h"
#include "core/position.h"
#include "tests/support/agreement.h"
#include "tests/support/budget.h"
#include "tests/support/random_positions.h"

namespace manyply {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Returns the legal moves, all or only those of a kind.
std::vector<std::string> moves_of(std::string_view fen, std::optional<MoveKind> kind = {}) {
  const NamedPosition named = parse_position(fen).value();
  std::vector<std::string> texts;
  for (const Move move : legal_moves(named.position)) {
    if (kind.value_or(move.kind()) == move.kind()) texts.push_back(to_uci(move, named.notation));
  }
  return texts;
}
std::vector<std::string> castling_of(std::string_view fen) {
  return moves_of(fen, MoveKind::kCastling);
}

TEST(LegalMoves, OfMatesAndStalemates) {
  EXPECT_THAT(moves_of("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"), IsEmpty());
  EXPECT_THAT(moves_of("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), IsEmpty());
}

TEST(LegalMoves, InCheckAreTheAnswersToIt) {
  EXPECT_THAT(moves_of("4k3/8/8/8/4r3/8/3P1N2/3QK2R w K - 0 1"),
              UnorderedElementsAre("f2e4", "e1f1", "d1e2"));
  EXPECT_THAT(moves_of("4r1k1/8/8/8/8/5n2/3P4/3QKB2 w - - 0 1"), ElementsAre("e1f2"));
}

TEST(LegalMoves, PromoteToFourPieces) {
  EXPECT_THAT(moves_of("k7/8/8/8/8/8/6p1/K7 b - - 0 1"),
              UnorderedElementsAre("g2g1q", "g2g1r", "g2g1b", "g2g1n", "a8a7", "a8b7", "a8b8"));
}

TEST(LegalMoves, CastleOnlyOverSafeAndEmptySquares) {
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"),
              UnorderedElementsAre("e1g1", "e1c1"));
  EXPECT_THAT(castling_of("4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1"), ElementsAre("e1c1"));  // f1
  EXPECT_THAT(castling_of("4k3/8/8/8/8/6r1/8/R3K2R w KQ - 0 1"), ElementsAre("e1c1"));  // g1
  EXPECT_THAT(castling_of("4k3/8/8/8/8/4r3/8/R3K2R w KQ - 0 1"), IsEmpty());            // in check
  EXPECT_THAT(castling_of("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1"), ElementsAre("e1c1"));    // b1 may be
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1"), IsEmpty());            // blocked
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/R3K2R w - - 0 1"), IsEmpty());               // no right
}

TEST(LegalMoves, CastleInChess960) {
  // From the corner, the rook protects the king, so castling would leave the king in check.
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/qR1K4 w B - 0 1"), IsEmpty());
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/1R1K4 w B - 0 1"), ElementsAre("d1b1"));
  // King and rook may be in each other's way. No other piece may be in the way.
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/5KR1 w G - 0 1"), ElementsAre("f1g1"));
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/4NKR1 w G - 0 1"), ElementsAre("f1g1"));
  EXPECT_THAT(castling_of("4k3/8/8/8/8/8/8/1KR2N2 w C - 0 1"), IsEmpty());
}

TEST(LegalMoves, FitTheList) {
  EXPECT_EQ(moves_of("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").size(), 218U);
  // No game can reach this many moves, but the rules allow the position.
  const std::string_view fourteen_queens = "1Q4Q1/4Q3/Q1Q4Q/Q4Q2/3Q4/1Q4Q1/pp2Q3/kBQ2K1Q w - - 0 1";
  EXPECT_EQ(moves_of(fourteen_queens).size(), 239U);
  EXPECT_EQ(oracle::legal_moves(oracle::parse(fourteen_queens)).size(), 239U);
}

struct Games {
  std::uint64_t seed;
  std::uint64_t count;
  int plies;
  int depth;
};

/// Plays random games. `start` returns the first position of each game.
template <typename Start>
void expect_agreement(const Games& games, Start start) {
  const Chooser choose = choose_by_seed(games.seed);
  for (std::uint64_t game = 0; game < games.count; ++game) {
    const std::string fen = start(choose);
    ASSERT_EQ(first_disagreement(fen, choose, games.plies, games.depth), "");
  }
}

std::string any_chess960_start(const Chooser& choose) {
  return chess960_start(static_cast<int>(choose(960)));
}

TEST(AgainstOracle, GamesFromTheStart) {
  expect_agreement({1, budget(64), 80, 2}, [](const Chooser&) { return std::string(kStartFen); });
}

TEST(AgainstOracle, GamesFromKiwipete) {
  expect_agreement({2, budget(64), 40, 2},
                   [](const Chooser&) { return std::string(kKiwipeteFen); });
}

TEST(AgainstOracle, GamesFromChess960Starts) {
  expect_agreement({3, budget(96), 60, 2}, any_chess960_start);
}

TEST(AgainstOracle, PiecesThrownOnTheBoard) {
  expect_agreement({4, budget(6'000), 2, 2}, piece_soup);
}

TEST(AgainstOracle, PiecesThrownOnTheBoardThreePlies) {
  expect_agreement({5, budget(600), 0, 3}, piece_soup);
}

TEST(AgainstOracleSlow, GamesFromTheStart) {
  expect_agreement({6, budget(400), 120, 3}, [](const Chooser&) { return std::string(kStartFen); });
}

TEST(AgainstOracleSlow, GamesFromChess960Starts) {
  expect_agreement({7, budget(400), 120, 3}, any_chess960_start);
}

TEST(AgainstOracleSlow, PiecesThrownOnTheBoard) {
  expect_agreement({8, budget(500'000), 2, 2}, piece_soup);
}

// The comparison must detect differences.
TEST(AgainstOracle, NoticesAnyDifference) {
  const auto disagree = [](std::string_view ours, std::string_view theirs) {
    return disagreement(parse_position(ours).value(), oracle::parse(theirs), 2);
  };
  const std::string_view fen = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1";
  EXPECT_EQ(disagree(fen, fen), "");
  EXPECT_NE(disagree(fen, "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 0 1"), "");
  EXPECT_NE(disagree(fen, "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQk d6 0 1"), "");
  EXPECT_NE(disagree(fen, "r3k2r/8/8/3pP3/8/8/8/R3K2R w HAha d6 0 1"), "");
  EXPECT_NE(disagree("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"), "");
}

}  // namespace
}  // namespace manyply

#include "core/position.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"
#include "tests/support/budget.h"
#include "tests/support/position_at.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;
using enum Square;

Position after(const Position& position, std::string_view move) {
  return position.after_unchecked(parse_uci(position, move, CastlingNotation::kChess960).value());
}

Setup bare_kings() {
  Setup setup;
  setup.pieces[index(kE1)] = Piece{Color::kWhite, PieceType::kKing};
  setup.pieces[index(kE8)] = Piece{Color::kBlack, PieceType::kKing};
  return setup;
}

TEST(Position, IsTheStartPositionByDefault) {
  const Position start;
  EXPECT_EQ(to_fen(start), kStartFen);
  EXPECT_EQ(start.side_to_move(), Color::kWhite);
  EXPECT_FALSE(start.in_check());
  EXPECT_EQ(start.piece_on(kE1), (Piece{Color::kWhite, PieceType::kKing}));
  EXPECT_EQ(start.piece_on(kD8), (Piece{Color::kBlack, PieceType::kQueen}));
  EXPECT_EQ(start.piece_on(kC8), (Piece{Color::kBlack, PieceType::kBishop}));
  EXPECT_EQ(start.piece_on(kE4), std::nullopt);
}

TEST(Position, ComesFromASetupThatCodeMade) {
  auto setup = bare_kings();
  EXPECT_EQ(to_fen(*Position::from_setup(setup)), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
  setup.pieces[index(kH8)] = Piece{Color::kBlack, PieceType::kRook};
  setup.castling_rooks = bit(kH8);
  setup.side_to_move = Color::kBlack;
  EXPECT_EQ(to_fen(*Position::from_setup(setup)), "4k2r/8/8/8/8/8/8/4K3 b k - 0 1");
}

TEST(Position, RefusesARightAwayFromTheBackRank) {
  auto setup = bare_kings();
  setup.pieces[index(kH4)] = Piece{Color::kWhite, PieceType::kRook};
  setup.castling_rooks = bit(kH4);
  const auto position = Position::from_setup(setup);
  EXPECT_EQ(position.error().code, ErrorCode::kIllegal);
  EXPECT_EQ(position.error().to_string(),
            "castling: a rook that can castle must be on its back rank, not on h4");
}

TEST(Position, RefusesEveryCapturableKing) {
  for (const char* fen : {"4k3/3P4/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/3N4/8/8/8/8/4K3 w - - 0 1",
                          "4k3/8/8/8/B7/8/8/4K3 w - - 0 1", "R3k3/8/8/8/8/8/8/4K3 w - - 0 1",
                          "4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1", "4k3/4K3/8/8/8/8/8/8 w - - 0 1",
                          "4k3/8/8/8/8/8/3p4/4K3 b - - 0 1", "4k3/8/8/8/8/3n4/8/4K3 b - - 0 1"}) {
    const auto position = parse_position(fen);
    ASSERT_FALSE(position.ok()) << fen;
    EXPECT_THAT(position.error().message, HasSubstr("is in check, but")) << fen;
  }
}

TEST(Position, AcceptsWhatNoGameReachesButRulesCanPlay) {
  for (const char* fen : {
           "4k3/8/8/8/8/5n2/3p4/4K3 w - - 0 1",             // check by pawn and knight
           "4r3/8/8/8/1b5q/8/8/k3K2r w - - 0 1",            // check from four sides
           "k7/8/8/8/8/8/4p3/3bKb2 w - - 0 1",              // no move gave this check
           "QQQQQQQk/QQQQQQQQ/8/8/8/8/8/K7 b - - 0 1",      // fifteen queens
           "4k3/8/8/pppppppp/PPPPPPPP/8/8/4K3 w - a6 0 1",  // pawns that never met
           "4k3/8/8/8/8/8/8/BBBBK3 w - - 0 1",              // bishops of any colour
           "8/8/8/8/8/8/8/K1k5 w - - 0 1",                  // bare kings
       }) {
    EXPECT_TRUE(parse_position(fen).ok()) << fen;
  }
}

TEST(Position, SeesCheck) {
  EXPECT_TRUE(position_at("4k3/8/8/8/8/8/8/4K2r w - - 0 1").in_check());
  EXPECT_FALSE(position_at("4k3/8/8/8/8/8/8/4KN1r w - - 0 1").in_check());
  EXPECT_TRUE(position_at("4k3/8/8/8/8/8/8/4R1K1 b - - 0 1").in_check());
  EXPECT_FALSE(position_at("4k3/8/8/8/8/8/4p3/4K3 w - - 0 1").in_check());
  EXPECT_TRUE(position_at("4k3/8/8/8/8/8/4p3/3K4 w - - 0 1").in_check());
}

TEST(Position, LosesCastlingRightsAsTheRulesSay) {
  const auto rights_after = [](std::string_view fen, std::string_view move) {
    return after(position_at(fen), move).board().castling;
  };
  const std::string_view all = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
  EXPECT_EQ(rights_after(all, "e1e2"), bit(kA8) | bit(kH8));
  EXPECT_EQ(rights_after(all, "e1h1"), bit(kA8) | bit(kH8));
  EXPECT_EQ(rights_after(all, "a1b1"), bit(kH1) | bit(kA8) | bit(kH8));
  EXPECT_EQ(rights_after(all, "a1a8"), bit(kH1) | bit(kH8));  // both rooks of the a-file
  EXPECT_EQ(rights_after("r3k2r/6P1/8/8/8/8/8/R3K2R w KQkq - 0 1", "g7h8q"),
            bit(kA1) | bit(kH1) | bit(kA8));
  EXPECT_EQ(rights_after("r3k2r/8/8/8/8/6n1/8/R3K2R b KQkq - 0 1", "g3h1"),
            bit(kA1) | bit(kA8) | bit(kH8));
  // A rook that comes to the corner later gives no castling right.
  EXPECT_EQ(rights_after("4k3/8/8/8/8/8/7R/4K3 w - - 0 1", "h2h1"), 0U);
}

TEST(Position, IdentityForgetsTheWay) {
  const Position start;
  const auto play = [&](std::initializer_list<std::string_view> moves) {
    Position position = start;
    for (const std::string_view move : moves) position = after(position, move);
    return position;
  };
  EXPECT_EQ(play({"g1f3", "g8f6", "f3g1", "f6g8"}), start);
  EXPECT_NE(play({"e2e3", "e7e5", "e3e4"}), play({"e2e4", "e7e5"}));  // the other side to move
  // No pawn can capture on e3, so the double step sets no en passant square.
  EXPECT_EQ(play({"e2e4", "e7e5", "g1f3"}), play({"g1f3", "e7e5", "e2e4"}));
  EXPECT_EQ(play({"e2e4"}).board().en_passant, 0U);
  EXPECT_EQ(play({"e2e4", "a7a6", "e4e5", "d7d5"}).board().en_passant, bit(kD6));
  // A king that has moved and returned has lost its rights, so the position differs.
  EXPECT_NE(play({"e2e4", "e7e5", "e1e2", "e8e7", "e2e1", "e7e8"}), play({"e2e4", "e7e5"}));
}

/// Returns the number of distinct positions after `plies` plies. It equals the published number
/// only if identity is right. Works in `parts` parts to need less memory.
std::vector<Position> distinct_children(const std::vector<Position>& parents, std::uint64_t part,
                                        std::uint64_t parts) {
  std::vector<Position> children;
  for (const Position& parent : parents) {
    for (const Move move : legal_moves(parent)) {
      const Position child = parent.after_unchecked(move);
      const std::uint64_t hash =
          child.board().occupied() * 0x9E3779B97F4A7C15 ^ child.board().of(Color::kWhite).all();
      if ((hash >> 40) % parts == part) children.push_back(child);
    }
  }
  std::ranges::sort(children);
  const auto repeated = std::ranges::unique(children);
  children.erase(repeated.begin(), repeated.end());
  return children;
}

std::vector<Position> expect_distinct_positions(const std::vector<std::size_t>& by_ply) {
  std::vector<Position> positions{Position()};
  for (const std::size_t expected : by_ply) {
    positions = distinct_children(positions, 0, 1);
    EXPECT_EQ(positions.size(), expected);
  }
  return positions;
}

TEST(Position, DistinctPositionsByPlyAreThePublishedOnes) {
  std::vector<std::size_t> by_ply{20, 400, 5362, 72078};
  if (kIsFastBuild) by_ply.push_back(822518);
  expect_distinct_positions(by_ply);
}

TEST(PositionSlow, DistinctPositionsAtPlySixAreThePublishedOnes) {
  const auto positions = expect_distinct_positions({20, 400, 5362, 72078, 822518});
  constexpr std::uint64_t kParts = 16;
  std::size_t distinct = 0;
  for (std::uint64_t part = 0; part < kParts; ++part)
    distinct += distinct_children(positions, part, kParts).size();
  EXPECT_EQ(distinct, 9417681U);
}

}  // namespace
}  // namespace manyply

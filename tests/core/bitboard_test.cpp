#include "core/bitboard.h"

#include <gtest/gtest.h>

#include "core/board.h"

namespace manyply {
namespace {

TEST(Bitboard, PopsSquaresInOrder) {
  Bitboard set = bit(Square::kH8) | bit(Square::kA1) | bit(Square::kE4);
  EXPECT_TRUE(several(set));
  EXPECT_EQ(popcount(set), 3);
  EXPECT_EQ(square_at(pop_lowest(set)), Square::kA1);
  EXPECT_EQ(square_at(pop_lowest(set)), Square::kE4);
  EXPECT_FALSE(several(set));
  EXPECT_EQ(square_at(pop_lowest(set)), Square::kH8);
  EXPECT_EQ(set, 0U);
}

TEST(Bitboard, RanksAreSeenFromEitherSide) {
  EXPECT_EQ(relative_rank<Color::kWhite>(0), kRank1);
  EXPECT_EQ(relative_rank<Color::kBlack>(0), kRank8);
  EXPECT_EQ(relative_rank<Color::kBlack>(6), rank_mask(1));
  EXPECT_EQ(back_rank(Color::kBlack), kRank8);
}

// Compares every square with its coordinates: pawns must not move around the edge of the board.
template <Color Us>
void expect_pawn_steps() {
  constexpr int kUp = Us == Color::kWhite ? 1 : -1;
  for (int file = 0; file < 8; ++file) {
    for (int rank = 0; rank < 8; ++rank) {
      const auto step = [&](int sideways) -> Bitboard {
        const int f = file + sideways;
        const int r = rank + kUp;
        return f >= 0 && f < 8 && r >= 0 && r < 8 ? bit(square_at(f, r)) : 0;
      };
      const Bitboard pawn = bit(square_at(file, rank));
      EXPECT_EQ(forward<Us>(pawn), step(0));
      EXPECT_EQ(forward_west<Us>(pawn), step(-1));
      EXPECT_EQ(forward_east<Us>(pawn), step(1));
      EXPECT_EQ(pawn_attacks<Us>(pawn), step(-1) | step(1));
    }
  }
}

TEST(Bitboard, PawnStepsStayOnTheBoard) {
  expect_pawn_steps<Color::kWhite>();
  expect_pawn_steps<Color::kBlack>();
}

TEST(Board, IsTheSameOnlyWhenEverythingIs) {
  Board a;
  a.of(Color::kWhite).king = bit(Square::kE1);
  a.of(Color::kBlack).king = bit(Square::kE8);
  EXPECT_EQ(a.occupied(), bit(Square::kE1) | bit(Square::kE8));
  const auto differs_from_a = [&](auto change) {
    Board b = a;
    change(b);
    return b != a;
  };
  EXPECT_FALSE(differs_from_a([](Board&) {}));
  EXPECT_TRUE(differs_from_a([](Board& b) { b.castling = bit(Square::kH1); }));
  EXPECT_TRUE(differs_from_a([](Board& b) { b.en_passant = bit(Square::kE3); }));
  EXPECT_TRUE(differs_from_a([](Board& b) { b.side_to_move = Color::kBlack; }));
  EXPECT_TRUE(differs_from_a([](Board& b) { b.pieces[1].pawns = bit(Square::kE7); }));
}

}  // namespace
}  // namespace manyply

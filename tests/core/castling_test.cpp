#include "core/castling.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace manyply {
namespace {

Bitboard squares(std::initializer_list<Square> list) {
  Bitboard set = 0;
  for (const Square square : list) set |= bit(square);
  return set;
}

TEST(CastlingPath, OfStandardChess) {
  using enum Square;
  const CastlingPath king_side = castling_path<Color::kWhite>(index(kE1), index(kH1));
  EXPECT_EQ(king_side.empty, squares({kF1, kG1}));
  EXPECT_EQ(king_side.safe, squares({kF1, kG1}));
  EXPECT_EQ(square_at(king_side.king_to), kG1);
  EXPECT_EQ(square_at(king_side.rook_to), kF1);

  const CastlingPath queen_side = castling_path<Color::kBlack>(index(kE8), index(kA8));
  EXPECT_EQ(queen_side.empty, squares({kB8, kC8, kD8}));
  EXPECT_EQ(queen_side.safe, squares({kC8, kD8}));  // b8 may be attacked
  EXPECT_EQ(square_at(queen_side.king_to), kC8);
  EXPECT_EQ(square_at(queen_side.rook_to), kD8);
}

// The rules in other words: all squares between the start and the target of the king, and of the
// rook.
TEST(CastlingPath, FollowsTheRulesForEveryPlacement) {
  for (int king = 0; king < 8; ++king) {
    for (int rook = 0; rook < 8; ++rook) {
      if (king == rook) continue;
      const int king_to = rook > king ? 6 : 2;
      const int rook_to = rook > king ? 5 : 3;
      Bitboard empty = 0;
      Bitboard safe = bit(king_to);
      for (int file = 0; file < 8; ++file) {
        const auto within = [&](int from, int to) {
          return file >= std::min(from, to) && file <= std::max(from, to);
        };
        if ((within(king, king_to) || within(rook, rook_to)) && file != king && file != rook)
          empty |= bit(file);
        if (within(king, king_to) && file != king) safe |= bit(file);
      }
      const CastlingPath white = castling_path<Color::kWhite>(king, rook);
      EXPECT_EQ(white.empty, empty) << king << ' ' << rook;
      EXPECT_EQ(white.safe, safe) << king << ' ' << rook;
      EXPECT_EQ(white.king_to, king_to);
      EXPECT_EQ(white.rook_to, rook_to);
      const CastlingPath black = castling_path<Color::kBlack>(king + 56, rook + 56);
      EXPECT_EQ(black.empty, empty << 56);
      EXPECT_EQ(black.safe, safe << 56);
      EXPECT_EQ(black.king_to, king_to + 56);
      EXPECT_EQ(black.rook_to, rook_to + 56);
    }
  }
}

}  // namespace
}  // namespace manyply

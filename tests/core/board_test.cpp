// Tests squares, depths, bitboards, lines between squares, and paths of castling.
#include "core/board.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/bitboard.h"
#include "core/geometry.h"
#include "core/types.h"

namespace manyply {
namespace {

using testing::HasSubstr;

TEST(Square, NamesAndCoordinatesAgree) {
  EXPECT_EQ(to_string(Square::kA1), "a1");
  EXPECT_EQ(to_string(Square::kH1), "h1");
  EXPECT_EQ(to_string(Square::kE4), "e4");
  EXPECT_EQ(to_string(Square::kH8), "h8");
  for (int i = 0; i < kSquares; ++i) {
    const Square square = square_at(i);
    EXPECT_EQ(index(square), i);
    EXPECT_EQ(square_at(file_of(square), rank_of(square)), square);
  }
}

TEST(Color, HasAnOpposite) {
  EXPECT_EQ(~Color::kWhite, Color::kBlack);
  EXPECT_EQ(~Color::kBlack, Color::kWhite);
}

TEST(Depth, ReadsDigits) {
  for (const auto& [text, plies] :
       {std::pair{"0", 0}, {"1", 1}, {"7", 7}, {"64", 64}, {"007", 7}}) {
    const auto depth = Depth::parse(text);
    ASSERT_TRUE(depth.ok()) << text;
    EXPECT_EQ(depth->plies(), plies);
  }
}

TEST(Depth, RefusesEverythingElse) {
  for (const char* text : {"", " ", "-1", "+1", " 1", "1 ", "seven", "7.0", "0x7", "1e1", "٧"}) {
    const auto depth = Depth::parse(text);
    ASSERT_FALSE(depth.ok()) << text;
    EXPECT_EQ(depth.error().field, "depth");
    EXPECT_THAT(depth.error().message, HasSubstr("is not a whole number from 0 to 64")) << text;
  }
  for (const char* text : {"65", "100", "4294967296", "99999999999999999999999999"}) {
    const auto depth = Depth::parse(text);
    ASSERT_FALSE(depth.ok()) << text;
    EXPECT_EQ(depth.error().to_string(),
              "depth: '" + std::string(text) + "' is above the maximum depth of 64");
  }
}

TEST(Depth, IsCheckedWhenMadeByCode) {
  EXPECT_EQ(Depth().plies(), 0);
  EXPECT_EQ(Depth(Depth::kMax).plies(), 64);
  EXPECT_THROW(Depth(65), BugError);
  EXPECT_THROW(Depth(-1), BugError);
  EXPECT_LT(Depth(3), Depth(4));
}

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

int file_distance(int a, int b) { return std::abs((a & 7) - (b & 7)); }
int rank_distance(int a, int b) { return std::abs((a >> 3) - (b >> 3)); }

TEST(Geometry, LeapersReachByDistance) {
  for (std::size_t from = 0; from < 64; ++from) {
    for (int to = 0; to < 64; ++to) {
      const int files = file_distance(static_cast<int>(from), to);
      const int ranks = rank_distance(static_cast<int>(from), to);
      EXPECT_EQ((kKnightAttacks[from] & bit(to)) != 0, files * ranks == 2);
      EXPECT_EQ((kKingAttacks[from] & bit(to)) != 0, std::max(files, ranks) == 1);
    }
  }
}

TEST(Geometry, BetweenHoldsWhatSeparatesTwoSquares) {
  for (std::size_t a = 0; a < 64; ++a) {
    for (std::size_t b = 0; b < 64; ++b) {
      const int from = static_cast<int>(a);
      const int to = static_cast<int>(b);
      const int files = file_distance(from, to);
      const int ranks = rank_distance(from, to);
      const bool aligned = a != b && (files == 0 || ranks == 0 || files == ranks);
      EXPECT_EQ(popcount(kBetween[a][b]), aligned ? std::max(files, ranks) - 1 : 0);
      EXPECT_EQ(kBetween[a][b], kBetween[b][a]);
      // A slider on `from` sees the whole line. If a square between the ends is occupied, the
      // slider does not see the other end.
      if (!aligned) continue;
      const auto seen = [&](Bitboard occupied) {
        return files == 0 || ranks == 0 ? rook_attacks_by_walking(from, occupied)
                                        : bishop_attacks_by_walking(from, occupied);
      };
      EXPECT_EQ(seen(0) & kBetween[a][b], kBetween[a][b]);
      for (Bitboard rest = kBetween[a][b]; rest != 0;)
        EXPECT_EQ(seen(bit(pop_lowest(rest))) & bit(to), 0U);
    }
  }
}

TEST(Geometry, RaysStopAtTheFirstPiece) {
  const Bitboard pieces = bit(Square::kD6) | bit(Square::kD7) | bit(Square::kB4);
  EXPECT_EQ(rook_attacks_by_walking(index(Square::kD4), pieces),
            bit(Square::kD5) | bit(Square::kD6) | bit(Square::kC4) | bit(Square::kB4) |
                bit(Square::kD3) | bit(Square::kD2) | bit(Square::kD1) | bit(Square::kE4) |
                bit(Square::kF4) | bit(Square::kG4) | bit(Square::kH4));
  EXPECT_EQ(bishop_attacks_by_walking(index(Square::kA1), bit(Square::kC3)),
            bit(Square::kB2) | bit(Square::kC3));
}

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

// Finds the path in another way: all squares between start and target of the king, and between
// start and target of the rook.
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

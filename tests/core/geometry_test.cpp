#include "core/geometry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace manyply {
namespace {

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
      // A slider on one square sees the whole line. If a square between is occupied, it does not
      // see the other end.
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

}  // namespace
}  // namespace manyply

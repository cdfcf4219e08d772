// Bitboards: sets of squares in one word, bit = Square index.
#pragma once

#include <bit>
#include <cstdint>

#include "core/types.h"

namespace manyply {

using Bitboard = std::uint64_t;

inline constexpr Bitboard kFileA = 0x0101010101010101;
inline constexpr Bitboard kFileH = kFileA << 7;
inline constexpr Bitboard kRank1 = 0xFF;
inline constexpr Bitboard kRank8 = kRank1 << 56;

constexpr Bitboard bit(int square) { return Bitboard{1} << square; }
constexpr Bitboard bit(Square square) { return bit(index(square)); }
constexpr Bitboard rank_mask(int rank) { return kRank1 << (8 * rank); }
constexpr Bitboard file_mask(int file) { return kFileA << file; }

/// Rank `rank` (0 to 7) as seen by `color`: relative rank 0 is its back rank.
template <Color Us>
constexpr Bitboard relative_rank(int rank) {
  return rank_mask(Us == Color::kWhite ? rank : 7 - rank);
}
constexpr Bitboard back_rank(Color color) { return color == Color::kWhite ? kRank1 : kRank8; }

constexpr int popcount(Bitboard set) { return std::popcount(set); }
constexpr bool several(Bitboard set) { return (set & (set - 1)) != 0; }

/// Index of the lowest square. Precondition: set != 0.
constexpr int lowest(Bitboard set) { return std::countr_zero(set); }

/// Removes and returns the lowest square. Precondition: set != 0.
constexpr int pop_lowest(Bitboard& set) {
  const int square = lowest(set);
  set &= set - 1;
  return square;
}

/// One step towards the opponent's back rank.
template <Color Us>
constexpr Bitboard forward(Bitboard set) {
  return Us == Color::kWhite ? set << 8 : set >> 8;
}
/// One diagonal step forward, towards the a-file (West) or the h-file (East).
template <Color Us>
constexpr Bitboard forward_west(Bitboard set) {
  return Us == Color::kWhite ? (set & ~kFileA) << 7 : (set & ~kFileA) >> 9;
}
template <Color Us>
constexpr Bitboard forward_east(Bitboard set) {
  return Us == Color::kWhite ? (set & ~kFileH) << 9 : (set & ~kFileH) >> 7;
}
/// Every square attacked by pawns of `Us` standing on `pawns`.
template <Color Us>
constexpr Bitboard pawn_attacks(Bitboard pawns) {
  return forward_west<Us>(pawns) | forward_east<Us>(pawns);
}

}  // namespace manyply

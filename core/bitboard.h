// Bitboards. A bitboard is a set of squares in one 64-bit word. Bit i is the square with index i
// (core/types.h).
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

/// Returns the squares of a rank. `rank` (0 to 7) is counted from the back rank of `Us`, which is
/// rank 0.
template <Color Us>
constexpr Bitboard relative_rank(int rank) {
  return rank_mask(Us == Color::kWhite ? rank : 7 - rank);
}
constexpr Bitboard back_rank(Color color) { return color == Color::kWhite ? kRank1 : kRank8; }

constexpr int popcount(Bitboard set) { return std::popcount(set); }
/// Returns whether the set has two or more squares.
constexpr bool several(Bitboard set) { return (set & (set - 1)) != 0; }

/// Returns the index of the lowest square. Precondition: set != 0.
constexpr int lowest(Bitboard set) { return std::countr_zero(set); }

/// Removes and returns the lowest square. Precondition: set != 0.
constexpr int pop_lowest(Bitboard& set) {
  const int square = lowest(set);
  set &= set - 1;
  return square;
}

/// Moves every square one step towards the opponent's back rank. Squares beyond the edge disappear.
template <Color Us>
constexpr Bitboard forward(Bitboard set) {
  return Us == Color::kWhite ? set << 8 : set >> 8;
}
/// These functions move every square one step diagonally forward, towards the a-file (west) or the
/// h-file (east).
template <Color Us>
constexpr Bitboard forward_west(Bitboard set) {
  return Us == Color::kWhite ? (set & ~kFileA) << 7 : (set & ~kFileA) >> 9;
}
template <Color Us>
constexpr Bitboard forward_east(Bitboard set) {
  return Us == Color::kWhite ? (set & ~kFileH) << 9 : (set & ~kFileH) >> 7;
}
/// Returns the squares that `pawns` attack. The pawns belong to `Us`.
template <Color Us>
constexpr Bitboard pawn_attacks(Bitboard pawns) {
  return forward_west<Us>(pawns) | forward_east<Us>(pawns);
}

}  // namespace manyply

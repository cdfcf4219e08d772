// Plain data that the two-ply kernel and its instruction sets' code share (core/two_ply.inc).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/bitboard.h"

namespace manyply {

/// Squares at which a move must start or end to matter to the replier; the first five, in the order
/// of Men, by the kind of man that moves: its child must be counted in full. kTouchZone, for all
/// men: the child's mobility must be counted.
enum Zone : std::uint8_t {
  kPawnZone,
  kKnightZone,
  kDiagonalZone,
  kOrthogonalZone,
  kKingZone,
  kTouchZone,
  kZones
};
using ZoneRow = std::array<Bitboard, 8>;  ///< of one parent, by Zone; padded to 64 bytes

/// Ordinary moves of one position at most: 16 men of at most 27 moves each.
inline constexpr std::size_t kMostMoves = 16 * 27;

/// Bytes that a block write may touch behind the last move of a list.
inline constexpr std::size_t kMoveSlack = 64;

/// Ordinary moves waiting to be counted, in three parallel lists; castling, promotion and en
/// passant are not ordinary. `kParents` positions fit.
template <std::size_t kParents>
struct MovePool {
  std::size_t size = 0;
  std::array<std::uint8_t, kParents * kMostMoves + 2 * kMoveSlack> from;
  std::array<std::uint8_t, kParents * kMostMoves + 2 * kMoveSlack> to;
  std::array<std::uint8_t, kParents * kMostMoves + 2 * kMoveSlack> parent;
};

}  // namespace manyply

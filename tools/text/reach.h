// Computes the squares that a piece reaches.
#pragma once

#include "core/geometry.h"
#include "core/position.h"

namespace manyply {

/// Returns the squares that a piece on `from` can move to or capture on, including occupied ones.
/// Sliding pieces stop at the first occupied square. Returns 0 for a pawn, because its moves and
/// captures differ.
[[nodiscard]] inline Bitboard reach(PieceType type, Square from, Bitboard occupied) {
  const int square = index(from);
  const Bitboard diagonal = bishop_attacks_by_walking(square, occupied);
  const Bitboard orthogonal = rook_attacks_by_walking(square, occupied);
  switch (type) {
    case PieceType::kKnight:
      return kKnightAttacks[static_cast<std::size_t>(square)];
    case PieceType::kBishop:
      return diagonal;
    case PieceType::kRook:
      return orthogonal;
    case PieceType::kQueen:
      return diagonal | orthogonal;
    case PieceType::kKing:
      return kKingAttacks[static_cast<std::size_t>(square)];
    default:
      return 0;
  }
}

}  // namespace manyply

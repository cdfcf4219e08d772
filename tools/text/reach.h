// How pieces move.
#pragma once

#include "core/geometry.h"
#include "core/position.h"

namespace manyply {

/// Squares that a piece reaches by its way of moving, whatever stands on the last of them: none for
/// a pawn, which moves in other ways than it captures.
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

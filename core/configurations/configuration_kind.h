// Classifies configurations by their material and by the files of their pawns.
#pragma once

#include <cstdint>

#include "core/configurations/configuration.h"

namespace manyply {

/// The number of pawns on each file, and the numbers of knights, bishops, rooks and queens.
/// Configurations of the same kind are paired with mostly the same configurations of the other
/// side. Only a pawn's capture, a promotion, or the loss of a piece changes the kind.
using ConfigurationKind = std::uint64_t;

/// Returns the kind of `configuration`.
constexpr ConfigurationKind kind_of(const Configuration& configuration) {
  const Pieces& pieces = configuration.pieces;
  ConfigurationKind kind = 0;
  for (int file = 0; file < 8; ++file)
    kind = kind << 3 | static_cast<std::uint64_t>(popcount(pieces.pawns & file_mask(file)));
  for (const Bitboard set :
       {pieces.knights, pieces.bishops_queens & ~pieces.rooks_queens,
        pieces.rooks_queens & ~pieces.bishops_queens, pieces.bishops_queens & pieces.rooks_queens})
    kind = kind << 4 | static_cast<std::uint64_t>(popcount(set));
  return kind;
}

}  // namespace manyply

// Configurations by what pieces there are, wherever they stand.
#pragma once

#include <cstdint>

#include "core/configurations/configuration.h"

namespace manyply {

/// How many pawns there are on each file, and how many pieces of each other kind: what only
/// captures and promotions change. Configurations of one kind meet the same ones of the other side,
/// more or less; a move of a side's own leads to the same kind unless a pawn captures or promotes.
using ConfigurationKind = std::uint64_t;

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

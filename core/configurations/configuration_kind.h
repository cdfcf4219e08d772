// Configurations by what men there are, wherever they stand.
#pragma once

#include <cstdint>

#include "core/configurations/configuration.h"

namespace manyply {

/// How many pawns there are on each file, and how many men of each other kind: what only captures
/// and promotions change. Configurations of one kind meet the same ones of the other side, more or
/// less; a move of a side's own leads to the same kind unless a pawn captures or promotes.
using ConfigurationKind = std::uint64_t;

constexpr ConfigurationKind kind_of(const Configuration& configuration) {
  const Men& men = configuration.men;
  ConfigurationKind kind = 0;
  for (int file = 0; file < 8; ++file)
    kind = kind << 3 | static_cast<std::uint64_t>(popcount(men.pawns & file_mask(file)));
  for (const Bitboard set : {men.knights, men.diagonal & ~men.orthogonal,
                             men.orthogonal & ~men.diagonal, men.diagonal & men.orthogonal})
    kind = kind << 4 | static_cast<std::uint64_t>(popcount(set));
  return kind;
}

}  // namespace manyply

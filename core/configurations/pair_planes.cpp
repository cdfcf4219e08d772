#include "core/configurations/pair_planes.h"

#include <algorithm>
#include <array>

namespace manyply {

PairPlanes::PairPlanes(const ConfigurationSet& columns, Color side)
    : columns_(columns),
      side_(side),
      words_(blocks_of(columns.size()) * kKinds * 64 * kBlockWords) {}

void PairPlanes::fill(std::size_t block) {
  for (std::size_t word = 0; word < kBlockWords; ++word) {
    const std::size_t first = block * kPairBlock + word * 64;
    if (first >= columns_.size()) return;
    const std::size_t count = std::min<std::size_t>(64, columns_.size() - first);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      std::uint64_t sets[64] = {};
      for (std::size_t i = 0; i < count; ++i) {
        const Pieces& pieces = columns_[first + i].pieces;
        sets[i] = std::array{pieces.all(), pieces.pawns, pieces.bishops_queens, pieces.rooks_queens,
                             stepping_attacks(pieces, side_)}[kind];
      }
      turn_over(sets);
      for (std::size_t square = 0; square < 64; ++square)
        words_[place(block, kind, square) + word] = sets[square];
    }
  }
}

}  // namespace manyply

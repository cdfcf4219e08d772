#include "parallel/matrix/unique_parts.h"

namespace manyply {

std::uint64_t hash_of(std::span<const Bitboard> sets, std::uint64_t seed) {
  std::uint64_t hash = seed;
  for (const Bitboard set : sets) {
    hash = (hash ^ set) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  return hash ^ hash >> 32;
}

UniqueParts::UniqueParts(const Configuration& root, std::uint32_t parts)
    : parts_(parts),
      first_half_(size_of(halves_of(root.pieces)[0])),
      second_half_(size_of(halves_of(root.pieces)[1])) {}

std::array<UniqueParts::Half, 2> UniqueParts::halves_of(const Pieces& pieces) {
  constexpr Bitboard kQueenSide = 0x0F0F0F0F0F0F0F0F;
  return {{{pieces.pawns & kQueenSide, pieces.knights, pieces.king, 0},
           {pieces.pawns & ~kQueenSide, pieces.bishops_queens, pieces.rooks_queens, 0}}};
}

int UniqueParts::size_of(const Half& half) {
  int size = 0;
  for (const Bitboard set : half) size += popcount(set);
  return size;
}

std::uint32_t UniqueParts::part_of(const Configuration& configuration) const {
  if (parts_ == 1) return 0;
  const auto halves = halves_of(configuration.pieces);
  const bool by_second = size_of(halves[0]) < first_half_ && size_of(halves[1]) >= second_half_;
  const std::size_t half = by_second ? 1 : 0;
  return static_cast<std::uint32_t>(hash_of(halves[half], half) % parts_);
}

bool UniqueParts::needs(std::uint32_t part, const Configuration& configuration) const {
  if (part_of(configuration) == part) return true;
  const Pieces& pieces = configuration.pieces;
  for (Bitboard left = pieces.all() & ~pieces.king; left != 0;) {
    if (part_of(without(configuration, pop_lowest(left))) == part) return true;
  }
  return false;
}

}  // namespace manyply

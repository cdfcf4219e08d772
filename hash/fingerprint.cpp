// Computes hashes with xxHash. No other file includes xxHash.
#include "hash/fingerprint.h"

#include <xxhash.h>

#include <array>
#include <bit>

namespace manyply {

Hash128 xxh3_128(std::span<const std::byte> bytes, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

std::uint64_t xxh3_64(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Hash128 fingerprint(const Board& board) {
  static_assert(std::endian::native == std::endian::little,
                "on a big-endian machine, convert the words to little-endian order first");
  const Pieces& white = board.of(Color::kWhite);
  const Pieces& black = board.of(Color::kBlack);
  const std::array<std::uint64_t, 13> packed{white.pawns,
                                             white.knights,
                                             white.bishops_queens,
                                             white.rooks_queens,
                                             white.king,
                                             black.pawns,
                                             black.knights,
                                             black.bishops_queens,
                                             black.rooks_queens,
                                             black.king,
                                             board.castling,
                                             board.en_passant,
                                             static_cast<std::uint64_t>(board.side_to_move)};
  return xxh3_128(std::as_bytes(std::span(packed)));
}

}  // namespace manyply

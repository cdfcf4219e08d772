// Computes XXH3, the general-purpose hash function of this project, and fingerprints of positions.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/board.h"

namespace manyply {

/// A 128-bit hash.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend constexpr auto operator<=>(const Hash128&, const Hash128&) = default;
};

/// These functions return XXH3-128 and XXH3-64 of `bytes` with a seed. Any thread may call them.
[[nodiscard]] Hash128 xxh3_128(std::span<const std::byte> bytes, std::uint64_t seed = 0);
[[nodiscard]] std::uint64_t xxh3_64(std::span<const std::byte> bytes, std::uint64_t seed = 0);

/// Returns a hash of the whole board. It is XXH3-128 of the board's 64-bit words, each in
/// little-endian byte order. It is independent of Zobrist keys. Equal boards have equal
/// fingerprints on every machine.
[[nodiscard]] Hash128 fingerprint(const Board& board);

}  // namespace manyply

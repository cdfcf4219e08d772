// XXH3: the project's one general-purpose hash, and fingerprints of positions.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/board.h"

namespace manyply {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend constexpr auto operator<=>(const Hash128&, const Hash128&) = default;
};

/// XXH3-128 and XXH3-64 of some bytes, seeded. Any thread.
[[nodiscard]] Hash128 xxh3_128(std::span<const std::byte> bytes, std::uint64_t seed = 0);
[[nodiscard]] std::uint64_t xxh3_64(std::span<const std::byte> bytes, std::uint64_t seed = 0);

/// Identity of a position, independent of Zobrist keys: XXH3-128 of the canonical board, packed
/// into 64-bit words in little-endian order. Equal boards have equal fingerprints on every machine.
[[nodiscard]] Hash128 fingerprint(const Board& board);

}  // namespace manyply

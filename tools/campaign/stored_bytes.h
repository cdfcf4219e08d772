// Numbers as campaigns store them: bytes, low ones first, whatever the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/node_count.h"
#include "hash/fingerprint.h"

namespace manyply {

inline constexpr std::size_t kStoredCountBytes = 16;

[[nodiscard]] std::vector<std::byte> stored_bytes(std::uint64_t word);
[[nodiscard]] std::vector<std::byte> stored_bytes(const Hash128& hash);
[[nodiscard]] std::vector<std::byte> stored_bytes(std::span<const NodeCount> counts);

/// Precondition: 8 bytes.
[[nodiscard]] std::uint64_t stored_word(std::span<const std::byte> bytes);
/// Precondition: 16 bytes.
[[nodiscard]] Hash128 stored_hash(std::span<const std::byte> bytes);
/// Count `place` of those stored. Precondition: there are so many.
[[nodiscard]] NodeCount stored_count(std::span<const std::byte> bytes, std::size_t place = 0);

/// Of a batch's counts, as they are stored; it depends on the campaign's identity, the range and
/// the batch, so that counts which stand in another place are not taken for its own.
[[nodiscard]] Hash128 batch_digest(const Hash128& campaign, std::int64_t range, std::uint32_t batch,
                                   std::span<const std::byte> counts);

}  // namespace manyply

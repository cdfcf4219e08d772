// Numbers as campaigns store them: bytes, low ones first, whatever the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/node_count.h"
#include "hash/fingerprint.h"

namespace manyply {

[[nodiscard]] std::vector<std::byte> stored_bytes(std::uint64_t word);
[[nodiscard]] std::vector<std::byte> stored_bytes(const Hash128& hash);
/// As many bytes for each as the largest of them needs, at least one.
[[nodiscard]] std::vector<std::byte> stored_bytes(std::span<const NodeCount> counts);

/// Precondition: 8 bytes.
[[nodiscard]] std::uint64_t stored_word(std::span<const std::byte> bytes);
/// Precondition: 16 bytes.
[[nodiscard]] Hash128 stored_hash(std::span<const std::byte> bytes);

/// So many counts as they were stored; whose bytes must outlive it.
class StoredCounts {
 public:
  StoredCounts(std::span<const std::byte> bytes, std::size_t counts);

  /// Whether the bytes are so many counts.
  [[nodiscard]] bool fit() const { return width_ > 0; }
  /// Precondition: they are, and there is one at `place`.
  [[nodiscard]] NodeCount operator[](std::size_t place) const;

 private:
  std::span<const std::byte> bytes_;
  std::size_t width_ = 0;  // bytes of each
};

/// Of a batch's counts, as they are stored; it depends on the campaign's identity, the range and
/// the batch, so that counts which stand in another place are not taken for its own.
[[nodiscard]] Hash128 batch_digest(const Hash128& campaign, std::int64_t range, std::uint32_t batch,
                                   std::span<const std::byte> counts);

}  // namespace manyply

// The stored form of numbers: bytes in little-endian order on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/node_count.h"
#include "hash/fingerprint.h"

namespace manyply {

/// Return 8 bytes, and 16 bytes with the low word first.
[[nodiscard]] std::vector<std::byte> stored_bytes(std::uint64_t word);
[[nodiscard]] std::vector<std::byte> stored_bytes(const Hash128& hash);
/// Uses the same width for all counts, that of the largest, at least one byte.
[[nodiscard]] std::vector<std::byte> stored_bytes(std::span<const NodeCount> counts);

/// Precondition: 8 bytes.
[[nodiscard]] std::uint64_t stored_word(std::span<const std::byte> bytes);
/// Precondition: 16 bytes.
[[nodiscard]] Hash128 stored_hash(std::span<const std::byte> bytes);

/// A view of stored counts; `bytes` must outlive it.
class StoredCounts {
 public:
  StoredCounts(std::span<const std::byte> bytes, std::size_t counts);

  /// Returns whether `bytes` has the right length for this number of counts.
  [[nodiscard]] bool fit() const { return width_ > 0; }
  /// Returns one count. Preconditions: fit(), and `place` is in range.
  [[nodiscard]] NodeCount operator[](std::size_t place) const;

 private:
  std::span<const std::byte> bytes_;
  std::size_t width_ = 0;  // bytes of each
};

/// Returns the digest of a batch's counts in stored form. It depends on the campaign's identity,
/// the range and the batch, so that counts stored at a wrong place are detected.
[[nodiscard]] Hash128 batch_digest(const Hash128& campaign, std::int64_t range, std::uint32_t batch,
                                   std::span<const std::byte> counts);

}  // namespace manyply

// The count of one finished unit, as it is stored: damage shows.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/node_count.h"
#include "hash/fingerprint.h"

namespace manyply {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

/// 32 bytes: unit (8) | count (16, low half first) | XXH3-64 of these, seeded by the job's
/// identity.
struct UnitRecord {
  std::uint64_t unit = 0;
  std::uint64_t count_low = 0;
  std::uint64_t count_high = 0;
  std::uint64_t checksum = 0;

  static UnitRecord of(std::uint64_t unit, NodeCount count, const Hash128& identity) {
    UnitRecord record{.unit = unit, .count_low = count.low(), .count_high = count.high()};
    record.checksum = record.expected_checksum(identity);
    return record;
  }

  [[nodiscard]] bool intact(const Hash128& identity) const {
    return checksum == expected_checksum(identity);
  }
  [[nodiscard]] NodeCount count() const { return NodeCount::from_words(count_high, count_low); }

 private:
  [[nodiscard]] std::uint64_t expected_checksum(const Hash128& identity) const {
    return xxh3_64(std::as_bytes(std::span(this, 1)).first(24), identity.low);
  }
};
static_assert(sizeof(UnitRecord) == 32 && offsetof(UnitRecord, checksum) == 24);

}  // namespace manyply

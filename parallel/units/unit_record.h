// Finished units as they are stored, one record after the other: damage shows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "parallel/units/unit_store.h"

namespace manyply {

/// How a job's units are written, little-endian:
///
///   record   unit (8) | payload (8 a word) | XXH3-64 of these, seeded by the job's identity (8)
///
/// A count's record thus has 32 bytes, that of statistics 120. At first each of a unit's statistics
/// was a count of its own with a number of its own, unit * 13 + i, so that a kill could leave a
/// part of a unit behind. What was begun so is read so and goes on so, "in pieces". Immutable; any
/// thread.
class UnitRecords {
 public:
  explicit UnitRecords(const StoredJob& job) : UnitRecords(job, false) {}

  /// Those of a place that says it holds `stored_units` of a job with this identity; nothing if
  /// they cannot be this job's.
  static std::optional<UnitRecords> begun_as(const StoredJob& job, std::uint64_t stored_units);

  [[nodiscard]] const StoredJob& job() const { return job_; }
  [[nodiscard]] bool in_pieces() const { return pieces_; }
  /// The number of units that stands with the records.
  [[nodiscard]] std::uint64_t stored_units() const {
    return pieces_ ? job_.units * job_.words : job_.units;
  }
  [[nodiscard]] std::size_t record_bytes() const {
    return (pieces_ ? 4 : job_.words + 2) * sizeof(std::uint64_t);
  }
  /// What stands for one finished unit.
  [[nodiscard]] std::vector<std::uint64_t> written(std::size_t unit,
                                                   std::span<const std::uint64_t> payload) const;

 private:
  friend class UnitReader;
  UnitRecords(const StoredJob& job, bool pieces) : job_(job), pieces_(pieces) {}
  [[nodiscard]] std::uint64_t checksum(std::span<const std::uint64_t> of) const;

  StoredJob job_;
  bool pieces_;
};

/// Takes records as they are read. One thread.
class UnitReader {
 public:
  explicit UnitReader(const UnitRecords& records) : records_(records), known_(records.job()) {}

  /// False, and nothing taken, if the record is damaged. Precondition: record_bytes() long.
  bool take(std::span<const std::byte> record);

  /// All whole units taken so far.
  [[nodiscard]] UnitPayloads known() && { return std::move(known_); }

 private:
  struct Pieces {
    std::vector<std::uint64_t> words;
    std::vector<bool> there;
    std::size_t missing;
  };
  void take_piece(std::uint64_t number, std::uint64_t word);

  const UnitRecords& records_;
  UnitPayloads known_;
  std::unordered_map<std::uint64_t, Pieces> incomplete_;  // by unit
};

}  // namespace manyply

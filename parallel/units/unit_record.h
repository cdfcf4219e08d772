// The format of stored units: one record per unit, each with a checksum.
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

/// The records of a job's units, little-endian:
///
///   record   unit (8) | payload (8 per word) | XXH3-64 of these, seeded by the job's identity (8)
///
/// A record takes 32 bytes for a count and 120 bytes for statistics. Old files store statistics "in
/// pieces": one record per word with the number unit * 13 + i, so a kill could leave an incomplete
/// unit. Such files are still read and continued in the same format. Immutable; any thread.
class UnitRecords {
 public:
  explicit UnitRecords(const StoredJob& job) : UnitRecords(job, false) {}

  /// Returns the format of a file for the same identity that claims `stored_units` units; nullopt
  /// if it cannot belong to this job.
  static std::optional<UnitRecords> begun_as(const StoredJob& job, std::uint64_t stored_units);

  [[nodiscard]] const StoredJob& job() const { return job_; }
  [[nodiscard]] bool in_pieces() const { return pieces_; }
  /// Returns the number of units to write into the header.
  [[nodiscard]] std::uint64_t stored_units() const {
    return pieces_ ? job_.units * job_.words : job_.units;
  }
  [[nodiscard]] std::size_t record_bytes() const {
    return (pieces_ ? 4 : job_.words + 2) * sizeof(std::uint64_t);
  }
  /// Returns the record, or records in pieces, of one finished unit.
  [[nodiscard]] std::vector<std::uint64_t> written(std::size_t unit,
                                                   std::span<const std::uint64_t> payload) const;

 private:
  friend class UnitReader;
  UnitRecords(const StoredJob& job, bool pieces) : job_(job), pieces_(pieces) {}
  [[nodiscard]] std::uint64_t checksum(std::span<const std::uint64_t> of) const;

  StoredJob job_;
  bool pieces_;
};

/// Parses records one after another. One thread.
class UnitReader {
 public:
  explicit UnitReader(const UnitRecords& records) : records_(records), known_(records.job()) {}

  /// Adds a record. Returns false and ignores it if it is damaged. Precondition: `record` has
  /// record_bytes() bytes.
  bool take(std::span<const std::byte> record);

  /// Returns all complete units so far.
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

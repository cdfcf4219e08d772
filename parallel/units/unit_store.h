// The interface of stores that keep finished units after the process has ended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/node_count.h"
#include "core/base/result.h"
#include "core/fen.h"
#include "hash/fingerprint.h"
#include "hash/zobrist.h"
#include "parallel/split/root_splitter.h"

namespace manyply {

/// Returns the identity of a job's units: a hash of root, depth, split and key bits. Jobs with
/// equal identities may use each other's counts, even if threads, tables or kernels differ.
[[nodiscard]] Hash128 job_identity(const Position& root, Depth depth, const RootSplit& split,
                                   int key_bits);

/// Returns text for users that describes the job: "perft(6) of FEN". Includes the number of key
/// bits if it is below the maximum.
[[nodiscard]] std::string job_text(const NamedPosition& root, Depth depth, int key_bits);

/// Describes the job whose units are stored. A payload is the result of one unit: 2 words of 64
/// bits for a count, low half first; 13 words for move statistics.
struct StoredJob {
  Hash128 identity;
  std::size_t units = 0;
  std::size_t words = 2;  ///< length of a payload
  std::string what = {};  ///< text for users
  std::string plan = {};  ///< bytes that define the units, if the identity does not define them
};

[[nodiscard]] constexpr std::array<std::uint64_t, 2> to_words(NodeCount count) {
  return {count.low(), count.high()};
}
[[nodiscard]] constexpr NodeCount to_count(std::span<const std::uint64_t> words) {
  return NodeCount::from_words(words[1], words[0]);
}

/// The payloads of finished units. Its memory grows with their number.
class UnitPayloads {
 public:
  UnitPayloads() = default;
  explicit UnitPayloads(const StoredJob& job) : words_(job.words), place_(job.units) {}

  /// Returns the number of units with a payload.
  [[nodiscard]] std::size_t known() const { return words_ == 0 ? 0 : payloads_.size() / words_; }
  [[nodiscard]] bool knows(std::size_t unit) const { return place_[unit] != 0; }
  /// Precondition: knows(unit).
  [[nodiscard]] std::span<const std::uint64_t> of(std::size_t unit) const {
    return std::span(payloads_).subspan((place_[unit] - 1) * words_, words_);
  }
  /// Sets a unit's payload. Replaces an earlier one.
  void put(std::size_t unit, std::span<const std::uint64_t> payload);

 private:
  std::size_t words_ = 0;
  std::vector<std::size_t> place_;  // by unit: 1 + number of its payload; 0 = none
  std::vector<std::uint64_t> payloads_;
};

/// The interface of a store. Each implementation defines when a record is durable.
class UnitStore {
 public:
  virtual ~UnitStore() = default;

  /// Returns the plan of an earlier run of `job`; nullopt if the store is new. Ignores the units
  /// and the plan in `job`. A job with a plan calls this once, before open(), and then uses that
  /// plan. Fails as open() does, or if the store cannot store plans.
  virtual Result<std::optional<std::string>> plan_of(const StoredJob& job);

  /// Opens the store and returns the units it contains. Called once, before any record. Fails if it
  /// belongs to another job or cannot be read.
  virtual Result<UnitPayloads> open(const StoredJob& job) = 0;

  /// Stores the result of one unit, completely or not at all. Any thread, also concurrently. An
  /// error ends the job, because the user requested durability and must learn that it failed.
  [[nodiscard]] virtual std::optional<Error> record(std::size_t unit,
                                                    std::span<const std::uint64_t> payload) = 0;

  /// Makes all records durable. Called after the last record, also if the job was cancelled.
  [[nodiscard]] virtual std::optional<Error> flush() = 0;
};

// Connects a job with its store: reads the counts of earlier runs and writes new ones.

/// The units that an earlier run has finished. Also records new ones. Any thread may call knows()
/// and record().
class KeptUnits {
 public:
  /// Take receives the payload of a stored unit. Give returns the payload of a finished unit.
  using Take = std::function<void(std::size_t unit, std::span<const std::uint64_t> payload)>;
  using Give = std::function<std::vector<std::uint64_t>(std::size_t unit)>;

  /// Opens `store`, which must outlive the result, and calls `take` for each stored unit.
  static Result<KeptUnits> open(UnitStore& store, const StoredJob& job, const Take& take,
                                Give give);

  /// Returns whether the store contained the unit at open().
  [[nodiscard]] bool knows(std::size_t unit) const { return known_[unit]; }
  [[nodiscard]] std::size_t known() const { return known_units_; }

  /// Stores a finished unit.
  [[nodiscard]] std::optional<Error> record(std::size_t unit) {
    return store_->record(unit, give_(unit));
  }
  [[nodiscard]] std::optional<Error> flush() { return store_->flush(); }

 private:
  KeptUnits(UnitStore& store, Give give) : store_(&store), give_(std::move(give)) {}

  UnitStore* store_;
  Give give_;
  std::vector<bool> known_;  // by unit; constant after open()
  std::size_t known_units_ = 0;
};

// The format of stored units: one record per unit, each with a checksum.

/// The records of a job's units, little-endian:
///
///   record   unit (8) | payload (8 per word) | XXH3-64 of these, seeded by the job's identity (8)
///
/// A record has 32 bytes for a count and 120 bytes for statistics. Old files store statistics "in
/// pieces": one record per word, with the number unit * 13 + i. If the process was killed, such a
/// file may end with an incomplete unit. These files can still be read and are continued in the
/// same format. Immutable; any thread.
class UnitRecords {
 public:
  explicit UnitRecords(const StoredJob& job) : UnitRecords(job, false) {}

  /// Returns the format of a file that has the same identity and says that it stores `stored_units`
  /// units; nullopt if the file cannot belong to this job.
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
  /// Returns the record of one finished unit, or its records in pieces.
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

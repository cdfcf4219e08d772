// Declares the interface of stores, connects a job to its store, and defines the format of stored
// units. A store keeps finished units, so that their counts outlive the process.
#pragma once

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
#include "parallel/units/root_splitter.h"

namespace manyply {

/// Returns the identity of a job's units. It is a hash of root, depth, split and number of key
/// bits. Jobs with equal identities may use each other's counts, even if their threads, tables or
/// kernels differ.
[[nodiscard]] Hash128 job_identity(const Position& root, Depth depth, const RootSplit& split,
                                   int key_bits);

/// Returns a text for users that describes the job, such as "perft(6) of FEN". It includes the
/// number of key bits if this number is below the maximum.
[[nodiscard]] std::string job_text(const NamedPosition& root, Depth depth, int key_bits);

/// Describes the job whose units are stored. A payload is the result of one unit. A count has 2
/// words of 64 bits, low half first. Move statistics have 13 words.
struct StoredJob {
  Hash128 identity;
  std::size_t units = 0;
  std::size_t words = 2;  ///< length of a payload in words
  std::string what = {};  ///< text for users
  std::string plan = {};  ///< bytes that define the units, if the identity does not
};

[[nodiscard]] inline std::vector<std::uint64_t> to_words(NodeCount count) {
  return {count.low(), count.high()};
}
[[nodiscard]] constexpr NodeCount to_count(std::span<const std::uint64_t> words) {
  return NodeCount::from_words(words[1], words[0]);
}

/// The payloads of finished units. Uses 8 bytes of memory for each unit of the job, in addition to
/// the payloads.
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
  /// Sets the payload of a unit. Replaces an earlier payload.
  void put(std::size_t unit, std::span<const std::uint64_t> payload);

 private:
  std::size_t words_ = 0;
  std::vector<std::size_t> place_;  // by unit: 1 + number of its payload; 0 = no payload
  std::vector<std::uint64_t> payloads_;
};

/// The interface of a store. Each implementation defines when a record is durable.
class UnitStore {
 public:
  virtual ~UnitStore() = default;

  /// Returns the plan of an earlier run of `job`; nullopt if the store is new. Ignores job.units
  /// and job.plan. A job with a plan must call this function once, before open(), and must then use
  /// the returned plan. Fails in the same cases as open(), and if the store cannot store plans.
  virtual Result<std::optional<std::string>> plan_of(const StoredJob& job);

  /// Opens the store and returns the units in it. Must be called once, before record(). Fails if
  /// the store belongs to another job or cannot be read.
  virtual Result<UnitPayloads> open(const StoredJob& job) = 0;

  /// Stores the result of one unit, either completely or not at all. Any thread may call it, also
  /// concurrently. An error ends the job, because the user requested stored units and must learn
  /// that storing failed.
  [[nodiscard]] virtual std::optional<Error> record(std::size_t unit,
                                                    std::span<const std::uint64_t> payload) = 0;

  /// Makes all records durable. Must be called after the last record, even if the job was
  /// cancelled.
  [[nodiscard]] virtual std::optional<Error> flush() = 0;
};

/// Knows the units that an earlier run has finished, and records new units. Any thread may call
/// knows() and record().
class KeptUnits {
 public:
  /// A Take function receives the payload of a stored unit. A Give function must return the payload
  /// of a finished unit.
  using Take = std::function<void(std::size_t unit, std::span<const std::uint64_t> payload)>;
  using Give = std::function<std::vector<std::uint64_t>(std::size_t unit)>;

  /// Opens `store` and calls `take` for each stored unit. `store` must outlive the result.
  static Result<KeptUnits> open(UnitStore& store, const StoredJob& job, const Take& take,
                                Give give);

  /// Returns whether the store contained the unit at open(). known() is the number of such units.
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

/// The format of a job's stored units: one record per unit, each with a checksum. All numbers are
/// little-endian. Numbers in parentheses are sizes in bytes.
///
///   record   unit (8) | payload (8 per word) | XXH3-64 of these, seeded by identity.low (8)
///
/// A record has 32 bytes for a count and 120 bytes for statistics. Immutable. Any thread may use
/// it.
///
/// Old files store statistics "in pieces": 13 records per unit, one for each word i. Such a record
/// has the number unit * 13 + i instead of the unit, and its payload is the word and a zero. If the
/// process was killed, an old file may end with an incomplete unit. Old files can still be read.
/// New records are added to them in pieces, too.
class UnitRecords {
 public:
  explicit UnitRecords(const StoredJob& job) : UnitRecords(job, false) {}

  /// Returns the format of a file of `job`: with whole records, or in pieces. `stored_units` is the
  /// number of units in the header of the file. Returns nullopt if neither format of the job has
  /// this number of units.
  static std::optional<UnitRecords> begun_as(const StoredJob& job, std::uint64_t stored_units);

  [[nodiscard]] const StoredJob& job() const { return job_; }
  [[nodiscard]] bool in_pieces() const { return pieces_; }
  /// Returns the number of units that a file in this format has in its header. If the file stores
  /// pieces, the header counts each piece as a unit.
  [[nodiscard]] std::uint64_t stored_units() const {
    return pieces_ ? job_.units * job_.words : job_.units;
  }
  [[nodiscard]] std::size_t record_bytes() const {
    return (pieces_ ? 4 : job_.words + 2) * sizeof(std::uint64_t);
  }
  /// Returns the record of one finished unit. If the file stores pieces, returns the records of all
  /// pieces.
  [[nodiscard]] std::vector<std::uint64_t> written(std::size_t unit,
                                                   std::span<const std::uint64_t> payload) const;

 private:
  friend class UnitReader;
  UnitRecords(const StoredJob& job, bool pieces) : job_(job), pieces_(pieces) {}
  [[nodiscard]] std::uint64_t checksum(std::span<const std::uint64_t> of) const;

  StoredJob job_;
  bool pieces_;
};

/// Parses records one after another. Only one thread may use it.
class UnitReader {
 public:
  explicit UnitReader(const UnitRecords& records) : records_(records), known_(records.job()) {}

  /// Adds a record. If the record is damaged or its number is too large, ignores it and returns
  /// false. Precondition: `record` has record_bytes() bytes.
  bool take(std::span<const std::byte> record);

  /// Returns the units that are complete so far.
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

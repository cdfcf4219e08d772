// The interface of stores that keep finished units after the process has ended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
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

/// Returns text for users that describes the job: "perft(6) of FEN", and the number of key bits if
/// it is below the maximum.
[[nodiscard]] std::string job_text(const NamedPosition& root, Depth depth, int key_bits);

/// Describes the job whose units are stored. A payload is the result of one unit: 2 words of 64
/// bits for a count, low half first; 13 words for move statistics.
struct StoredJob {
  Hash128 identity;
  std::size_t units = 0;
  std::size_t words = 2;  ///< length of a payload
  std::string what = {};  ///< text for users
  std::string plan = {};  ///< bytes that say what the units are, if the identity does not
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

/// The interface of a store. Each implementation defines how durable a record is, and how soon.
class UnitStore {
 public:
  virtual ~UnitStore() = default;

  /// Returns the plan of an earlier run of `job`, whose units and plan do not matter here; nullopt
  /// if the store is new. A job with a plan calls it once, before open(), and keeps to that plan.
  /// Fails as open() does, or if the store keeps no plans.
  virtual Result<std::optional<std::string>> plan_of(const StoredJob& job);

  /// Opens the store and returns the units it contains. Called once, before any record. Fails if it
  /// belongs to another job or cannot be read.
  virtual Result<UnitPayloads> open(const StoredJob& job) = 0;

  /// Stores the result of one unit, completely or not at all. Any thread, also concurrently. An
  /// error ends the job, so that a user who asked for durability notices its loss.
  [[nodiscard]] virtual std::optional<Error> record(std::size_t unit,
                                                    std::span<const std::uint64_t> payload) = 0;

  /// Makes all records durable. Called after the last record, also if the job was cancelled.
  [[nodiscard]] virtual std::optional<Error> flush() = 0;
};

// Connects a job with its store: earlier counts in, new counts out.

/// The units that an earlier run has finished, and the way to record new ones. knows() and
/// record(): any thread.
class KeptUnits {
 public:
  /// Take receives the payload of a stored unit. Give returns the payload of a finished one.
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

}  // namespace manyply

// Where finished units survive the process that counted them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/fen.h"
#include "core/node_count.h"
#include "core/result.h"
#include "hash/fingerprint.h"
#include "hash/zobrist.h"
#include "parallel/split/root_splitter.h"

namespace manyply {

/// Identity of a job's units: the same root, depth and split, counted with keys as strong. Two jobs
/// with equal identities may use each other's unit counts, whatever their threads, tables, kernels.
[[nodiscard]] Hash128 job_identity(const Position& root, Depth depth, const RootSplit& split,
                                   int key_bits);

/// What people are told of such a job: "perft(6) of FEN", and how strong the keys are if they could
/// be stronger.
[[nodiscard]] std::string job_text(const NamedPosition& root, Depth depth, int key_bits);

/// Whose units are stored, how many there are, and how many 64-bit words each of them leaves behind
/// when it is finished: a count two, low half first; move statistics thirteen. `what` is for
/// people.
struct StoredJob {
  Hash128 identity;
  std::size_t units = 0;
  std::size_t words = 2;
  std::string what = {};
};

[[nodiscard]] constexpr std::array<std::uint64_t, 2> to_words(NodeCount count) {
  return {count.low(), count.high()};
}
[[nodiscard]] constexpr NodeCount to_count(std::span<const std::uint64_t> words) {
  return NodeCount::from_words(words[1], words[0]);
}

/// What finished units left behind. Memory grows with those that are known.
class UnitPayloads {
 public:
  UnitPayloads() = default;
  explicit UnitPayloads(const StoredJob& job) : words_(job.words), place_(job.units) {}

  [[nodiscard]] std::size_t known() const { return words_ == 0 ? 0 : payloads_.size() / words_; }
  [[nodiscard]] bool knows(std::size_t unit) const { return place_[unit] != 0; }
  /// Precondition: knows(unit).
  [[nodiscard]] std::span<const std::uint64_t> of(std::size_t unit) const {
    return std::span(payloads_).subspan((place_[unit] - 1) * words_, words_);
  }
  /// Of a unit that is known already, the later payload counts.
  void put(std::size_t unit, std::span<const std::uint64_t> payload);

 private:
  std::size_t words_ = 0;
  std::vector<std::size_t> place_;  // by unit: which payload is its own, from 1; 0 = none
  std::vector<std::uint64_t> payloads_;
};

/// Implementations decide how durable a record is, and how soon.
class UnitStore {
 public:
  virtual ~UnitStore() = default;

  /// Called once, before anything else: what is already known. Fails when what is stored belongs to
  /// another job or cannot be read.
  virtual Result<UnitPayloads> open(const StoredJob& job) = 0;

  /// Takes what one unit left behind, whole or not at all. Any thread, also concurrently. An error
  /// ends the job: a user who asked for durability must not be left without it unawares.
  [[nodiscard]] virtual std::optional<Error> record(std::size_t unit,
                                                    std::span<const std::uint64_t> payload) = 0;

  /// Makes everything recorded durable. Called after the last record, also of a cancelled job.
  [[nodiscard]] virtual std::optional<Error> flush() = 0;
};

}  // namespace manyply

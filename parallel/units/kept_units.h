// Connects a job with its store: earlier counts in, new counts out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "parallel/units/unit_store.h"

namespace manyply {

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

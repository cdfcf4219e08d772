// A job's units, as far as they are in its store.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "parallel/units/unit_store.h"

namespace manyply {

/// What an earlier run of the job left behind, handed to the job at the start, and the way of what
/// this one finishes into the store. knows() and record(): any thread.
class KeptUnits {
 public:
  /// Takes over what a unit left behind; gives what it leaves behind now.
  using Take = std::function<void(std::size_t unit, std::span<const std::uint64_t> payload)>;
  using Give = std::function<std::vector<std::uint64_t>(std::size_t unit)>;

  /// Opens `store`, which must outlive it, and calls `take` for each unit that is there.
  static Result<KeptUnits> open(UnitStore& store, const StoredJob& job, const Take& take,
                                Give give);

  [[nodiscard]] bool knows(std::size_t unit) const { return known_[unit]; }
  [[nodiscard]] std::size_t known() const { return known_units_; }

  [[nodiscard]] std::optional<Error> record(std::size_t unit) {
    return store_->record(unit, give_(unit));
  }
  [[nodiscard]] std::optional<Error> flush() { return store_->flush(); }

 private:
  KeptUnits(UnitStore& store, Give give) : store_(&store), give_(std::move(give)) {}

  UnitStore* store_;
  Give give_;
  std::vector<bool> known_;  // by unit; constant since open
  std::size_t known_units_ = 0;
};

}  // namespace manyply

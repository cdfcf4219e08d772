// Counts by unit. Uses memory only for units that are in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/node_count.h"

namespace manyply {

/// Units from `begin` to `end`, excluding `end`.
struct UnitSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
  friend bool operator==(const UnitSpan&, const UnitSpan&) = default;
};

/// An array of counts in pages of 64 KiB. A page exists while at least one of its units is held: a
/// worker counts only a few ranges of up to a hundred million units at a time.
class UnitCounts {
 public:
  explicit UnitCounts(std::size_t units);

  /// Holds these units: their counts may be read and written until release() was called as often as
  /// hold(). They start at 0 unless they are already held. Any thread.
  void hold(UnitSpan units);
  void release(UnitSpan units);

  /// Returns a unit's count. Precondition: the unit is held. Readers and writers of one unit must
  /// synchronise.
  [[nodiscard]] NodeCount& operator[](std::size_t unit) {
    return pages_[unit / kPageUnits][unit % kPageUnits];
  }
  [[nodiscard]] const NodeCount& operator[](std::size_t unit) const {
    return pages_[unit / kPageUnits][unit % kPageUnits];
  }
  [[nodiscard]] std::size_t pages_held() const;

 private:
  static constexpr std::size_t kPageUnits = 4'096;

  struct PageUse {
    std::size_t page;
    std::size_t units;
  };
  /// Removes the units that share the first page from `units`, and returns that page and their
  /// number.
  static PageUse take_page(UnitSpan& units);

  mutable Mutex mutex_;
  // A page pointer changes only under the mutex and only while none of its units is held. So code
  // that holds a unit reads it without locking.
  std::vector<std::unique_ptr<NodeCount[]>> pages_;
  std::vector<std::uint64_t> held_
      MANYPLY_GUARDED_BY(mutex_);  // by page: sum of holds of its units
};

}  // namespace manyply

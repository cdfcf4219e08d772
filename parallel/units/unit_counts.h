// Counts by unit, of those units alone that somebody has a use for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/node_count.h"
#include "parallel/mutex.h"

namespace manyply {

/// Units from `begin` to before `end`.
struct UnitSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
  friend bool operator==(const UnitSpan&, const UnitSpan&) = default;
};

/// An array of counts whose pages, 64 KiB each, are there while a unit of theirs is held: of a
/// hundred million units a worker counts a few ranges at a time.
class UnitCounts {
 public:
  explicit UnitCounts(std::size_t units);

  /// Counts of these units may be written and read until they are released as often as they were
  /// held; at first they are 0, unless they are held already. Any thread.
  void hold(UnitSpan units);
  void release(UnitSpan units);

  /// Precondition: held, by what happened before. Who writes it and who reads it agree about that
  /// among themselves.
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
  /// Takes what lies in its first page off `units`.
  static PageUse take_page(UnitSpan& units);

  mutable Mutex mutex_;
  // A page changes under the mutex, and only while no unit of it is held: whoever holds one reads
  // it without.
  std::vector<std::unique_ptr<NodeCount[]>> pages_;
  std::vector<std::uint64_t> held_ MANYPLY_GUARDED_BY(mutex_);  // by page, units, each as often
};

}  // namespace manyply

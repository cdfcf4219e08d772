// Units that keep many plies, counted by what lies below them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/kernel.h"
#include "parallel/mutex.h"
#include "parallel/split/job_units.h"
#include "parallel/split/root_splitter.h"
#include "parallel/units/unit_counts.h"
#include "parallel/units/unit_source.h"

namespace manyply {

/// A range of units, split once more and merged: equal positions below any of them are counted
/// once, in groups that share a window. Positions are numbered from 0 in the order in which they
/// should be counted. Any thread, but for the constructor and the destructor.
class SplitAgain : public UnitSet {
 public:
  /// Splits the units of `parts`, of which none is empty, `plies` plies deeper. After `stop` it
  /// means nothing. Throws CountOverflow.
  SplitAgain(const JobUnits& units, std::vector<UnitSpan> parts, int plies, const Kernel& kernel,
             const std::stop_token& stop);

  [[nodiscard]] std::size_t size() const { return split_.size(); }
  [[nodiscard]] std::uint64_t generated() const { return split_.generated; }
  /// All positions as a source takes them, in parts: those that a part of the units needs and no
  /// part before it. Both are empty if there is no position.
  [[nodiscard]] UnitOrder order() const;
  [[nodiscard]] const std::vector<std::size_t>& part_end() const { return part_end_; }

  [[nodiscard]] const Board& board(std::size_t position) const {
    return split_.boards[order_.units[position]];
  }
  /// How many paths from the root lead through it; for progress only.
  [[nodiscard]] double paths_to(std::size_t position) const;
  /// Of the units, how many a position stands for: so many that all positions make all units.
  [[nodiscard]] std::uint64_t units_of(std::size_t position) const;

  /// One worker's, before the position's part is finished.
  void set(std::size_t position, NodeCount count) { counts_[position] = count; }
  /// All positions of a part have been set. Which parts of the units are complete now, with their
  /// units' counts in `counts`, and were not before: those in which no position is missing, nor in
  /// any before them. Throws CountOverflow.
  std::vector<std::size_t> finish(std::size_t part, UnitCounts& counts);

 private:
  [[nodiscard]] std::size_t unit_of(std::size_t board) const;

  const JobUnits& units_;
  const std::vector<UnitSpan> parts_;
  std::vector<std::size_t> boards_before_;  // by part, and of all
  RootSplit split_;
  UnitOrder order_;
  std::vector<std::size_t> part_end_;  // of parts that have a position
  std::vector<std::size_t> part_of_;   // which parts those are
  std::vector<NodeCount> counts_;      // by position

  mutable Mutex mutex_;
  std::vector<NodeCount> totals_ MANYPLY_GUARDED_BY(mutex_);  // of the units, so far
  std::vector<bool> done_ MANYPLY_GUARDED_BY(mutex_);         // by part of the units
  std::size_t complete_ MANYPLY_GUARDED_BY(mutex_) = 0;
};

}  // namespace manyply

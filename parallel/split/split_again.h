// Splits units of many plies again, and counts them by the positions below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/mutex.h"
#include "core/kernel.h"
#include "parallel/split/job_units.h"
#include "parallel/split/root_splitter.h"
#include "parallel/units/unit_counts.h"
#include "parallel/units/unit_source.h"

namespace manyply {

/// The positions some plies below a range of units. Equal positions are merged, even below
/// different units, and counted once, in groups that share window entries. Positions are numbered
/// from 0 in the order to count them in. Any thread, except constructor and destructor.
class SplitAgain : public UnitSet {
 public:
  /// Splits the units of `parts` `plies` plies deeper. After `stop` the object is meaningless.
  /// Throws CountOverflow. Precondition: no part is empty.
  SplitAgain(const JobUnits& units, std::vector<UnitSpan> parts, int plies, const Kernel& kernel,
             const std::stop_token& stop);

  [[nodiscard]] std::size_t size() const { return split_.size(); }
  [[nodiscard]] std::uint64_t generated() const { return split_.generated; }
  /// Return all positions in order, and where parts of them end, for UnitSource::add. The positions
  /// of one part are those that one of `parts` needs and none before it. Both are empty if there
  /// are no positions.
  [[nodiscard]] UnitOrder order() const;
  [[nodiscard]] const std::vector<std::size_t>& part_end() const { return part_end_; }

  [[nodiscard]] const Board& board(std::size_t position) const {
    return split_.boards[order_.units[position]];
  }
  /// Returns about how many paths from the root lead to a position; for progress only.
  [[nodiscard]] double paths_to(std::size_t position) const;
  /// Returns how many units a position represents in the progress. The sum over all positions is
  /// the number of units.
  [[nodiscard]] std::uint64_t units_of(std::size_t position) const;

  /// Sets the count of a position. Each position has one writer; call it before finish() for its
  /// part.
  void set(std::size_t position, NodeCount count) { counts_[position] = count; }
  /// Call it when all positions of a part are set. Returns the parts of the units that are complete
  /// now but were not before; their units' counts are then in `counts`. A part is complete if no
  /// position of it or of an earlier part is missing. Throws CountOverflow.
  std::vector<std::size_t> finish(std::size_t part, UnitCounts& counts);

 private:
  [[nodiscard]] std::size_t unit_of(std::size_t board) const;

  const JobUnits& units_;
  const std::vector<UnitSpan> parts_;
  std::vector<std::size_t> boards_before_;  // boards before each part, and the total
  RootSplit split_;
  UnitOrder order_;
  std::vector<std::size_t> part_end_;  // ends of the parts that have positions
  std::vector<std::size_t> part_of_;   // which of parts_ each of them is
  std::vector<NodeCount> counts_;      // by position

  mutable Mutex mutex_;
  std::vector<NodeCount> totals_ MANYPLY_GUARDED_BY(mutex_);  // counts of the units so far
  std::vector<bool> done_ MANYPLY_GUARDED_BY(mutex_);         // by element of parts_
  std::size_t complete_ MANYPLY_GUARDED_BY(mutex_) = 0;
};

}  // namespace manyply

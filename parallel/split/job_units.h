// The units of a count, accessed by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/node_count.h"
#include "core/board.h"
#include "parallel/jobs/job_tables.h"
#include "parallel/split/root_splitter.h"
#include "parallel/units/unit_source.h"

namespace manyply {

/// The distinct positions of one ply in numbered groups, with the number of paths to each. RangeJob
/// counts them. The root's count is the sum of paths × count over all units. Immutable; any thread.
class JobUnits {
 public:
  /// Numbers the units by their places in `order`, which must contain each unit once.
  JobUnits(RootSplit split, UnitOrder order);

  [[nodiscard]] int ply() const { return split_.ply; }
  [[nodiscard]] std::size_t size() const { return split_.size(); }
  [[nodiscard]] SplitShape shape() const { return shape_of(split_); }
  /// Returns the number of positions generated to make them, before merging.
  [[nodiscard]] std::uint64_t generated() const { return split_.generated; }

  /// Number of groups; each consists of consecutive units. 0 if there are no units.
  [[nodiscard]] std::size_t groups() const { return order_.groups(); }
  [[nodiscard]] std::size_t group_begin(std::size_t group) const {
    return order_.group_begin[group];
  }
  /// Returns the group that contains `unit`. Takes logarithmic time.
  [[nodiscard]] std::size_t group_of(std::size_t unit) const;

  [[nodiscard]] const Board& board(std::size_t unit) const {
    return split_.boards[order_.units[unit]];
  }
  [[nodiscard]] NodeCount paths_to(std::size_t unit) const {
    return split_.paths_to(order_.units[unit]);
  }

  [[nodiscard]] std::span<const Move> root_moves() const { return split_.root_moves; }
  /// Adds count × paths of one unit to `sums`, one per root move. Throws CountOverflow.
  void add_paths(std::size_t unit, NodeCount count, std::span<NodeCount> sums) const;

  /// Appends these units and their groups to `order`. Groups that the span cuts are shortened.
  void append_to(UnitOrder& order, const UnitSpan& units) const;

  /// Returns the split that the units come from. Its own numbering differs.
  [[nodiscard]] const RootSplit& root_split() const { return split_; }

 private:
  RootSplit split_;
  UnitOrder order_;
};

}  // namespace manyply

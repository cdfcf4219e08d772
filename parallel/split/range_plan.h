// The units of a count, accessed by number, and their division into ranges for several processes
// that share no memory. Every process makes the same plan by itself, and then counts only its own
// ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/node_count.h"
#include "core/board.h"
#include "core/kernel.h"
#include "parallel/jobs/job_tables.h"
#include "parallel/jobs/workforce.h"
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

/// The smallest depth of a count that is cut into ranges: at least one ply of split, and units of
/// at least three plies.
inline constexpr int kMinPlannedDepth = 4;
/// The largest depth in plies at which units of a range are counted well with a window
/// (parallel/README.md, "Splitting and order").
inline constexpr int kGoodUnitDepth = 5;
/// The most units of a plan. They take 112 bytes each and their shares.
inline constexpr std::size_t kMostPlannedUnits = 10'000'000;

/// Returns limits that split at exactly `ply`, or earlier if every game ends earlier.
[[nodiscard]] SplitLimits split_at(Depth depth, int ply);

/// How many units a split for ranges should have and may have.
struct PlannedUnits {
  std::size_t enough = 0;  ///< no further split once there are this many of at most five plies
  std::size_t most = kMostPlannedUnits;
};

/// Returns the shallowest split whose units keep an odd number of plies, at most five, and that has
/// at least `units.enough` units. Stops earlier if units would keep fewer than three plies or
/// exceed `units.most`. With an odd number of plies left, units that share window entries are
/// neighbours. Errors: kCancelled after `by.stop()`. Throws CountOverflow. Precondition: depth >=
/// kMinPlannedDepth.
Result<JobUnits> units_for_ranges(const Position& root, Depth depth, const PlannedUnits& units,
                                  const Workforce& by);

/// Consecutive units.
struct PlannedRange {
  std::uint64_t first = 0;
  std::uint32_t units = 0;
  double weight = 0;  ///< about the number of paths of three plies below its units
};

inline constexpr std::uint32_t kUnitsWorthABatch = 64;  ///< fewest units that are worth a range

/// Weights of units: one weight for each `step` consecutive units.
struct UnitWeights {
  std::size_t units = 0;  ///< number of all units
  std::size_t step = 1;
  std::vector<float> of_step = {};  ///< weight of one unit of each step; the last may be incomplete
};

/// Weighs a sample of the units by their paths of three plies, or fewer if units are shallower.
/// Only for time estimates and fair cuts. Returns kCancelled after `by.stop()`.
Result<UnitWeights> unit_weights(const JobUnits& units, Depth depth, const Workforce& by);

/// Cuts all units into `ranges` ranges of about equal weight; each has at least one unit. Cuts
/// between groups if one ends nearby. Precondition: ranges >= 1, weights.units == units.size().
[[nodiscard]] std::vector<PlannedRange> cut_into_ranges(const JobUnits& units,
                                                        const UnitWeights& weights,
                                                        std::size_t ranges);

}  // namespace manyply

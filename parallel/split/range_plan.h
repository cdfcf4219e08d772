// Numbers the units of a count and divides them into ranges, for several processes that have no
// common memory. Every process makes the same plan by itself and then counts only its own ranges.
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
#include "parallel/units/unit_queue.h"

namespace manyply {

/// The units of a job, numbered and in groups: the distinct positions of one ply, with the number
/// of paths to each. RangeJob counts the units. The root's count is the sum of paths × count over
/// all units. Immutable. Any thread may use it.
class JobUnits {
 public:
  /// Gives each unit its index in `order` as its number. `order` must contain each unit once.
  JobUnits(RootSplit split, UnitOrder order);

  [[nodiscard]] int ply() const { return split_.ply; }
  [[nodiscard]] std::size_t size() const { return split_.size(); }
  [[nodiscard]] SplitShape shape() const { return shape_of(split_); }
  /// Returns the number of positions that the split generated at all plies, before merging.
  [[nodiscard]] std::uint64_t generated() const { return split_.generated; }

  /// Returns the number of groups; 0 if there are no units. Each group consists of consecutive
  /// units.
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
  /// For each root move, adds count × paths to the move's element of `sums`. `paths` is the number
  /// of paths to `unit` that start with the move. Throws CountOverflow.
  void add_paths(std::size_t unit, NodeCount count, std::span<NodeCount> sums) const;

  /// Returns the units in `units` and their groups. If `units` contains only some units of a group,
  /// these units are a group.
  [[nodiscard]] UnitOrder order_of(const UnitSpan& units) const;

  /// Returns the split from which the units come. In the split, units have other numbers.
  [[nodiscard]] const RootSplit& root_split() const { return split_; }

 private:
  RootSplit split_;
  UnitOrder order_;
};

/// The smallest depth of a count that is cut into ranges. The split takes at least one ply, and
/// each unit has at least three plies.
inline constexpr int kMinPlannedDepth = 4;
/// Windows (hash/count_tables.h) work well if units have at most this depth, in plies.
inline constexpr int kGoodUnitDepth = 5;
/// The largest number of units in a plan. Each unit needs 112 bytes and memory for its shares.
inline constexpr std::size_t kMostPlannedUnits = 10'000'000;

/// Returns limits for a split at exactly `ply`. If every game ends before `ply`, the split ends at
/// the first ply without positions.
[[nodiscard]] SplitLimits split_at(Depth depth, int ply);

/// Limits for the number of units in a split for ranges.
struct PlannedUnits {
  std::size_t enough = 0;  ///< this number suffices if units have at most kGoodUnitDepth plies
  std::size_t most = kMostPlannedUnits;
};

/// Returns a split for ranges. An odd number of plies is left below its units, because then
/// neighbouring units use the same entries of the window. The function prefers the shallowest split
/// that leaves three or five plies and has at least `units.enough` units. If no split does, it
/// prefers the one that leaves three plies. If the preferred split would have more than
/// `units.most` units, the function takes a shallower one.
///
/// Returns kCancelled after a stop request. Throws CountOverflow. Precondition: depth >=
/// kMinPlannedDepth.
Result<JobUnits> units_for_ranges(const Position& root, Depth depth, const PlannedUnits& units,
                                  const Workforce& by);

/// A range: consecutive units.
struct PlannedRange {
  std::uint64_t first = 0;
  std::uint32_t units = 0;
  double weight = 0;  ///< sum of the weights of its units (unit_weights())
};

inline constexpr std::uint32_t kUnitsWorthABatch = 64;  ///< smallest useful size of a range

/// Weights of units. There is one weight for each `step` consecutive units.
struct UnitWeights {
  std::size_t units = 0;  ///< number of all units
  std::size_t step = 1;
  std::vector<float> of_step = {};  ///< by step: the weight of each of its units
};

/// Estimates the weights of units from a sample. The weight of a unit is its perft at depth 3, but
/// at least 1. If the unit has fewer plies left, the smaller depth replaces depth 3. Use weights
/// only for time estimates and fair cuts. Returns kCancelled after a stop request.
Result<UnitWeights> unit_weights(const JobUnits& units, Depth depth, const Workforce& by);

/// Cuts all units into `ranges` ranges of about equal weight. Each range has at least one unit. If
/// there are fewer than `ranges` units, each unit is a range. If a group ends near a cut, moves the
/// cut to the end of the group. Precondition: ranges >= 1, weights.units == units.size().
[[nodiscard]] std::vector<PlannedRange> cut_into_ranges(const JobUnits& units,
                                                        const UnitWeights& weights,
                                                        std::size_t ranges);

}  // namespace manyply

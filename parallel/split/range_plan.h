// Divides a hashed count into ranges of units for several processes that share no memory. Every
// process makes the same plan by itself, and then counts only its own ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernel.h"
#include "parallel/jobs/workforce.h"
#include "parallel/split/job_units.h"
#include "parallel/split/root_splitter.h"
#include "parallel/units/unit_source.h"

namespace manyply {

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

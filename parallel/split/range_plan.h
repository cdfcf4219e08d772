// A count that is cut into ranges for many machines: the same units, in the same order, cut in the
// same places, whoever works it out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hash/fingerprint.h"
#include "parallel/jobs/workforce.h"
#include "parallel/split/job_units.h"
#include "parallel/split/root_splitter.h"

namespace manyply {

/// Counts that may be cut: units keep three plies at least, and a ply lies above them.
inline constexpr int kMinPlannedDepth = 4;
/// More units than this take memory that not every machine has: 112 bytes each, and their shares.
inline constexpr std::size_t kMostPlannedUnits = 10'000'000;
/// The same of packed ones, of 40 bytes.
inline constexpr std::size_t kMostPackedUnits = 100'000'000;

/// Splits at exactly `ply`, or earlier where no position has a move left.
[[nodiscard]] SplitLimits split_at(Depth depth, int ply);

/// How units are stored: with the paths from each root move, or packed, with their number alone.
enum class UnitStorage : std::uint8_t { kByRootMove, kPacked };

/// How many units a split for ranges should have, and may have.
struct PlannedUnits {
  std::size_t enough = 0;  ///< not split further for more, once units have five plies or fewer
  std::size_t most = kMostPlannedUnits;
  UnitStorage storage = UnitStorage::kByRootMove;
};

/// The distinct positions at `ply`, or earlier where no position has a move left, numbered in the
/// order that ranges are cut from: it depends on nothing else. kCancelled after `by.stop()`; errors
/// of split_packed, which needs room for `most` packed units at most. Throws CountOverflow.
/// Precondition: 1 <= ply < depth.
Result<JobUnits> units_at(const Position& root, Depth depth, int ply, UnitStorage storage,
                          const Workforce& by);

/// The first split that leaves units an odd number of plies, five at most, and has `units.enough`;
/// none that leaves fewer than three plies, or has more than `units.most`, or more than memory
/// holds if they are packed, if a shallower one has not. With an odd number of plies left, units
/// that stand together in a window stand together here (README.md, "Ranges"). Errors as units_at.
/// Precondition: depth >= kMinPlannedDepth.
Result<JobUnits> units_for_ranges(const Position& root, Depth depth, const PlannedUnits& units,
                                  const Workforce& by);

/// Identity of what the ranges are cut from: root, depth, units, their numbers and their paths.
[[nodiscard]] Hash128 plan_identity(const Position& root, Depth depth, const JobUnits& units);

/// Consecutive units, counted in `batches` parts.
struct PlannedRange {
  std::uint64_t first = 0;
  std::uint32_t units = 0;
  std::uint32_t batches = 0;
  double weight = 0;  ///< about how many paths of three plies are below its units

  /// Where batch `batch` begins, counted from `first`; batch_begin(batches) is the range's end.
  [[nodiscard]] constexpr std::uint32_t batch_begin(std::uint32_t batch) const {
    return static_cast<std::uint32_t>(std::uint64_t{units} * batch / batches);
  }
  [[nodiscard]] constexpr UnitSpan batch_span(std::uint32_t batch) const {
    return {static_cast<std::size_t>(first + batch_begin(batch)),
            static_cast<std::size_t>(first + batch_begin(batch + 1))};
  }
};

inline constexpr std::uint32_t kMostBatches = 8;        ///< of a range
inline constexpr std::uint32_t kUnitsWorthABatch = 64;  ///< where a range has so many

/// Units that are enough for so many ranges: half of the batches that they might have.
[[nodiscard]] constexpr std::size_t enough_units_for(std::size_t ranges) {
  return ranges * (kMostBatches / 2) * kUnitsWorthABatch;
}

/// What units weigh, by their numbers: one weight for each `step` neighbours.
struct UnitWeights {
  std::size_t units = 0;  ///< all that there are
  std::size_t step = 1;
  std::vector<float> of_step = {};  ///< of one of them; one for every `step` units begun
};

/// A sample's paths of three plies, or fewer where units have fewer. For time estimates and fair
/// cuts only. kCancelled after `by.stop()`.
Result<UnitWeights> unit_weights(const JobUnits& units, Depth depth, const Workforce& by);

/// Cuts all units into `ranges` ranges, or as many as there are units, of about equal weight, where
/// a group ends if one ends near. Precondition: ranges >= 1, weights.units == units.size().
[[nodiscard]] std::vector<PlannedRange> cut_into_ranges(const JobUnits& units,
                                                        const UnitWeights& weights,
                                                        std::size_t ranges);

/// What the published values say of a split.
struct SplitCheck {
  NodeCount paths;                 ///< to the units
  std::optional<NodeCount> known;  ///< what they should be
  NodeCount deeper;                ///< paths of two plies more
  std::optional<NodeCount> known_deeper;

  [[nodiscard]] bool agrees() const {
    return (!known || *known == paths) && (!known_deeper || *known_deeper == deeper);
  }
};

/// Counts two plies below each unit, and compares. kCancelled after `by.stop()`, kOverflow.
Result<SplitCheck> check_split(const JobUnits& units, const Position& root, const Workforce& by);

/// About how many positions counting all units in one go makes, those that kernels only count left
/// out, from what a split's paths say of the tree's growth: within a factor of 2.5 for the start
/// position. For time estimates only.
[[nodiscard]] double expected_visited(const SplitCheck& check, int split_ply, Depth depth);

}  // namespace manyply

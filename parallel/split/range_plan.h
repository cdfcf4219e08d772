// Cuts a count into ranges for many machines. Every machine computes the same units in the same
// order with the same cuts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/mutex.h"
#include "core/kernel.h"
#include "hash/fingerprint.h"
#include "parallel/jobs/workforce.h"
#include "parallel/split/job_units.h"
#include "parallel/split/root_splitter.h"
#include "parallel/units/unit_source.h"

namespace manyply {

/// The smallest depth of a count that is cut into ranges: at least one ply of split, and units of
/// at least three plies.
inline constexpr int kMinPlannedDepth = 4;
/// The most units of a plan. They take 112 bytes each and their shares, so more would not fit into
/// the memory of every machine.
inline constexpr std::size_t kMostPlannedUnits = 10'000'000;
/// The same limit for packed units, which take 40 bytes each.
inline constexpr std::size_t kMostPackedUnits = 100'000'000;

/// Returns limits that split at exactly `ply`, or earlier if every game ends earlier.
[[nodiscard]] SplitLimits split_at(Depth depth, int ply);

/// How units are stored: with their paths from each root move, or packed, with the total only.
enum class UnitStorage : std::uint8_t { kByRootMove, kPacked };

/// How many units a split for ranges should have and may have.
struct PlannedUnits {
  std::size_t enough = 0;  ///< no further split once there are this many of at most five plies
  std::size_t most = kMostPlannedUnits;
  UnitStorage storage = UnitStorage::kByRootMove;
};

/// Returns the distinct positions at `ply`, or earlier if every game ends earlier, in the order in
/// which ranges are cut. They depend on nothing else. Errors: kCancelled after `by.stop()`, and
/// those of split_packed(). Throws CountOverflow. Precondition: 1 <= ply < depth.
Result<JobUnits> units_at(const Position& root, Depth depth, int ply, UnitStorage storage,
                          const Workforce& by);

/// Returns the shallowest split whose units keep an odd number of plies, at most five, and that has
/// at least `units.enough` units. Stops earlier if units would keep fewer than three plies, exceed
/// `units.most` or exceed the memory. With an odd number of plies left, units that share window
/// entries are neighbours (parallel/README.md, "Ranges"). Errors as for units_at(). Precondition:
/// depth >= kMinPlannedDepth.
Result<JobUnits> units_for_ranges(const Position& root, Depth depth, const PlannedUnits& units,
                                  const Workforce& by);

/// Returns a fingerprint of the root, the depth and all units with their numbers and paths.
/// Machines with equal fingerprints mean the same ranges.
[[nodiscard]] Hash128 plan_identity(const Position& root, Depth depth, const JobUnits& units);

/// Consecutive units, counted in `batches` batches of about equal size.
struct PlannedRange {
  std::uint64_t first = 0;
  std::uint32_t units = 0;
  std::uint32_t batches = 0;
  double weight = 0;  ///< about the number of paths of three plies below its units

  /// Returns where a batch begins, relative to `first`. batch_begin(batches) is the end of the
  /// range.
  [[nodiscard]] constexpr std::uint32_t batch_begin(std::uint32_t batch) const {
    return static_cast<std::uint32_t>(std::uint64_t{units} * batch / batches);
  }
  [[nodiscard]] constexpr UnitSpan batch_span(std::uint32_t batch) const {
    return {static_cast<std::size_t>(first + batch_begin(batch)),
            static_cast<std::size_t>(first + batch_begin(batch + 1))};
  }
};

inline constexpr std::uint32_t kMostBatches = 8;        ///< per range
inline constexpr std::uint32_t kUnitsWorthABatch = 64;  ///< smallest batch, except in small ranges

/// Returns the number of units that suffices for `ranges` ranges: half of the batches that they may
/// have at most.
[[nodiscard]] constexpr std::size_t enough_units_for(std::size_t ranges) {
  return ranges * (kMostBatches / 2) * kUnitsWorthABatch;
}

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

/// Compares the paths of a split with published values.
struct SplitCheck {
  NodeCount paths;                 ///< to the units
  std::optional<NodeCount> known;  ///< published value of `paths`
  NodeCount deeper;                ///< paths two plies below the units
  std::optional<NodeCount> known_deeper;

  [[nodiscard]] bool agrees() const {
    return (!known || *known == paths) && (!known_deeper || *known_deeper == deeper);
  }
};

/// Counts two plies below each unit and compares. Errors: kCancelled after `by.stop()`; kOverflow.
Result<SplitCheck> check_split(const JobUnits& units, const Position& root, const Workforce& by);

/// Estimates how many positions counting all units in one go visits, without those that kernels
/// count but do not make. Uses the growth of the tree that the split shows. Correct within a factor
/// of 2.5 for the start position. Only for time estimates.
[[nodiscard]] double expected_visited(const SplitCheck& check, int split_ply, Depth depth);

// Splits units of many plies again, and counts them by the positions below.

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

// Numbers the units of a job, divides them into ranges, and counts ranges, with or without tables.
// Several processes that have no common memory can count the ranges of one job: every process makes
// the same plan by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/node_count.h"
#include "core/board.h"
#include "parallel/jobs/job.h"
#include "parallel/units/root_splitter.h"
#include "parallel/units/unit_runner.h"

namespace manyply {

/// The units of a job, numbered and in groups: the distinct positions of one ply, with the number
/// of paths to each. RangeJob counts the units. The root's count is the sum of paths × count over
/// all units. Immutable. Any thread may use it.
class JobUnits {
 public:
  /// Numbers the units in the order of `order`, which must contain each unit once.
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

  /// Returns the split from which the units come. The split has the units in another order.
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
/// that leaves three or five plies and has at least `units.enough` units. If no such split
/// exists, it prefers the split that leaves three plies. If the preferred split would have more
/// than `units.most` units, the function takes a shallower split.
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
  std::vector<float> of_step = {};  ///< by step: the weight of each unit in the step
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

/// The units of one job and their counts. run_job() counts all units as one range. WebAssembly
/// modules count them in several ranges and add up the results of sum(). Only one thread at a time
/// may use it.
class RangeJob {
 public:
  /// Opens the store, and either allocates tables or takes them from the keeper. Returns the same
  /// errors as run_job(), and kCancelled after a stop request. Does not catch exceptions.
  ///
  /// `spec` and `units` must outlive the job. `units` must be those of spec.root at spec.depth, and
  /// `by` must be made from the spec. Precondition: units.ply() < spec.depth.
  static Result<std::unique_ptr<RangeJob>> prepare(const JobSpec& spec, Workforce by,
                                                   const JobUnits& units);
  /// Puts the tables into spec.keeper, if there is a keeper and the job did not fail.
  ~RangeJob();
  RangeJob(const RangeJob&) = delete;
  RangeJob& operator=(const RangeJob&) = delete;

  [[nodiscard]] int unit_depth() const { return unit_depth_; }
  /// Returns null if the job uses no tables.
  [[nodiscard]] const TablePlan* table_plan() const { return tables_ ? &tables_->plan() : nullptr; }

  /// Counts the units of `order`. With `alone`, only the calling thread counts. Returns the same
  /// errors as run_job(). After any error except kCancelled, the job must not be used again.
  std::optional<Error> count(const UnitOrder& order, const std::stop_token& stop,
                             bool alone = false);

  /// Returns the count of a unit; 0 until the unit is counted or found in the store.
  [[nodiscard]] NodeCount count_of(std::size_t unit) const { return counts_[unit]; }
  /// Returns for each root move the sum of count × paths over the units in `units`. If several
  /// spans together contain all units, their sums add up to the divide. Throws CountOverflow.
  [[nodiscard]] std::vector<NodeCount> sum(const UnitSpan& units) const;

  /// Returns a report about the tables and their use up to now; nullopt if the job uses no tables.
  /// Must not be called while count() runs.
  [[nodiscard]] std::optional<HashReport> hash_report() const;
  /// resumed_units() returns the number of units found in the store. resumed_leaves() returns the
  /// number of leaves below these units.
  [[nodiscard]] std::uint64_t resumed_units() const { return kept_ ? kept_->known() : 0; }
  [[nodiscard]] double resumed_leaves() const { return resumed_leaves_; }
  [[nodiscard]] double setup_seconds() const { return setup_seconds_; }

  /// Returns null if the job uses no tables.
  [[nodiscard]] const KeySet* keys() const { return tables_ ? &tables_->keys() : nullptr; }

 private:
  RangeJob(const JobSpec& spec, Workforce by, const JobUnits& units);

  std::optional<Error> prepare();
  std::optional<Error> allocate_tables();
  std::optional<Error> open_store();
  std::optional<Error> count_unit(std::size_t unit, const UnitWorker& worker);
  [[nodiscard]] HashStats stats() const;
  /// Returns the expected number of false matches in all counts that used the tables, including
  /// counts of earlier jobs.
  [[nodiscard]] double false_matches_so_far() const;

  const JobSpec& spec_;
  const Workforce by_;
  const KernelPair kernels_;
  const JobUnits& units_;
  const int unit_depth_;
  double setup_seconds_ = 0;

  std::unique_ptr<JobTables> tables_;
  double false_matches_before_ = 0;  // expected number when the job took the tables
  bool reused_ = false;
  bool failed_ = false;

  std::optional<KeptUnits> kept_;  // set if there is a store
  double resumed_leaves_ = 0;
  std::vector<NodeCount> counts_;  // by unit; the worker that counts a unit writes its element
  // By worker, on separate cache lines. During a count, each worker writes only its own element. An
  // element (2 KiB) sums up all units of the worker, because clearing and adding statistics for
  // each unit would take a tenth of the time of perft(7).
  struct alignas(64) WorkerStats {
    HashStats stats;
  };
  std::vector<WorkerStats> worker_stats_;
};

}  // namespace manyply

// Counts the units of a job in one or more ranges, with or without tables. All ranges use the same
// tables and workers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "parallel/jobs/job.h"
#include "parallel/split/range_plan.h"
#include "parallel/units/unit_queue.h"
#include "parallel/units/unit_runner.h"

namespace manyply {

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

  [[nodiscard]] const JobUnits& units() const { return units_; }
  [[nodiscard]] int unit_depth() const { return unit_depth_; }
  /// Returns null if the job uses no tables.
  [[nodiscard]] const TablePlan* table_plan() const { return tables_ ? &tables_->plan() : nullptr; }

  /// Counts the units of `order`. With `alone`, only the calling thread
  /// counts. Returns the same errors as run_job(). After any error except kCancelled, the job must
  /// not be used again.
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
  Result<NodeCount> count_at(const Board& board, int depth, const UnitWorker& worker);
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

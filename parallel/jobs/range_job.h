// A hashed or plain count that can be made in ranges of units. Tables and workers are made once and
// serve all ranges.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "parallel/jobs/job.h"
#include "parallel/split/range_plan.h"
#include "parallel/units/unit_runner.h"
#include "parallel/units/unit_source.h"

namespace manyply {

/// The units of one job and their counts. run_job() counts all units as one range. WebAssembly
/// modules count them in several ranges and add up the results of sum(). Use it from one thread at
/// a time.
class RangeJob {
 public:
  /// Opens the store, and allocates tables or takes them from the keeper. Returns the errors of
  /// run_job(); kCancelled after `by.stop()`. Throws what its parts throw. The job keeps references
  /// to all arguments. `units` must be those of spec.root at spec.depth, and `by` made from the
  /// spec. Precondition: units.ply() < spec.depth.
  static Result<std::unique_ptr<RangeJob>> prepare(const JobSpec& spec, Workforce by,
                                                   const JobUnits& units);
  /// Returns the tables to the keeper, unless the job failed.
  ~RangeJob();
  RangeJob(const RangeJob&) = delete;
  RangeJob& operator=(const RangeJob&) = delete;

  [[nodiscard]] const JobUnits& units() const { return units_; }
  [[nodiscard]] int unit_depth() const { return unit_depth_; }
  /// Returns null if the job uses no tables.
  [[nodiscard]] const TablePlan* table_plan() const { return tables_ ? &tables_->plan() : nullptr; }

  /// Counts the units of `source`, which must be closed. Returns the seconds that workers were idle, summed over workers. Errors as for run_job(); after any error except
  /// kCancelled the job must not be used again. With `alone`, only the calling thread counts.
  Result<double> count(UnitSource& source, const std::stop_token& stop, bool alone = false);

  /// Returns the count of a unit; 0 until it is counted.
  [[nodiscard]] NodeCount count_of(std::size_t unit) const { return counts_[unit]; }
  /// Returns the sum of count × paths over these units, by root move. Over spans that cover all
  /// units, these sums add up to the divide. Throws CountOverflow.
  [[nodiscard]] std::vector<NodeCount> sum(const UnitSpan& units) const;

  /// Describes the tables and all counting so far; nullopt without tables. Only while count() does
  /// not run.
  [[nodiscard]] std::optional<HashReport> hash_report() const;
  /// Number of units found in the store, and of leaves below them.
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
  /// Expected false matches of everything counted into the tables, also by earlier jobs.
  [[nodiscard]] double false_matches_so_far() const;

  const JobSpec& spec_;
  const Workforce by_;
  const KernelPair kernels_;
  const JobUnits& units_;
  const int unit_depth_;
  double setup_seconds_ = 0;

  std::unique_ptr<JobTables> tables_;
  double false_matches_before_ = 0;  // expected in the reused tables at the start
  bool reused_ = false;
  bool failed_ = false;

  std::optional<KeptUnits> kept_;  // set if there is a store
  double resumed_leaves_ = 0;
  std::vector<NodeCount> counts_;  // each element is written by the worker that counts the unit
  // One per worker and written only by it while it counts, on separate cache lines. Each has 2 KiB:
  // clearing and adding one per unit would take a tenth of the time of perft(7).
  struct alignas(64) WorkerStats {
    HashStats stats;
  };
  std::vector<WorkerStats> worker_stats_;
};

}  // namespace manyply

// A count that may be taken range by range: split, order, tables and workers are made once and kept
// from one range to the next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "parallel/job.h"
#include "parallel/unit_runner.h"

namespace manyply {

/// One job's units. run_job counts all of them as one range; whoever counts them in several, on
/// several machines even, adds up what sum() says of each. One thread at a time, but for what the
/// source and its on_done do while count() runs.
class RangeJob {
 public:
  /// Splits the root, orders the units, opens the store, allocates tables or borrows the keeper's.
  /// Errors as run_job's, kCancelled after `stop`. Throws what its parts throw. What is referred to
  /// must outlive the job; spec.threads and spec.placement are what `workers` were made of.
  /// With a `split_ply` it is split there, and in the order of order_for_ranges; else both are as
  /// suits one count with its tables. Precondition: spec.depth >= 1, 1 <= split_ply < spec.depth.
  static Result<std::unique_ptr<RangeJob>> prepare(const JobSpec& spec, Workers workers,
                                                   const std::stop_token& stop, Progress& progress,
                                                   std::optional<int> split_ply = {});
  /// Gives borrowed tables back, unless something went wrong with them.
  ~RangeJob();
  RangeJob(const RangeJob&) = delete;
  RangeJob& operator=(const RangeJob&) = delete;

  [[nodiscard]] const RootSplit& split() const { return split_; }
  [[nodiscard]] int unit_depth() const { return unit_depth_; }
  /// All units, as they should be counted: neighbours share what is in a table. Ranges that end
  /// where a group ends lose nothing.
  [[nodiscard]] const UnitOrder& order() const { return order_; }

  /// Counts the units that `source` hands out, ranges of order() above all, until it is closed and
  /// empty: each with the tables that those before have filled. Answers for how long workers had
  /// nothing to do. kCancelled and other errors as run_job's; after one but kCancelled the job is
  /// good for nothing.
  Result<double> count(UnitSource& source, const std::stop_token& stop);

  /// By unit; 0 where a unit has not been counted yet.
  [[nodiscard]] const std::vector<NodeCount>& counts() const { return counts_; }
  /// The paths by root move through these units: over ranges that are all of order(), these sums
  /// add up to the divide. Throws CountOverflow.
  [[nodiscard]] std::vector<DivideEntry> sum(std::span<const std::uint32_t> units) const;

  /// Of everything counted so far; read while nobody counts.
  [[nodiscard]] std::optional<HashReport> hash_report() const;
  /// Units that were in the store, and the leaves below them.
  [[nodiscard]] std::uint64_t resumed_units() const { return kept_ ? kept_->known() : 0; }
  [[nodiscard]] double resumed_leaves() const { return resumed_leaves_; }
  [[nodiscard]] double setup_seconds() const { return setup_seconds_; }

  /// The tables, if it has any, for an audit; the job counts no more.
  [[nodiscard]] std::unique_ptr<JobTables> take_tables() { return std::move(tables_); }

 private:
  RangeJob(const JobSpec& spec, Workers workers, const std::stop_token& stop, Progress& progress,
           std::optional<int> split_ply);

  std::optional<Error> prepare(const std::stop_token& stop, bool for_ranges);
  [[nodiscard]] UnitOrder order_for_one_count() const;
  std::optional<Error> allocate_tables(const std::stop_token& stop);
  std::optional<Error> open_store();
  std::optional<Error> count_unit(std::size_t unit, const UnitWorker& worker);
  [[nodiscard]] HashStats stats() const;
  /// Expected of all that was counted into the tables, by earlier jobs, too.
  [[nodiscard]] double false_matches_so_far() const;

  const JobSpec& spec_;
  const KernelPair kernels_;
  const Workers workers_;
  Progress& progress_;
  const RootSplit split_;
  const int unit_depth_;
  UnitOrder order_;
  double setup_seconds_ = 0;

  std::unique_ptr<JobTables> tables_;
  double false_matches_before_ = 0;  // expected of what was in tables_ at the start
  bool reused_ = false;
  bool failed_ = false;

  std::optional<KeptUnits> kept_;  // if there is a store
  double resumed_leaves_ = 0;
  std::vector<NodeCount> counts_;  // by unit, written by the worker that counts it
  // By worker, written by it alone while it counts, on cache lines of its own. Two KiB: clearing
  // and adding them up for each unit would take a tenth of perft(7).
  struct alignas(64) WorkerStats {
    HashStats stats;
  };
  std::vector<WorkerStats> worker_stats_;
};

}  // namespace manyply

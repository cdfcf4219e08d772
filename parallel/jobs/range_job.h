// A count that may be taken range by range: tables and workers are made once and kept from one
// range to the next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "parallel/jobs/job.h"
#include "parallel/split/job_units.h"
#include "parallel/split/split_again.h"
#include "parallel/units/unit_counts.h"
#include "parallel/units/unit_runner.h"

namespace manyply {

/// One job's units. run_job counts all of them as one range; whoever counts them in several, on
/// several machines even, adds up what sum() says of each. One thread at a time, but for add() and
/// what the source and its callers do while count() runs.
class RangeJob {
 public:
  /// Units that are split again in one go: each has hundreds of positions two plies below.
  static constexpr std::size_t kMostSplitAgain = 8'000;

  /// Opens the store, allocates tables or borrows the keeper's. Errors as run_job's, kCancelled
  /// after `by.stop()`. Throws what its parts throw. What is referred to must outlive the job;
  /// `units` are those of spec.root, which has spec.depth; `by` was made of the spec. Precondition:
  /// units.ply() < spec.depth.
  static Result<std::unique_ptr<RangeJob>> prepare(const JobSpec& spec, Workforce by,
                                                   const JobUnits& units);
  /// Gives borrowed tables back, unless something went wrong with them.
  ~RangeJob();
  RangeJob(const RangeJob&) = delete;
  RangeJob& operator=(const RangeJob&) = delete;

  [[nodiscard]] const JobUnits& units() const { return units_; }
  [[nodiscard]] int unit_depth() const { return unit_depth_; }
  /// Null without tables.
  [[nodiscard]] const TablePlan* table_plan() const { return tables_ ? &tables_->plan() : nullptr; }

  /// Adds these units to `source`, which is this job's, in parts as UnitSource::add has them.
  /// Neighbours share what is in a table: parts that follow each other are one piece, in which
  /// groups end only where they do in units(). While `on_part` is told of a part, its counts may be
  /// read; then their memory is given up. Units that keep more than five plies are split again, all
  /// of these together, if they are not too many for that (kMostSplitAgain): a part is told of
  /// when all before it have been counted, too. That takes a second or two; after `stop` nothing
  /// may have been added. Any thread, while count() runs, too. Throws CountOverflow. Precondition:
  /// no part is empty.
  void add(UnitSource& source, std::vector<UnitSpan> parts, UnitSource::OnPart on_part,
           const std::stop_token& stop = {});
  /// For those who add to a source themselves: all counts may be read at any time, 0 where a unit
  /// has not been counted yet.
  void hold_all() { counts_.hold({0, units_.size()}); }

  /// Counts the units that `source` hands out, until it is closed and empty: each with the tables
  /// that those before have filled. Answers for how long workers had nothing to do. kCancelled and
  /// other errors as run_job's; after one but kCancelled the job is good for nothing. `alone`: on
  /// the calling thread, without the other workers.
  Result<double> count(UnitSource& source, const std::stop_token& stop, bool alone = false);

  /// Precondition: the unit's count may be read.
  [[nodiscard]] NodeCount count_of(std::size_t unit) const { return counts_[unit]; }
  /// The paths through these units, by root move or all together (JobUnits::sums): over spans that
  /// are all units, these sums add up to the divide. Throws CountOverflow. Precondition as above.
  [[nodiscard]] std::vector<NodeCount> sum(const UnitSpan& units) const;

  /// Of everything counted so far; read while nobody counts.
  [[nodiscard]] std::optional<HashReport> hash_report() const;
  /// Units that were in the store, and the leaves below them.
  [[nodiscard]] std::uint64_t resumed_units() const { return kept_ ? kept_->known() : 0; }
  [[nodiscard]] double resumed_leaves() const { return resumed_leaves_; }
  [[nodiscard]] double setup_seconds() const { return setup_seconds_; }

  /// The tables, if it has any, for an audit; the job counts no more.
  [[nodiscard]] std::unique_ptr<JobTables> take_tables() { return std::move(tables_); }

 private:
  RangeJob(const JobSpec& spec, Workforce by, const JobUnits& units);

  std::optional<Error> prepare();
  std::optional<Error> allocate_tables();
  std::optional<Error> open_store();
  void add_split_again(UnitSource& source, std::vector<UnitSpan> parts, UnitSource::OnPart on_part,
                       const std::stop_token& stop);
  std::optional<Error> count_unit(std::size_t unit, const UnitWorker& worker);
  std::optional<Error> count_below(SplitAgain& below, std::size_t position,
                                   const UnitWorker& worker);
  Result<NodeCount> count_at(const Board& board, int depth, const UnitWorker& worker);
  [[nodiscard]] HashStats stats() const;
  /// Expected of all that was counted into the tables, by earlier jobs, too.
  [[nodiscard]] double false_matches_so_far() const;

  const JobSpec& spec_;
  const Workforce by_;
  const KernelPair kernels_;
  const JobUnits& units_;
  const int unit_depth_;
  double setup_seconds_ = 0;

  std::unique_ptr<JobTables> tables_;
  double false_matches_before_ = 0;  // expected of what was in tables_ at the start
  bool reused_ = false;
  bool failed_ = false;

  std::optional<KeptUnits> kept_;  // if there is a store
  double resumed_leaves_ = 0;
  UnitCounts counts_;  // each written by the worker that counts the unit
  // By worker, written by it alone while it counts, on cache lines of its own. Two KiB: clearing
  // and adding them up for each unit would take a tenth of perft(7).
  struct alignas(64) WorkerStats {
    HashStats stats;
  };
  std::vector<WorkerStats> worker_stats_;
};

}  // namespace manyply

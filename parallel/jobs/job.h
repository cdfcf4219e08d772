// A perft job: the position and depth to count, the method, and the result. The command and the
// server make a JobSpec, call run_job() and print the Report. count_many() makes many counts in one
// call, such as those of a suite of positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/counting.h"
#include "core/fen.h"
#include "core/known_values.h"
#include "parallel/jobs/job_tables.h"
#include "parallel/jobs/workforce.h"
#include "parallel/matrix/matrix_job.h"
#include "parallel/progress.h"
#include "parallel/units/unit_store.h"

namespace manyply {

/// A function that is called when a job has allocated its tables. Tests use it to damage entries.
using TableHook = std::function<void(JobTables&)>;

/// Data for an audit of a job's result (JobSpec::trace).
struct JobTrace {
  RootSplit split;
  int unit_depth = 0;
  std::vector<NodeCount> counts;  ///< one for each unit
  std::optional<KeySet> keys;     ///< nullopt if the job used no table
  TableHook on_tables;
};

/// A count with JobSpec::one_of_many is small if it has at most about this number of leaves, as
/// estimated by is_small(). With the best kernel and a table, one core makes such a
/// count in 10 ms. Storing its units on a disk would take about the same time.
inline constexpr double kSmallJobLeaves = 1e8;

/// A perft to count, and how to count it.
struct JobSpec : TaskSpec {
  /// Some counts cannot be made by configurations: shallow counts, counts with a `trace`, counts
  /// whose matrices do not fit into memory, and counts in which 2^31 or more paths lead to one
  /// position. run_job() makes these counts as with kHashed, and Report::method_reason says why.
  /// Exception: with kConfigurations, too little memory or too many paths to a position are errors.
  /// A count by configurations keeps the sums of its parts in `store`, unless it is a divide.
  Method method = Method::kHashed;
  bool divide = true;                 ///< fill Report::divide
  std::optional<HashSpec> hash = {};  ///< the tables to use; nullopt = use no table
  /// Number of bytes that the whole process may use in a count by configurations. If it is 0, only
  /// the matrices have a limit: hash->bytes or, if that is not set, half of the available memory.
  std::uint64_t memory_bytes = 0;
  /// The number of parts in a count by configurations. 0 = the smallest number for which the parts
  /// fit into memory.
  std::size_t parts = 0;
  /// The share of the count that the job makes. If the share is not the whole count, the job never
  /// falls back to hashing. Such a job must have the method kConfigurations, a depth of at least
  /// kMinMatrixDepth, no `store`, and `parts` 0.
  CountShare share = {};
  /// Called before a count by configurations starts to count parts.
  std::function<void(const PartsPlan&)> on_parts = {};
  /// Called before a count with Method::kAuto falls back to hashing because the matrices do not fit
  /// into memory.
  std::function<void(const std::string& reason)> on_fallback = {};
  /// If not null, this device counts the last two plies of a count by configurations (see
  /// MatrixSpec::device), except in a small count with one_of_many. The device must outlive the
  /// job. If the device is used by another job, has too little memory or fails, the job fails.
  /// Exception: with one_of_many, the processor then counts instead, and Report::method_reason says
  /// why.
  LastPliesDevice* device = nullptr;
  UnitStore* store = nullptr;     ///< stores counts of finished units; must outlive the job
  TableKeeper* keeper = nullptr;  ///< keeps tables between jobs; must outlive the job
  /// True if this count is one of many. A small count (kSmallJobLeaves) is then made by
  /// configurations only if `method` is kConfigurations. All other small counts are made by the
  /// calling thread alone, with at most 8 MiB of tables and no store. In counts that are not small,
  /// one_of_many changes only the use of `device`.
  bool one_of_many = false;
  /// If not null, filled if the job succeeds. Must outlive the job.
  JobTrace* trace = nullptr;
};

/// The tables of a hashed job, and statistics about their use.
struct HashReport {
  std::uint64_t bytes = 0;  ///< bytes of all tables together
  TablePlan plan;
  std::size_t stripes = 0;
  KeySpec keys;
  bool secret_seed = false;          ///< true if printed reports must omit the seed of the keys
  double effective_deep_bits = 0;    ///< number of key bits that a match in the deep table compares
  double effective_window_bits = 0;  ///< number of key bits that a match at depth 2 compares
  double deep_fill = 0;              ///< fraction of deep table entries in use at the end, 0 to 1
  HashStats stats;
  double expected_false_matches = 0;  ///< includes earlier jobs that used the same tables
  bool reused = false;                ///< true if an earlier job filled the tables
};

/// The result of a job. `nodes` and `divide` do not depend on threads or schedule.
struct Report {
  NodeCount nodes;
  std::vector<DivideEntry>
      divide;  ///< in legal_moves() order; empty at depth 0; may be empty if not requested
  KnownVerdict known = KnownVerdict::kUnknown;
  std::optional<NodeCount> known_nodes;

  double seconds = 0;         ///< wall clock time including the split, without setup_seconds
  double setup_seconds = 0;   ///< time to allocate the tables and touch their pages
  double serial_seconds = 0;  ///< time within `seconds` in which some worker had no work
  std::uint64_t visited = 0;  ///< number of positions generated
  std::uint64_t units = 0;    ///< units of the split; by configurations: number of stored parts
  std::uint64_t resumed_units = 0;  ///< units whose counts came from JobSpec::store
  double resumed_leaves = 0;        ///< leaves below resumed units; excluded from speeds
  int threads = 0;
  std::string kernel;
  std::string method_reason;       ///< the reason for the choice of the method, in a few words
  std::optional<HashReport> hash;  ///< nullopt if no table was used, for example at depths below 5
  std::optional<MatrixReport> matrix;  ///< set if the job counted by configurations

  [[nodiscard]] double leaves_per_second() const;  ///< 0 if `seconds` is 0
  [[nodiscard]] double visited_per_second() const;
};

/// Counts `spec` and blocks until done. Throws nothing. Any thread may call it. The caller must not
/// hold a lock. `progress` must outlive the call, and only this job may use it. Any thread may read
/// it during the call. Precondition: spec.keeper or spec.trace is null.
///
/// Errors: kCancelled within a fraction of a second after a stop request, without a partial count;
/// kOverflow; kUnavailable (memory, device, store, placement, or a method that cannot be used);
/// kInvalidInput (threads); kInternal.
Result<Report> run_job(const JobSpec& spec, const std::stop_token& stop,
                       Progress* progress = nullptr);

/// Returns the divide: for each root move, the sum of count × paths over all units. `counts` must
/// have one element for each unit. Throws CountOverflow.
std::vector<DivideEntry> sum_by_root_move(const RootSplit& split,
                                          const std::vector<NodeCount>& counts);

/// The result of one of many counts.
struct ManyCounted {
  std::size_t job;  ///< index into the jobs
  NodeCount nodes;
  bool hashed;  ///< true if counted with a table
};

/// Counts of up to this number of leaves are not split. One worker with a slow kernel makes such a
/// count in a tenth of a second, so other workers wait only briefly for the last count. Larger
/// counts are split. Splitting takes about a thousandth of the time of a larger count.
inline constexpr double kSmallLeaves = 3e8;

/// Receives each count, in the order of the jobs. Only one call runs at a time, but calls come from
/// different threads. The callback can end the run by returning false.
using OnManyCounted = std::function<bool(const ManyCounted&)>;

/// Counts each of `jobs` and blocks until done. A small job has at most about `small_leaves` leaves
/// and is counted by one worker, while the other workers count other small jobs. A large job is
/// counted by all workers together, with the tables of the previous large job if they fit. All
/// small jobs of depth kMinHashedDepth or more use common tables. The total size of these tables is
/// HashSpec::bytes. If HashSpec::bytes is 0, the size is 32 MiB, but at most half of the available
/// memory. If JobSpec::hash is not set, small jobs use no table.
///
/// Returns nullopt if `on_counted` has received all counts or has ended the run. Otherwise returns
/// the first error of a count or of the allocation of the common tables. The errors are the same as
/// those of run_job(). Throws nothing. Any thread may call it. The caller must not hold a lock. If
/// `progress` is given, each job is one unit.
///
/// Preconditions: all jobs have the same threads, kernel, hash and placement. Their store, keeper
/// and trace are null.
std::optional<Error> count_many(std::span<const JobSpec> jobs, const std::stop_token& stop,
                                Progress* progress, const OnManyCounted& on_counted,
                                double small_leaves = kSmallLeaves);

/// Estimates whether `board` has at most `most_leaves` leaves at `depth` plies. Precondition: depth
/// >= 1. A count of depth 4 or less is always small.
///
/// Counts two and three plies exactly, which takes at most a fiftieth of the time of the full
/// count. Assumes that each later ply multiplies the leaves by the same factor as the third ply.
/// This is a guess: if pieces become mobile late, there may be ten times as many leaves as
/// estimated. After a stop request the result is meaningless. Any thread may call it.
[[nodiscard]] bool is_small(const Board& board, int depth, double most_leaves, const Kernel& kernel,
                            const std::stop_token& stop);

}  // namespace manyply

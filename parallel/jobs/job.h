// A perft job: what to count, how, and what came of it. The command and the server both build a
// JobSpec and print a Report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/counting.h"
#include "core/fen.h"
#include "core/known_values.h"
#include "core/method.h"
#include "parallel/jobs/job_tables.h"
#include "parallel/jobs/table_keeper.h"
#include "parallel/jobs/workforce.h"
#include "parallel/matrix/matrix_job.h"
#include "parallel/progress.h"
#include "parallel/units/unit_store.h"

namespace manyply {

/// Called when a job's tables have been allocated: lets tests damage what is counted with.
using TableHook = std::function<void(JobTables&)>;

/// What a job leaves behind for an audit of its result.
struct JobTrace {
  RootSplit split;
  int unit_depth = 0;
  std::vector<NodeCount> counts;      ///< by unit
  std::unique_ptr<JobTables> tables;  ///< null if it used none
  TableHook on_tables;
};

/// Of one of many counts (JobSpec::one_of_many): up to so many leaves it is small. One core counts
/// them in 10 ms with the best kernel and a table; a disk takes as long to store their units.
inline constexpr double kSmallJobLeaves = 1e8;

struct JobSpec : TaskSpec {
  /// What cannot be counted by configurations is counted as if kHashed stood here: shallow counts,
  /// those that leave a trace, and those whose matrices become too large. The report says what was
  /// done. A count by configurations leaves nothing in `store`.
  Method method = Method::kHashed;
  bool divide = true;                 ///< whether Report::divide is wanted
  std::optional<HashSpec> hash = {};  ///< absent = count every path, no table
  /// Memory of the whole process in a count by configurations; 0 = what a table was given, or half
  /// of what is free.
  std::uint64_t memory_bytes = 0;
  /// Called before a count by configurations counts in parts.
  std::function<void(const PartsPlan&)> on_parts = {};
  UnitStore* store = nullptr;     ///< keeps counts of finished units; must outlive the job
  TableKeeper* keeper = nullptr;  ///< lends tables and gets them back; must outlive the job
  /// If it is small, it is counted whole, one root move after the other, on the calling thread; its
  /// units are not stored, and it makes no table of more than 8 MiB. Else it is a job like others.
  bool one_of_many = false;
  /// Filled when the job has succeeded; must outlive it. Takes the tables: not with `keeper`.
  JobTrace* trace = nullptr;
};

/// What a hashed job's tables were and did.
struct HashReport {
  std::uint64_t bytes = 0;  ///< all tables together
  TablePlan plan;
  std::size_t stripes = 0;
  KeySpec keys;
  bool secret_seed = false;          ///< written reports leave the seed out
  double effective_deep_bits = 0;    ///< key bits compared by a deep match: tag and index
  double effective_window_bits = 0;  ///< the same at depth 2
  double deep_fill = 0;              ///< share of deep entries in use at the end
  HashStats stats;
  double expected_false_matches = 0;  ///< of reused tables: of all that was counted into them
  bool reused = false;                ///< an earlier job's tables, with what that had stored
};

/// The outcome of a finished job. Nothing in it but the times depends on threads or schedule.
struct Report {
  NodeCount nodes;
  std::vector<DivideEntry> divide;  ///< in legal_moves() order; empty at depth 0, or if not wanted
  KnownVerdict known = KnownVerdict::kUnknown;
  std::optional<NodeCount> known_nodes;

  double seconds = 0;               ///< the whole count, splitting included, wall clock
  double setup_seconds = 0;         ///< allocation and first touch of the tables, not in `seconds`
  double idle_seconds = 0;          ///< summed over workers: waiting for the last one to finish
  std::uint64_t visited = 0;        ///< positions generated
  std::uint64_t units = 0;          ///< distinct subtrees the work was split into
  std::uint64_t resumed_units = 0;  ///< of these, found in JobSpec::store
  double resumed_leaves = 0;        ///< leaves below them: not counted in `seconds`
  int threads = 0;
  std::string kernel;
  std::string method_reason;           ///< why this method was taken, in a few words
  std::optional<HashReport> hash;      ///< absent when no table was used, as below a depth of 5
  std::optional<MatrixReport> matrix;  ///< there if it was counted by configurations

  [[nodiscard]] double leaves_per_second() const;  ///< 0 when no time was measured
  [[nodiscard]] double visited_per_second() const;
};

/// Runs `spec` to its end on its own task arena and blocks until then. Errors: kCancelled after
/// `stop` (within a fraction of a second; no partial count), kOverflow, kUnavailable (memory),
/// kInvalidInput (threads), kInternal. Throws nothing. Any thread; hold no lock. `progress`, if
/// given, is used for this job only, must outlive the call and may be read by any thread meanwhile.
Result<Report> run_job(const JobSpec& spec, const std::stop_token& stop,
                       Progress* progress = nullptr);

/// The divide: the units' counts, each as often as paths lead to it. Throws CountOverflow.
std::vector<DivideEntry> sum_by_root_move(const RootSplit& split,
                                          const std::vector<NodeCount>& counts);

}  // namespace manyply

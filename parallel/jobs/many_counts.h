// Many counts in one call, most of them small, as for suites of positions.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include "parallel/jobs/job.h"

namespace manyply {

/// The result of one of many counts.
struct ManyCounted {
  std::size_t job;  ///< index into the jobs
  NodeCount nodes;
  bool hashed;  ///< counted with a table
};

/// Counts of up to this many leaves are not split. One worker counts them in a tenth of a second
/// with a slow kernel, so the wait for the last ones is short. A split takes a thousandth of that
/// time.
inline constexpr double kSmallLeaves = 3e8;

/// Receives each count in the order of the jobs: one call at a time, but from changing threads.
/// Returns false to end the run.
using OnManyCounted = std::function<bool(const ManyCounted&)>;

/// Counts each of `jobs` and blocks until done. One worker counts a small job (about `small_leaves`
/// leaves at most) as a whole, so all workers are busy without splitting. All workers together
/// count a large one. Large counts keep their tables from one to the next. Small counts share one
/// table, of 32 MiB unless HashSpec::bytes says otherwise.
///
/// Returns nullopt if `on_counted` has received all counts or has ended the run. Otherwise returns
/// the error of the first count that failed; errors as for run_job. Throws nothing. Any thread;
/// hold no lock. `progress`, if given, counts one unit per job.
///
/// Preconditions: all jobs have the same threads, kernel, hash and placement; store, keeper and
/// trace are null. no keeper and no trace.
std::optional<Error> count_many(std::span<const JobSpec> jobs, const std::stop_token& stop,
                                Progress* progress, const OnManyCounted& on_counted,
                                double small_leaves = kSmallLeaves);

}  // namespace manyply

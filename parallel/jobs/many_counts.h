// Many counts in one call, most of them small, as for suites of positions.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include "core/kernel.h"
#include "core/position.h"
#include "parallel/jobs/job.h"

namespace manyply {

/// The result of one of many counts.
struct ManyCounted {
  std::size_t job;  ///< index into the jobs
  NodeCount nodes;
  bool hashed;  ///< counted with a table
};

/// Counts of up to this many leaves are not split. One worker with a slow kernel makes such a count
/// in a tenth of a second, so the wait for the last counts is short. A split takes a thousandth of
/// that time.
inline constexpr double kSmallLeaves = 3e8;

/// Receives each count, in the order of the jobs. One call at a time, but from different threads.
/// Returns false to end the run.
using OnManyCounted = std::function<bool(const ManyCounted&)>;

/// Counts each of `jobs` and blocks until done. A small job (at most about `small_leaves` leaves)
/// is counted by one worker, so all workers are busy without splitting. A large job is counted by
/// all workers together. Large counts reuse the tables of the previous large count. Small counts
/// share one table, of 32 MiB unless HashSpec::bytes says otherwise.
///
/// Returns nullopt if `on_counted` has received all counts or has ended the run. Otherwise returns
/// the error of the first count that failed; errors as for run_job. Throws nothing. Any thread;
/// hold no lock. `progress`, if given, counts one unit per job.
///
/// Preconditions: all jobs have the same threads, kernel, hash and placement; their store, keeper
/// and trace are null.
std::optional<Error> count_many(std::span<const JobSpec> jobs, const std::stop_token& stop,
                                Progress* progress, const OnManyCounted& on_counted,
                                double small_leaves = kSmallLeaves);

// Decides which counts are small, so that one worker counts them faster than a job can start.

/// Estimates whether `board` has at most `most_leaves` leaves at `depth` >= 1 plies. Counts two and
/// three plies exactly, which costs up to a fiftieth of the full count, and assumes that each
/// further ply multiplies the leaves as the third one does. A depth of 4 or less is always small.
///
/// This is a guess: if pieces become mobile late, it may accept counts of ten times as many leaves.
/// After `stop` the result is meaningless. Any thread.
[[nodiscard]] bool is_small(const Board& board, int depth, double most_leaves, const Kernel& kernel,
                            const std::stop_token& stop);

}  // namespace manyply

// Many counts in one call. Most of them are small, as in suites of positions.
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
  bool hashed;  ///< true if counted with a table
};

/// Counts of up to this number of leaves are not split. One worker with a slow kernel makes such a
/// count in a tenth of a second, so the others wait only briefly for the last count. Larger counts
/// are split. Splitting takes about a thousandth of the time of a larger count.
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
/// the first error: that of a count or of the allocation of the common tables. The errors are those
/// of run_job(). Throws nothing. Any thread may call it. The caller must not hold a lock. If
/// `progress` is given, each job is one unit.
///
/// Preconditions: all jobs have the same threads, kernel, hash and placement. Their store, keeper
/// and trace are null.
std::optional<Error> count_many(std::span<const JobSpec> jobs, const std::stop_token& stop,
                                Progress* progress, const OnManyCounted& on_counted,
                                double small_leaves = kSmallLeaves);

// Decides whether a count is so small that one worker should make it.

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

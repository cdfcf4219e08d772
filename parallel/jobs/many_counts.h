// Many counts, most of them small: what suites of positions ask for.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include "parallel/jobs/job.h"

namespace manyply {

/// One of many counts, done.
struct ManyCounted {
  std::size_t job;  ///< its place among the jobs
  NodeCount nodes;
  bool hashed;  ///< with a table
};

/// As many leaves take one worker a tenth of a second with a slow kernel: nobody minds waiting for
/// that in the end. A split costs a thousandth of it.
inline constexpr double kSmallLeaves = 3e8;

/// Told of each count in the order of the jobs, by one thread at a time, but not always by the same
/// one. False: no more are wanted.
using OnManyCounted = std::function<bool(const ManyCounted&)>;

/// Counts each of `jobs`. A small one (of at most `small_leaves`, about) goes whole to one worker,
/// so that all are busy without a split and without waiting for each other; a large one is a job of
/// its own, for all workers. Tables are kept from count to count: those of large ones, and one for
/// small ones, of 32 MiB where HashSpec::bytes says nothing.
///
/// Answers nothing when `on_counted` was told of all, or wanted no more. Errors as run_job's, of
/// the first count that met one. Throws nothing. Any thread; hold no lock. `progress`, if given,
/// has a unit for each job.
///
/// Preconditions: threads, kernel, hash and placement of all jobs are the same; they have no store,
/// no keeper and no trace.
std::optional<Error> count_many(std::span<const JobSpec> jobs, const std::stop_token& stop,
                                Progress* progress, const OnManyCounted& on_counted,
                                double small_leaves = kSmallLeaves);

}  // namespace manyply

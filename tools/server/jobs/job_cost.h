// Estimates the cost of a job before it starts.
#pragma once

#include "tools/server/jobs/job_types.h"

namespace manyply {

/// Leaves of `root` at `depth`, if each ply multiplies them as the second and third one do. Exact
/// up to three plies; below that mostly too few, by half for each further ply at worst. Takes about
/// a millisecond.
[[nodiscard]] double expected_leaves(const Position& root, Depth depth);

/// Seconds that one core will take for `request`, within a factor of five on the machines of these
/// years: its leaves, at a pace known for each mode. It need not be right: a job that outgrows it
/// is only moved. Any thread.
[[nodiscard]] double expected_core_seconds(const JobRequest& request);

}  // namespace manyply

// Estimates the cost of a job before it starts.
#pragma once

#include "tools/server/jobs/job_types.h"

namespace manyply {

/// Estimates the leaves of `root` at `depth` from the growth at the second and third ply. Exact up
/// to depth 3. Beyond that mostly too low, at worst by half for each further ply. Takes about 1 ms.
[[nodiscard]] double expected_leaves(const Position& root, Depth depth);

/// Estimates the seconds that one core needs for `request`: its leaves at a fixed rate for each
/// mode, within a factor of five on machines of the years around 2025. Accuracy is not essential: a
/// job that exceeds the estimate is only moved to the queue. Safe to call from any thread.
[[nodiscard]] double expected_core_seconds(const JobRequest& request);

}  // namespace manyply

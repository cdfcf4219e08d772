// From a question to what parallel/ runs: the one place that knows both.
#pragma once

#include <string>

#include "parallel/jobs/estimate.h"
#include "parallel/jobs/job.h"
#include "parallel/jobs/statistics_job.h"
#include "parallel/jobs/unique_job.h"
#include "tools/report/limits.h"
#include "tools/report/question.h"

namespace manyply {

// Preconditions of all: `question` is validated. What only a caller has (a store, a keeper of
// tables, a trace) it adds. Errors name what contradicts the rest: "hash", "key-seed", "key-bits"
// or "interleave".

/// With a table, unless the question's mode or the means are against it.
Result<JobSpec> job_spec(const Question& question, const Limits& limits);
Result<StatisticsSpec> statistics_spec(const Question& question, const Limits& limits);

// These use no table, whatever is said of one.

[[nodiscard]] EstimateSpec estimate_spec(const Question& question, const Limits& limits);
/// What is beyond `memory_bytes` (0 = half of what is available) goes to `temp_dir`.
[[nodiscard]] UniqueSpec unique_spec(const Question& question, const Limits& limits,
                                     std::uint64_t memory_bytes, std::string temp_dir);

}  // namespace manyply

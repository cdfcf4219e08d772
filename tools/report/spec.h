// Turns a question into a specification for parallel/. Only this code depends on both questions and
// specifications.
#pragma once

#include <string>

#include "parallel/jobs/estimate.h"
#include "parallel/jobs/job.h"
#include "parallel/jobs/statistics_job.h"
#include "parallel/jobs/unique_job.h"
#include "tools/report/count_options.h"
#include "tools/report/question.h"

namespace manyply {

// These functions return the specification that answers `question`. Precondition: `question` is
// validated. The specification has no store, table keeper or trace; the caller may add them. Error:
// if two options contradict each other, the error's field is one of them: "hash", "key-seed",
// "key-bits" or "interleave".

/// The count uses a table, unless the question's mode or `count_options` exclude tables.
Result<JobSpec> job_spec(const Question& question, const CountOptions& count_options);
Result<StatisticsSpec> statistics_spec(const Question& question, const CountOptions& count_options);

// These functions use no table, whatever `count_options` says.

[[nodiscard]] EstimateSpec estimate_spec(const Question& question,
                                         const CountOptions& count_options);
/// If a table size is given, this size limits the memory for positions.
[[nodiscard]] UniqueSpec unique_spec(const Question& question, const CountOptions& count_options);

}  // namespace manyply

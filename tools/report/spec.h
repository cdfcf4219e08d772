// Turns a question into a specification for parallel/.
#pragma once

#include <string>

#include "parallel/jobs/estimate.h"
#include "parallel/jobs/job.h"
#include "parallel/jobs/statistics_job.h"
#include "parallel/jobs/unique_job.h"
#include "tools/report/count_options.h"
#include "tools/report/question.h"

namespace manyply {

/// Returns the name of an option, except the size, that has no effect without a table, or null if
/// no such option is set.
[[nodiscard]] const char* table_option_in(const CountOptions& count_options);

// These functions return the specification that answers `question`. Precondition: `question` is
// validated. The specification has no store, table keeper or trace; the caller may add them. Error
// kInvalidInput: two options contradict each other, or the table is too small. The error's field is
// "hash", "key-seed", "key-bits" or "interleave".

/// Both specifications permit a table, unless the question's mode or `count_options` exclude it.
Result<JobSpec> job_spec(const Question& question, const CountOptions& count_options);
Result<StatisticsSpec> statistics_spec(const Question& question, const CountOptions& count_options);

// These specifications have no table, whatever `count_options` says.

[[nodiscard]] EstimateSpec estimate_spec(const Question& question,
                                         const CountOptions& count_options);
/// If a table size is given, this size limits the memory for positions, but not below
/// UniqueSpec::kMinMemoryBytes.
[[nodiscard]] UniqueSpec unique_spec(const Question& question, const CountOptions& count_options);

}  // namespace manyply

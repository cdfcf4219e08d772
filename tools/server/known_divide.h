// Our side of a comparison: a stored divide, or one that is counted within a short time limit.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <vector>

#include "tools/server/jobs/job_manager.h"

namespace manyply {

/// Returns the divide of `request` from a stored report of any counting method; nullopt if there is
/// none.
std::optional<std::vector<DivideEntry>> stored_divide(JobManager& jobs, JobRequest request);
/// Counts the divide of `request`. Returns nullopt if that takes longer than `patience` or if
/// `enough` requests a stop.
std::optional<std::vector<DivideEntry>> counted_divide(const JobRequest& request,
                                                       std::chrono::milliseconds patience,
                                                       const std::stop_token& enough);

}  // namespace manyply

// Our side of a comparison: a divide that is stored, or that a moment's counting gives.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <vector>

#include "tools/server/jobs/job_manager.h"

namespace manyply {

/// `request`'s divide in a stored report, whichever way that was counted.
std::optional<std::vector<DivideEntry>> stored_divide(JobManager& jobs, JobRequest request);
/// Counts for `patience` at most, and while nobody says `enough`.
std::optional<std::vector<DivideEntry>> counted_divide(const JobRequest& request,
                                                       std::chrono::milliseconds patience,
                                                       const std::stop_token& enough);

}  // namespace manyply

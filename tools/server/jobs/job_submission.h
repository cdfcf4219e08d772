// Puts requests into the queue, and removes finished jobs from the store.
#pragma once

#include <variant>

#include "tools/server/jobs/job_board.h"
#include "tools/server/jobs/job_types.h"

namespace manyply {

/// Validates and stores submissions. Safe to use from any thread.
class JobSubmission {
 public:
  explicit JobSubmission(JobBoard& board) : board_(board) {}

  /// See JobManager::submit()
  std::variant<Submission, Refusal> submit(const JobRequest& asked, const Client& client);
  /// See JobManager::remove(). A concurrent submission never returns a job that this call removes.
  Result<Removal> remove(JobId id);

 private:
  [[nodiscard]] MaybeError check_limits(const JobRequest& request) const;
  std::optional<Refusal> check_quota(const Client& client);
  [[nodiscard]] std::optional<std::chrono::seconds> default_deadline(const Client& client) const;
  std::variant<Submission, Refusal> existing(JobId id);
  Refusal storage_refusal(const Error& error);

  JobBoard& board_;
  // One submission at a time, including disk I/O: ids ascend, and the bound on the queue holds.
  Mutex submitting_;
};

// Estimates the cost of a job before it starts.

/// Estimates the leaves of `root` at `depth` from the growth at the second and third ply. Exact up
/// to depth 3. Beyond that mostly too low, at worst by half for each further ply. Takes about 1 ms.
[[nodiscard]] double expected_leaves(const Position& root, Depth depth);

/// Estimates the seconds that one core needs for `request`: its leaves at a fixed rate for each
/// mode, within a factor of five on machines of the years around 2025. Accuracy is not essential: a
/// job that exceeds the estimate is only moved to the queue. Safe to call from any thread.
[[nodiscard]] double expected_core_seconds(const JobRequest& request);

}  // namespace manyply

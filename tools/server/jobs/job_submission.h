// Puts requests into the queue, and removes finished jobs from the store.
#pragma once

#include <variant>

#include "tools/server/jobs/job_board.h"

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

}  // namespace manyply

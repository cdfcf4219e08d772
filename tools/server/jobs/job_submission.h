// The way of a request into the queue, and of a finished job out of the store.
#pragma once

#include <variant>

#include "tools/server/jobs/job_board.h"

namespace manyply {

/// Any thread.
class JobSubmission {
 public:
  explicit JobSubmission(JobBoard& board) : board_(board) {}

  /// As JobManager::submit.
  std::variant<Submission, Refusal> submit(const JobRequest& asked, const Client& client);
  /// As JobManager::remove. No submission is answered with a job that goes meanwhile.
  Result<Removal> remove(JobId id);

 private:
  [[nodiscard]] MaybeError check_limits(const JobRequest& request) const;
  std::optional<Refusal> check_quota(const Client& client);
  [[nodiscard]] std::optional<std::chrono::seconds> default_deadline(const Client& client) const;
  std::variant<Submission, Refusal> existing(JobId id);
  Refusal storage_refusal(const Error& error);

  JobBoard& board_;
  Mutex submitting_;  // one at a time, the disk included: ids ascend, the queue's bound holds
};

}  // namespace manyply

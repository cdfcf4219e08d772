// The way of a request into the queue.
#pragma once

#include <variant>

#include "tools/server/job_board.h"

namespace manyply {

/// Any thread.
class JobSubmission {
 public:
  explicit JobSubmission(JobBoard& board) : board_(board) {}

  /// As JobManager::submit.
  std::variant<Submission, Refusal> submit(const JobRequest& asked, const Client& client);

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

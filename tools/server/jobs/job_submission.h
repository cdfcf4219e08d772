// Puts requests into the queue, estimates their costs, and removes finished jobs from the store.
#pragma once

#include <variant>

#include "tools/server/jobs/job_board.h"
#include "tools/server/jobs/job_types.h"

namespace manyply {

/// Validates and stores submissions. Safe to use from any thread.
class JobSubmission {
 public:
  explicit JobSubmission(JobBoard& board) : board_(board) {}

  /// See JobManager::submit().
  std::variant<Submission, Refusal> submit(const JobRequest& asked, const Client& client);
  /// See JobManager::remove(). A concurrent submission never returns a job that this call removes.
  Result<Removal> remove(JobId id);

 private:
  [[nodiscard]] MaybeError check_limits(const JobRequest& request) const;
  [[nodiscard]] std::optional<std::chrono::seconds> default_deadline(const Client& client) const;
  std::variant<Submission, Refusal> existing(JobId id);

  JobBoard& board_;
  // Held during a whole submission, including disk I/O, so that ids ascend and the queue stays
  // within its limit.
  Mutex submitting_;
};

// Estimates the cost of a job before it starts.

/// Estimates the leaves of `root` at `depth` from the growth at the second and third ply. Exact up
/// to depth 3. Deeper estimates are mostly too low, at worst by a factor of two per ply. Takes
/// about 1 ms.
[[nodiscard]] double expected_leaves(const Position& root, Depth depth);

/// Estimates the seconds that one core needs for `request`: its expected leaves divided by a fixed
/// rate for its mode and depth. This is rough, because both numbers are mostly too low. A wrong
/// estimate does little harm: a short job that takes too long is moved back to the queue. Safe to
/// call from any thread.
[[nodiscard]] double expected_core_seconds(const JobRequest& request);

}  // namespace manyply

#include "tools/server/jobs/job_queue.h"

#include <algorithm>

namespace manyply {

// JobBoard::active is sorted by id.

std::shared_ptr<ActiveJob> first_waiting(const JobBoard& board, bool beside) {
  for (const auto& [id, job] : board.active) {
    const bool fits = job->thought_short || !beside;
    if (job->view.state == JobState::kQueued && fits) return job;
  }
  return nullptr;
}

bool may_run_beside(JobBoard& board) {
  // A running job occupies its runner for long if it is not expected to be short, or if it has
  // exceeded the time of a short job.
  const auto runs_long = [&board](const auto& entry) {
    const ActiveJob& job = *entry.second;
    return job.view.state == JobState::kRunning &&
           (!job.thought_short ||
            board.steady_now() - job.started >= board.options.short_lane.limit);
  };
  return std::ranges::count_if(board.active, runs_long) >= board.options.concurrent &&
         board.lane.has_room(board.steady_now());
}

QueuePlace place_of(const JobBoard& board, JobId id) {
  QueuePlace place;
  for (const auto& [other_id, other] : board.active) {
    // Jobs of the short lane do not block the queue.
    if (other->view.state == JobState::kRunning && !other->beside && !place.waits_for)
      place.waits_for = other_id;
    if (other_id < id && other->view.state == JobState::kQueued) ++place.position;
  }
  return place;
}

}  // namespace manyply

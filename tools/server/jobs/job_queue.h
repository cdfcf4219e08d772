// The order in which waiting jobs start, and the place of a job in this order. Jobs start in the
// order of their ids, but the short lane may start a short job earlier.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "tools/server/jobs/job_board.h"

namespace manyply {

/// Returns the oldest waiting job that a runner may start; null if there is none. If `beside` is
/// true, the runner belongs to the short lane, which runs only short jobs.
[[nodiscard]] std::shared_ptr<ActiveJob> first_waiting(const JobBoard& board, bool beside)
    MANYPLY_REQUIRES(board.mutex);

/// Returns whether the short lane may start a job: the lane has room, and long jobs occupy all
/// other slots. If a short job occupies one of these slots, the slot is free soon: waiting for it
/// is as fast as using the lane, and keeps the order of the queue.
[[nodiscard]] bool may_run_beside(JobBoard& board) MANYPLY_REQUIRES(board.mutex);

/// The place of a waiting job in the queue.
struct QueuePlace {
  std::size_t position = 1;             ///< 1 = next
  std::optional<JobId> waits_for = {};  ///< the oldest job that runs outside the short lane
};

/// Returns the place of the waiting job `id`.
[[nodiscard]] QueuePlace place_of(const JobBoard& board, JobId id) MANYPLY_REQUIRES(board.mutex);

}  // namespace manyply

// What happens to jobs by itself: deadlines, idle tables, ends that could not be stored; and the
// telling of all that happens.
#pragma once

#include <map>
#include <thread>
#include <vector>

#include "tools/server/jobs/job_board.h"
#include "tools/server/jobs/job_runners.h"

namespace manyply {

/// One thread. Holds at most one untold state a job, so that slow subscribers cost no memory and
/// hinder no count.
class JobWatcher {
 public:
  JobWatcher(JobBoard& board, JobRunners& runners) : board_(board), runners_(runners) {}

  void start() {
    thread_ = std::jthread([this] { watch(); });
  }
  /// Returns once all is told. Preconditions: the runners have gone, and the board knows it.
  void join() { thread_ = {}; }

  /// As JobManager's. Any thread, but no callback.
  std::uint64_t subscribe(JobManager::Callback callback);
  void unsubscribe(std::uint64_t number);

 private:
  void watch();
  [[nodiscard]] bool needs_ticks() const MANYPLY_REQUIRES(board_.mutex);
  void end_overlong_stay() MANYPLY_REQUIRES(board_.mutex);
  void expire(std::vector<std::shared_ptr<ActiveJob>>& unstored) MANYPLY_REQUIRES(board_.mutex);
  std::vector<JobEvent> take_events() MANYPLY_REQUIRES(board_.mutex);
  [[nodiscard]] bool tables_idle() const MANYPLY_REQUIRES(board_.mutex);

  JobBoard& board_;
  JobRunners& runners_;

  Mutex callbacks_mutex_;  // held while they run; before the board's
  std::map<std::uint64_t, JobManager::Callback> callbacks_ MANYPLY_GUARDED_BY(callbacks_mutex_);
  std::uint64_t last_callback_ MANYPLY_GUARDED_BY(callbacks_mutex_) = 0;

  // Of the thread alone:
  SteadyClock::time_point last_tick_ = SteadyClock::now();
  SteadyClock::time_point last_retry_ = SteadyClock::now();
  std::jthread thread_;
};

}  // namespace manyply

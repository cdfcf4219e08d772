// Time-driven work on jobs (deadlines, freeing idle tables, storing ends again), and delivery of
// events to subscribers.
#pragma once

#include <map>
#include <thread>
#include <vector>

#include "tools/server/jobs/job_board.h"
#include "tools/server/jobs/job_runners.h"

namespace manyply {

/// One thread that does both. Keeps at most one pending event per job, so slow subscribers cost no
/// memory and do not slow down counting.
class JobWatcher {
 public:
  JobWatcher(JobBoard& board, JobRunners& runners) : board_(board), runners_(runners) {}

  void start() {
    thread_ = std::jthread([this] { watch(); });
  }
  /// Blocks until all events are delivered. Preconditions: the runners have stopped, and
  /// `runners_gone` is set on the board.
  void join() { thread_ = {}; }

  /// See JobManager::subscribe(). Any thread, but not from a callback.
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

  Mutex callbacks_mutex_;  // held during callbacks; locked before the board's mutex
  std::map<std::uint64_t, JobManager::Callback> callbacks_ MANYPLY_GUARDED_BY(callbacks_mutex_);
  std::uint64_t last_callback_ MANYPLY_GUARDED_BY(callbacks_mutex_) = 0;

  // Used only by the thread.
  SteadyClock::time_point last_tick_ = SteadyClock::now();
  SteadyClock::time_point last_retry_ = SteadyClock::now();
  std::jthread thread_;
};

}  // namespace manyply

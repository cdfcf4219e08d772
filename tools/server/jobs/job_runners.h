// The threads that run jobs of the queue, and the thread that does timed work on jobs.
#pragma once

#include <map>
#include <thread>
#include <vector>

#include "parallel/jobs/job_tables.h"
#include "tools/server/jobs/job_queue.h"

namespace manyply {

/// Runs jobs in slots. JobManagerOptions::concurrent is the number of slots, which share the
/// threads and the table memory equally. If the short lane is on, it is one more slot, with one
/// thread. The threads end when `closing` is set on the queue.
class JobRunners {
 public:
  explicit JobRunners(JobQueue& queue);

  void start();
  void join();

  /// Returns the size in bytes of the tables that are kept between jobs. Any thread.
  [[nodiscard]] std::uint64_t table_bytes() const;
  /// Frees the tables that are kept between jobs.
  void release_tables();

 private:
  /// Runs one job at a time on its thread.
  struct Slot {
    CountOptions count_options;
    bool beside = false;  ///< this slot is the short lane
    TableKeeper tables;
    std::jthread thread;
  };

  void run_jobs(Slot& slot);
  std::shared_ptr<ActiveJob> next_job(const Slot& slot);
  void begin(const std::shared_ptr<ActiveJob>& job, const Slot& slot)
      MANYPLY_REQUIRES(queue_.mutex);
  void leave_lane(ActiveJob& job);
  void wait_again(const std::shared_ptr<ActiveJob>& job) MANYPLY_REQUIRES(queue_.mutex);
  void run(const std::shared_ptr<ActiveJob>& job, Slot& slot);
  [[nodiscard]] Quota quota_of(const std::string& client) const;
  void limit_time(const std::shared_ptr<ActiveJob>& job, const std::string& client,
                  std::chrono::seconds allowed);
  std::optional<Answer> known_outcome(const JobRequest& request);
  void note_storage_of(const std::shared_ptr<ActiveJob>& job, const MaybeError& error);
  void account(const LiveProgress& live, const Result<Answer>& outcome);
  void end(const std::shared_ptr<ActiveJob>& job, JobState state, std::optional<Answer> outcome,
           MaybeError failure = std::nullopt);

  JobQueue& queue_;
  std::vector<Slot> slots_;  // the short lane, if it exists, is last
};

/// One thread that delivers events to subscribers, and does timed work on jobs: enforces deadlines,
/// frees idle tables, and tries again to store the ends of jobs. Keeps at most one pending event
/// per job, so slow subscribers neither increase the use of memory nor slow down counting.
class JobWatcher {
 public:
  JobWatcher(JobQueue& queue, JobRunners& runners) : queue_(queue), runners_(runners) {}

  void start() {
    thread_ = std::jthread([this] { watch(); });
  }
  /// Blocks until all events are delivered. Preconditions: the runners have stopped, and
  /// `runners_gone` is set on the queue.
  void join() { thread_ = {}; }

  /// See JobManager::subscribe(). May be called from any thread, but not from a callback.
  std::uint64_t subscribe(JobManager::Callback callback);
  void unsubscribe(std::uint64_t number);

 private:
  void watch();
  [[nodiscard]] bool needs_ticks() const MANYPLY_REQUIRES(queue_.mutex);
  void end_overlong_stay() MANYPLY_REQUIRES(queue_.mutex);
  void expire(std::vector<std::shared_ptr<ActiveJob>>& unstored) MANYPLY_REQUIRES(queue_.mutex);
  std::vector<JobEvent> take_events() MANYPLY_REQUIRES(queue_.mutex);
  [[nodiscard]] bool tables_idle() const MANYPLY_REQUIRES(queue_.mutex);

  JobQueue& queue_;
  JobRunners& runners_;

  Mutex callbacks_mutex_;  // held during callbacks; locked before the queue's mutex
  std::map<std::uint64_t, JobManager::Callback> callbacks_ MANYPLY_GUARDED_BY(callbacks_mutex_);
  std::uint64_t last_callback_ MANYPLY_GUARDED_BY(callbacks_mutex_) = 0;

  // Used only on thread_.
  SteadyClock::time_point last_tick_ = SteadyClock::now();
  SteadyClock::time_point last_retry_ = SteadyClock::now();
  std::jthread thread_;
};

}  // namespace manyply

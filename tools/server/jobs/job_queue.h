// The queue of jobs that have not ended, the short lane, and the state that submissions, runners
// and the watcher share.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/mutex.h"
#include "parallel/progress.h"
#include "tools/server/jobs/job_manager.h"
#include "tools/server/jobs/job_store.h"

namespace manyply {

/// Progress of a running job, phase by phase. Written by its runner; any thread may read it at any
/// time.
class LiveProgress {
 public:
  /// Starts a phase and returns its counters, which live as long as this object.
  Progress* start_phase(std::string_view name);
  /// The progress at one moment.
  struct Reading {
    std::string phase;
    ProgressSnapshot snapshot;
    double earlier_leaves = 0;  ///< leaves that earlier phases counted
    std::uint64_t earlier_visited = 0;
  };
  /// Returns the progress of the current phase. Any thread.
  [[nodiscard]] Reading read() const;

 private:
  mutable Mutex mutex_;
  std::string phase_ MANYPLY_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Progress>> phases_ MANYPLY_GUARDED_BY(mutex_);
};

/// Measures the processor time of one thread. This time does not advance while the thread waits or
/// is not scheduled. Const functions are safe to call from any thread while the measured thread
/// lives.
class ThreadTime {
 public:
  [[nodiscard]] static ThreadTime of_this_thread();
  [[nodiscard]] std::chrono::nanoseconds used() const;  ///< since the thread started

 private:
  explicit ThreadTime(clockid_t clock) : clock_(clock) {}

  clockid_t clock_;
};

// The short lane: which jobs are short, and how much core time they may use beside long ones.

/// Estimates the leaves of `root` at `depth` from the growth at the second and third ply. Exact up
/// to depth 3. Deeper estimates are mostly too low, at worst by a factor of two per ply. Takes
/// about 1 ms.
[[nodiscard]] double expected_leaves(const Position& root, Depth depth);

/// Estimates the seconds that one core needs for `request`: its expected leaves divided by a fixed
/// rate for its mode and depth. The estimate is rough, because both numbers are mostly too low.
/// A wrong estimate does little harm: a short job that takes too long is moved back to the queue.
/// Safe to call from any thread.
[[nodiscard]] double expected_core_seconds(const JobRequest& request);

/// Limits the core time of the short lane, whose jobs run one at a time on one thread. Counts
/// processor time instead of wall-clock time, because other threads may use the core while a job
/// runs.
///
/// The core time of all jobs that left the lane in the last minute counts towards the lane's share.
/// A job may enter only if this time plus ShortLaneOptions::limit is within the share. A job that
/// exceeds the limit is stopped. While it stops, the lane may exceed its share, but only by the
/// duration of this stop. Not thread-safe; the owner locks.
class ShortLane {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kWindow = std::chrono::minutes(1);

  ShortLane(const ShortLaneOptions& options, int cores);

  /// Returns kInvalidInput if the options are out of range, or if `limit` exceeds the core time
  /// that the lane may use per minute. Otherwise returns nullopt.
  [[nodiscard]] static std::optional<Error> judge(const ShortLaneOptions& options, int cores);

  /// Returns whether a job that is expected to need `core_seconds` is short.
  [[nodiscard]] bool takes(double core_seconds) const;
  /// Returns whether a job may enter the lane now.
  [[nodiscard]] bool has_room(Clock::time_point now);
  /// Returns whether a running job that has used this much core time must leave the lane.
  [[nodiscard]] bool outgrown(Clock::duration used) const { return used >= limit_; }
  /// Records that a job left the lane at `end`, after it had used the core time `used`.
  void charge(Clock::duration used, Clock::time_point end);
  /// Returns the core time of all jobs that have left the lane so far, in seconds.
  [[nodiscard]] double total_seconds() const { return total_seconds_; }

 private:
  struct Run {
    Clock::time_point end;
    Clock::duration used;
  };

  Clock::duration limit_;
  Clock::duration allowance_;  // core time per window
  std::deque<Run> runs_;       // runs that ended within the last window, oldest first
  Clock::duration spent_{};    // core time of runs_, including time before the window began
  double total_seconds_ = 0;
};

using SteadyClock = std::chrono::steady_clock;

/// A job that has not ended, or whose end is not stored yet.
struct ActiveJob {
  JobView view;  // progress and queue position are filled in by JobQueue::shown()
  std::stop_source stop;
  // The reason why the job fails: its deadline has passed, or its client has no running time left.
  // The watcher sets the reason, and requests a stop through `stop`.
  MaybeError overrun;
  /// Rest of the client's quota of running time at the start of this attempt; nullopt if no
  /// quota limits this attempt.
  std::optional<std::chrono::milliseconds> time_left;
  std::shared_ptr<LiveProgress> live;
  SteadyClock::time_point started;
  /// The job is expected to be short, and has not exceeded the limit of the short lane.
  bool thought_short = false;
  bool beside = false;  ///< runs in the short lane
  /// The job has exceeded the short lane's limit. The watcher sets this flag, and requests a stop
  /// through `stop`. The runner resets the flag when it queues the job again.
  bool outgrown = false;
  std::chrono::nanoseconds lane_time{};  ///< lane_time() when the job entered the lane
  /// The end of a job that has ended in memory, until this end is stored. `view` already has the
  /// final state. Clients see `shown_state` until then, because they rely on final states.
  std::optional<JobEnd> unstored_end;
  JobState shown_state = JobState::kQueued;

  /// Returns the time since the start of this attempt.
  [[nodiscard]] std::chrono::milliseconds elapsed() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - started);
  }
};

/// Returns the error for requests during shutdown.
[[nodiscard]] Error closing_error();

/// Returns the progress of an attempt that has run for `seconds`.
[[nodiscard]] JobProgress show(const LiveProgress& live, double seconds);

/// State that submissions, runners and the watcher share, guarded by one mutex. The mutex is held
/// only briefly, never during disk I/O, counting or a callback. A function locks the mutex itself,
/// unless its declaration requires a locked mutex.
///
/// Threads lock the mutexes of these classes in this order: first JobWatcher; then JobManager
/// (submitting) or StoredUnits (storing_); then JobQueue or JobStore, never both; last
/// LiveProgress, TableKeeper or DatabasePlace.
struct JobQueue {
  JobQueue(JobManagerOptions the_options, JobWorld the_world, std::unique_ptr<JobStore> the_store)
      : options(std::move(the_options)),
        world(std::move(the_world)),
        owned_store(std::move(the_store)),
        store(*owned_store),
        lane(options.short_lane, cores(options)) {}

  // These functions behave like the functions of JobManager with the same names. They also read the
  // jobs that are only in the store.
  Result<std::optional<JobView>> get(JobId id);
  Result<std::optional<JobView>> find_result(const JobRequest& request);

  [[nodiscard]] WallTime now() const;
  [[nodiscard]] SteadyClock::time_point steady_now() const;
  /// Returns the processor time that the short lane's thread has used so far.
  [[nodiscard]] std::chrono::nanoseconds lane_time() const MANYPLY_REQUIRES(mutex);
  /// Takes over an unfinished job of an earlier process.
  void adopt(JobView view) MANYPLY_REQUIRES(mutex);
  /// Returns the number of waiting jobs.
  [[nodiscard]] std::size_t queued() const MANYPLY_REQUIRES(mutex);
  /// Returns the number of waiting jobs that `client` submitted.
  [[nodiscard]] std::size_t queued_of(const std::string& client) const MANYPLY_REQUIRES(mutex);
  /// Returns the size of the stored requests and results of `client`, and the running time of the
  /// client's jobs that have not ended or that ended in the last 24 hours. May block on disk I/O.
  Result<ClientUsage> usage_of(const std::string& client);

  // Waiting jobs start in the order of their ids. But the short lane may start a short job earlier.

  /// Returns the oldest waiting job that a runner may start, or null if it may start none. If
  /// `beside` is true, the runner belongs to the short lane, which runs only short jobs.
  [[nodiscard]] std::shared_ptr<ActiveJob> first_waiting(bool beside) const MANYPLY_REQUIRES(mutex);
  /// Returns whether the short lane may start a job: the lane has room, and long jobs occupy all
  /// other slots. A slot with a short job will soon be free. Waiting for this slot is as fast as
  /// using the lane, and keeps the order of the queue.
  [[nodiscard]] bool may_run_beside() MANYPLY_REQUIRES(mutex);
  /// Returns the view of a job with its current progress and queue position.
  [[nodiscard]] JobView shown(const ActiveJob& job) const MANYPLY_REQUIRES(mutex);

  /// Queues an event of the job. Wakes the watcher, and the runners that wait for work.
  void changed(const std::shared_ptr<ActiveJob>& job) MANYPLY_REQUIRES(mutex);
  /// Queues an event of every waiting job, because the job's queue position may have changed.
  void order_changed() MANYPLY_REQUIRES(mutex);

  /// Ends a job in memory; store_end() makes the end durable. A runner that still works on the job
  /// notices the end later.
  void end_in_memory(const std::shared_ptr<ActiveJob>& job, JobEnd end) MANYPLY_REQUIRES(mutex);
  /// Stores the end of a job that has ended in memory. If storing fails, the watcher tries again
  /// later. If the runner has already stored another end, that end stays.
  void store_end(const std::shared_ptr<ActiveJob>& job);
  /// Removes from `active` a job whose end is durable. From now on, get() reads the job from the
  /// store.
  void retire(const std::shared_ptr<ActiveJob>& job) MANYPLY_REQUIRES(mutex);

  /// Records whether an attempt to store something succeeded. Must be called after every attempt.
  void note_storage(const MaybeError& error);
  /// Calls note_storage(error). Returns the refusal for the request that cannot be handled because
  /// of `error`.
  Refusal storage_refusal(const Error& error);
  /// If there are too many finished jobs, deletes the oldest ones and reports the deletion.
  void prune();
  /// If the database is too large, deletes the oldest finished jobs and reports the deletion.
  void shrink();
  /// Reports the outcome of prune() or shrink() to options.jobs_forgotten.
  void tell(const Result<Forgotten>& forgotten);
  /// Call it when a job ends, and when a new key for a known result is stored. Every
  /// kPruneEvery-th call sets `prune_due`, which requests a call of prune().
  void prune_sometimes() MANYPLY_REQUIRES(mutex) {
    if (++prunable % kPruneEvery == 0) prune_due = true;
  }

  /// Number of calls of prune_sometimes() between two calls of prune().
  static constexpr std::uint64_t kPruneEvery = 64;
  /// Interval between attempts to store something after a failure.
  static constexpr std::chrono::milliseconds kStorageRetry{500};

  const JobManagerOptions options;
  const JobWorld world;
  const std::unique_ptr<JobStore> owned_store;
  JobStore& store;

  Mutex mutex;
  std::condition_variable_any work;  ///< wakes runners: a job waits, or the server shuts down
  /// Wakes the watcher in four cases: an event is pending, storing has failed or works again, a
  /// runner has finished with a job, or all runners have stopped.
  std::condition_variable_any news;
  std::map<JobId, std::shared_ptr<ActiveJob>> active MANYPLY_GUARDED_BY(mutex);
  /// Jobs that have changed since their last event.
  std::map<JobId, std::shared_ptr<ActiveJob>> untold MANYPLY_GUARDED_BY(mutex);
  /// Arguments for the next calls of options.storage_changed: an error if storing began to fail,
  /// nullopt if storing works again.
  std::vector<MaybeError> storage_news MANYPLY_GUARDED_BY(mutex);
  ShortLane lane MANYPLY_GUARDED_BY(mutex);
  std::optional<ThreadTime> lane_thread MANYPLY_GUARDED_BY(mutex);  ///< set once the thread runs
  JobStats stats MANYPLY_GUARDED_BY(mutex);
  /// Outcome of the latest attempt to store something.
  MaybeError storage_problem MANYPLY_GUARDED_BY(mutex);
  std::uint64_t prunable MANYPLY_GUARDED_BY(mutex) = 0;
  bool prune_due MANYPLY_GUARDED_BY(mutex) = false;
  bool shrink_due MANYPLY_GUARDED_BY(mutex) = false;
  bool closing MANYPLY_GUARDED_BY(mutex) = false;
  bool runners_gone MANYPLY_GUARDED_BY(mutex) = false;
  SteadyClock::time_point last_run MANYPLY_GUARDED_BY(mutex) = SteadyClock::now();
};

}  // namespace manyply

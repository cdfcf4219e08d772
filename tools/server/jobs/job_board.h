// The jobs that have not ended, and what everybody who works on them shares.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <vector>

#include "parallel/mutex.h"
#include "tools/server/jobs/job_manager.h"
#include "tools/server/jobs/job_store.h"
#include "tools/server/jobs/live_progress.h"
#include "tools/server/jobs/thread_time.h"

namespace manyply {

using SteadyClock = std::chrono::steady_clock;

/// A job that has not ended, or whose end could not be stored yet.
struct ActiveJob {
  JobView view;  // progress and queue position are filled in when it is shown
  std::stop_source stop;
  MaybeError
      overrun;  // why it fails: its deadline or its client's time has passed; set with `stop`
  /// What its client's jobs may still run for, from this attempt's start.
  std::optional<std::chrono::milliseconds> time_left;
  std::shared_ptr<LiveProgress> live;
  SteadyClock::time_point started;
  bool thought_short = false;  ///< and has not outgrown that
  bool beside = false;         ///< while running: in the short lane
  bool outgrown = false;       ///< that lane; set with `stop`, until the queue has it again
  std::chrono::nanoseconds lane_time{};  ///< the lane's when it began there
  /// It has ended, in `view`. Until that is durable it is shown in this state: who has been told of
  /// an end relies on it.
  std::optional<JobEnd> unstored_end;
  JobState shown_state = JobState::kQueued;

  [[nodiscard]] std::chrono::milliseconds elapsed() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - started);
  }
};

/// Why nothing is accepted any more.
[[nodiscard]] Error closing_error();

/// What is shown of a run that has taken `seconds`.
[[nodiscard]] JobProgress show(const LiveProgress& live, double seconds);

/// Between submissions, runners and the watcher: one mutex, held briefly, never for the disk, a
/// count or a callback. Functions take it themselves, unless they say that they require it.
///
/// Lock order: JobSubmission's and JobWatcher's own mutexes, this one.
struct JobBoard {
  JobBoard(JobManagerOptions the_options, JobWorld the_world, std::unique_ptr<JobStore> the_store)
      : options(std::move(the_options)),
        world(std::move(the_world)),
        owned_store(std::move(the_store)),
        store(*owned_store),
        lane(options.short_lane, cores(options)) {}

  // Of all jobs, whether they have ended or not: as JobManager's.
  Result<std::optional<JobView>> get(JobId id);
  Result<std::optional<JobView>> find_result(const JobRequest& request);
  Result<JobPage> list(std::size_t limit, std::optional<JobId> before,
                       std::optional<JobState> state, JobKind kind);
  Result<std::optional<JobView>> cancel(JobId id);
  JobStats statistics();  ///< but for tables
  MaybeError why_not_ready();

  [[nodiscard]] WallTime now() const;
  [[nodiscard]] SteadyClock::time_point steady_now() const;
  /// Processor time of the short lane's thread so far.
  [[nodiscard]] std::chrono::nanoseconds lane_time() const MANYPLY_REQUIRES(mutex);
  /// Takes over a job that an earlier process left unfinished.
  void adopt(JobView view) MANYPLY_REQUIRES(mutex);
  /// Jobs that wait.
  [[nodiscard]] std::size_t queued() const MANYPLY_REQUIRES(mutex);
  [[nodiscard]] std::size_t queued_of(const std::string& client) const MANYPLY_REQUIRES(mutex);
  /// What the jobs of `client` have taken, those that run included. May wait for the disk.
  Result<ClientUsage> usage_of(const std::string& client);
  /// Runs, and will keep its place for long, or has kept it for as long as a short job may count.
  [[nodiscard]] bool runs_long(const ActiveJob& job) const MANYPLY_REQUIRES(mutex);
  /// With what changes from moment to moment.
  [[nodiscard]] JobView shown(const ActiveJob& job) const MANYPLY_REQUIRES(mutex);

  /// Tells the watcher, and runners that look for work.
  void changed(const std::shared_ptr<ActiveJob>& job) MANYPLY_REQUIRES(mutex);
  /// Each waiting job has another place now.
  void queue_moved() MANYPLY_REQUIRES(mutex);

  /// Ends a job; a runner that is still at it finds that out. Its end is stored later, by
  /// store_end.
  void end_in_memory(const std::shared_ptr<ActiveJob>& job, JobEnd end) MANYPLY_REQUIRES(mutex);
  /// Stores the end of a job that has ended in memory; on an error it stays where it is, and the
  /// watcher tries again. If its runner has been faster, that one's end holds.
  void store_end(const std::shared_ptr<ActiveJob>& job);
  /// The end of `job` is durable: the store shows it from now on.
  void retire(const std::shared_ptr<ActiveJob>& job) MANYPLY_REQUIRES(mutex);

  /// Every attempt to store something ends here.
  void note_storage(const MaybeError& error);
  /// Forgets what is beyond the bound on jobs, or on bytes, and tells it.
  void prune();
  void shrink();
  void tell(const Result<Forgotten>& forgotten);
  /// Old jobs and keys are looked for after so many new ones.
  void prune_sometimes() MANYPLY_REQUIRES(mutex) { prune_due = ++prunable % kPruneEvery == 0; }

  static constexpr std::uint64_t kPruneEvery = 64;  ///< jobs that ended, and keys for known results
  static constexpr std::chrono::milliseconds kStorageRetry{500};

  const JobManagerOptions options;
  const JobWorld world;
  const std::unique_ptr<JobStore> owned_store;
  JobStore& store;

  Mutex mutex;
  std::condition_variable_any work;  ///< for runners: a job waits, or the server closes
  std::condition_variable_any news;  ///< for the watcher: something is untold, or a runner is done
  std::map<JobId, std::shared_ptr<ActiveJob>> active MANYPLY_GUARDED_BY(mutex);
  std::map<JobId, std::shared_ptr<ActiveJob>> untold MANYPLY_GUARDED_BY(mutex);
  std::vector<MaybeError> storage_news MANYPLY_GUARDED_BY(mutex);  ///< untold
  ShortLane lane MANYPLY_GUARDED_BY(mutex);
  std::optional<ThreadTime> lane_thread MANYPLY_GUARDED_BY(mutex);  ///< once it has begun
  JobStats stats MANYPLY_GUARDED_BY(mutex);
  MaybeError storage_problem MANYPLY_GUARDED_BY(mutex);  ///< of the last attempt to store something
  std::uint64_t prunable MANYPLY_GUARDED_BY(mutex) = 0;
  bool prune_due MANYPLY_GUARDED_BY(mutex) = false;
  bool shrink_due MANYPLY_GUARDED_BY(mutex) = false;
  bool closing MANYPLY_GUARDED_BY(mutex) = false;
  bool runners_gone MANYPLY_GUARDED_BY(mutex) = false;
  SteadyClock::time_point last_run MANYPLY_GUARDED_BY(mutex) = SteadyClock::now();
};

}  // namespace manyply

// Accepts jobs, queues them, counts them with the code in parallel/, and stores their results.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "parallel/jobs/job.h"
#include "tools/server/jobs/job_types.h"

namespace manyply {

/// Limits on the depth, number and duration of jobs.
struct JobLimits {
  Depth max_depth{30};
  std::size_t max_queued = 100;  ///< limit on waiting jobs; running jobs do not count
  /// Longest deadline that a job may set. If a job sets no deadline, its deadline is max_deadline
  /// or default_deadline, whichever is shorter.
  std::optional<std::chrono::seconds> max_deadline;
  /// Deadline of jobs that set no deadline, unless max_deadline is shorter. If an administrator who
  /// sent a token submits a job, only max_deadline applies to the job.
  std::optional<std::chrono::seconds> default_deadline;
};

/// Settings of the short lane.
struct ShortLaneOptions {
  /// Largest expected core time of a short job; 0 = no short lane.
  std::chrono::milliseconds limit{2000};
  /// The lane may use this share of the time of all cores in any minute, 0 to 1; 0 = no short lane.
  double share = 0.05;

  /// Returns whether there is a short lane.
  [[nodiscard]] bool on() const { return limit.count() > 0 && share > 0; }
};

/// Settings of a JobManager.
struct JobManagerOptions {
  std::filesystem::path state_dir;
  /// Threads and table memory for all running jobs together. If no key seed is set, each process
  /// chooses a random seed, because a client that knew the keys could construct positions with
  /// equal keys.
  CountOptions counting;
  /// A device that counts the last two plies of one job at a time, but never of jobs in the short
  /// lane. May be null; must outlive the manager.
  LastPliesDevice* device = nullptr;
  /// Number of jobs that may run at the same time outside the short lane, with equal resources.
  int concurrent = 1;
  ShortLaneOptions short_lane;  ///< one extra slot for short jobs beside long ones
  JobLimits limits;
  /// Tables are freed after this time without work.
  std::chrono::milliseconds table_idle{std::chrono::minutes(5)};
  std::chrono::milliseconds progress_interval{250};
  /// Interval at which finished subtrees of running jobs are stored. A killed process
  /// loses the work since the last store, which is about one interval.
  std::chrono::milliseconds unit_interval{1000};
  /// If the disk fails when a count is finished, the server tries for this time to store the
  /// result. Then the job fails.
  std::chrono::milliseconds storage_patience{std::chrono::minutes(15)};
  std::size_t keep_finished = 100'000;  ///< number of finished jobs to keep; older ones are deleted
  /// Called with the reason when storing starts to fail, and with nullopt when storing works again.
  /// Calls come in order and on one thread. May be null. Must return soon and must not throw.
  std::function<void(const std::optional<Error>& problem)> storage_changed;
  /// Size limit for the database and its log, in bytes.
  std::optional<std::uint64_t> max_state_bytes;
  /// Called when finished jobs were deleted because of keep_finished or max_state_bytes, or when
  /// the deletion did not free enough room. May be null. Called from any thread; must return soon
  /// and must not throw.
  std::function<void(const Forgotten&)> jobs_forgotten;

  /// Returns the current quota of a client; null = no quotas. Called from any thread.
  std::function<Quota(const std::string& client)> quota_of;
};

/// External functions that a JobManager depends on. Tests replace them.
struct JobWorld {
  std::function<WallTime()> now;                                      ///< null = system clock
  std::function<std::chrono::steady_clock::time_point()> steady_now;  ///< null = system clock
  std::function<std::chrono::nanoseconds()> lane_time;  ///< null = measured on the lane's thread
  JobRunner runner;                                     ///< null = answer_job()
};

/// Returns the number of cores that jobs use: options.counting.threads, or all cores if that is 0.
[[nodiscard]] int cores(const JobManagerOptions& options);

/// Why a request was refused. Each kind has one HTTP status.
struct Refusal {
  enum class Kind : std::uint8_t {
    kInvalid,   ///< the request is invalid or exceeds a limit; `error.field` names the field
    kConflict,  ///< a different request has the same idempotency key
    /// Try again later: the queue is full, or the client's quota of waiting jobs or running time is
    /// used up.
    kQueueFull,
    kNoRoom,   ///< the client's stored results exceed its quota
    kClosing,  ///< the server is shutting down
    kStorage,  ///< the database cannot be read or written
  };
  Kind kind;
  Error error;
};

/// An accepted request.
struct Submission {
  JobView job;  ///< complete, as get() returns it
  /// The job is not new: the idempotency key is known, or the result is known and the job is done.
  bool existing = false;
};

/// A change of a job, for subscribers.
struct JobEvent {
  enum class Kind : std::uint8_t { kState, kProgress };
  Kind kind;
  JobView job;  ///< without report
};

/// A page of a list of jobs.
struct JobPage {
  std::vector<JobView> jobs;  ///< newest first; without reports
  std::optional<JobId> next;  ///< argument `before` for the next page; nullopt on the last page
};

/// Counters since the process started, unless noted otherwise.
struct JobStats {
  std::size_t queued = 0;   ///< now
  std::size_t running = 0;  ///< now
  std::uint64_t accepted = 0;
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t resumed = 0;        ///< unfinished jobs found at start
  std::uint64_t cache_hits = 0;     ///< requests or waiting jobs answered from a stored result
  std::uint64_t short_jobs = 0;     ///< jobs that entered the short lane
  std::uint64_t outgrown_jobs = 0;  ///< jobs that left the short lane for the queue
  double short_seconds = 0;         ///< core time used by the short lane
  double leaves = 0;                ///< leaves counted, including those of running jobs
  std::uint64_t visited = 0;
  std::uint64_t table_probes = 0;  ///< by finished jobs
  std::uint64_t table_hits = 0;
  std::uint64_t table_bytes = 0;     ///< now: memory of tables that are kept between jobs
  std::uint64_t storage_errors = 0;  ///< failed attempts to store something
  bool storage_ok = true;            ///< whether the latest attempt to store something succeeded
};

/// The queue of jobs and their results. Thread safety: all functions may be called from any thread.
/// The functions do not wait for counting. Functions that change or read stored jobs may block on
/// disk I/O (an fsync). Callbacks must not call subscribe() or destroy subscriptions; all other
/// calls are allowed.
///
/// A final state is durable before any client sees it, because clients rely on final states.
class JobManager {
  class Impl;
  struct Unsubscribe {
    std::uint64_t number = 0;
    void operator()(Impl* impl) const;
  };

 public:
  /// Opens or creates the state directory, locks it, and queues the unfinished jobs of an earlier
  /// process in their old order. Errors: kUnavailable (the directory is in use or not writable, or
  /// its database is damaged or belongs to another program or version), kInvalidInput (options).
  static Result<std::unique_ptr<JobManager>> start(JobManagerOptions options, JobWorld world = {});

  /// Calls shutdown(), then joins all threads.
  ~JobManager();
  JobManager(const JobManager&) = delete;
  JobManager& operator=(const JobManager&) = delete;

  /// Stores a new job and returns when it is durable. Returns an existing job instead in two cases:
  /// a finished job has the result of `request` (the same result_identity()), or this client has
  /// already sent the same request with the same idempotency key. All clients share results, but
  /// each key belongs to one client.
  std::variant<Submission, Refusal> submit(const JobRequest& request,
                                           const Client& client = Client::anybody());

  /// Returns a job; nullopt if it does not exist. Error kUnavailable: the job cannot be read.
  Result<std::optional<JobView>> get(JobId id);

  /// Returns the positions and counts of a batch. Returns an error if the batch does not exist, or
  /// if its text cannot be read or is damaged.
  Result<std::shared_ptr<const Batch>> batch_of(JobId id);

  /// Returns the finished job that has the result of `request`, with its report; nullopt if no job
  /// has that result.
  Result<std::optional<JobView>> find_result(const JobRequest& request);

  /// Returns at most `limit` jobs of one kind. A `limit` outside 1 to 1000 is clamped. If `before`
  /// is given, returns only jobs with smaller ids. If `state` is given, returns only jobs in that
  /// state.
  Result<JobPage> list(std::size_t limit, std::optional<JobId> before = std::nullopt,
                       std::optional<JobState> state = std::nullopt,
                       JobKind kind = JobKind::kCount);

  /// Cancels a waiting or running job. Returns the job when its end is durable; nullopt if the job
  /// does not exist. Returns a finished job unchanged. The threads that count the job stop within a
  /// second.
  ///
  /// Error kUnavailable: the job cannot be read, or the job is stopped but its end cannot be stored
  /// at present. In the second case, clients see the job's previous state until storing works. If
  /// the process ends before storing works, the next process runs the job again.
  Result<std::optional<JobView>> cancel(JobId id);

  /// Deletes a finished job and its idempotency keys. Also deletes its result if no other job has
  /// the same result. Error kUnavailable: the job still exists, or a restart will bring it back.
  Result<Removal> remove(JobId id);

  /// Calls `callback` after every change of state and, while a job runs, every progress_interval.
  /// Calls come one at a time, from one thread that does not count. If a job changes faster than
  /// callbacks return, only its newest state is reported; the final state is always reported. A
  /// callback must not throw and must return soon, so it should queue data instead of sending it.
  /// Destroying the subscription ends the calls, and waits for a call in progress. The subscription
  /// must not outlive the manager.
  using Subscription = std::unique_ptr<Impl, Unsubscribe>;
  using Callback = std::function<void(const JobEvent&)>;
  [[nodiscard]] Subscription subscribe(Callback callback);

  /// Returns the current counters.
  [[nodiscard]] JobStats stats();

  /// Returns nullopt if the server accepts jobs. Otherwise returns the reason: the server is
  /// shutting down, or the state directory was moved or cannot be written. For /readyz.
  [[nodiscard]] std::optional<Error> why_not_ready();
  [[nodiscard]] bool ready() { return !why_not_ready(); }

  /// Returns the options that start() received.
  [[nodiscard]] const JobManagerOptions& options() const;

  /// Refuses new jobs, stops running ones, makes their finished subtrees durable and returns within
  /// seconds. Unfinished jobs stay accepted; the next process resumes them.
  void shutdown();

 private:
  explicit JobManager(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace manyply

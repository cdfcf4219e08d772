// Accepts jobs, queues them, runs them over the parallel layer, keeps what came of them.
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

#include "parallel/jobs/job.h"
#include "tools/server/jobs/client.h"
#include "tools/server/jobs/job_types.h"
#include "tools/server/jobs/short_lane.h"

namespace manyply {

struct JobLimits {
  Depth max_depth{30};
  std::size_t max_queued = 100;  ///< waiting jobs, the running ones not among them
  std::optional<std::chrono::seconds> max_deadline;  ///< also the deadline of jobs without one
  /// Before that, of jobs without one by those who are no administrators, or have shown no token.
  std::optional<std::chrono::seconds> default_deadline;
};

struct JobManagerOptions {
  std::filesystem::path state_dir;
  /// Threads and tables are those of all running jobs together. Without a key seed it is random in
  /// each process, since collisions of known keys can be forged.
  Limits counting;
  int concurrent = 1;  ///< jobs that run side by side, each with its share of threads and tables
  ShortLaneOptions short_lane;  ///< one more job beside these, if it is short and they are not
  /// Of all running jobs together, each with its share. Without a directory it is state_dir.
  Scratch scratch{.directory = {}, .most_bytes = std::uint64_t{8} << 30};
  JobLimits limits;
  std::chrono::milliseconds table_idle{std::chrono::minutes(5)};  ///< then tables are given back
  std::chrono::milliseconds progress_interval{250};
  /// How often finished subtrees of running jobs are stored: the work that a kill loses.
  std::chrono::milliseconds unit_interval{1000};
  /// How long a finished count waits for a disk that takes no result before the job fails.
  std::chrono::milliseconds storage_patience{std::chrono::minutes(15)};
  std::size_t keep_finished = 100'000;  ///< older finished jobs are forgotten
  /// Told, in order and by one thread, when storing begins to fail (and why) and when it works
  /// again; null = nobody. Must return soon and not throw.
  std::function<void(const std::optional<Error>& problem)> storage_changed;
  /// The database and the log beside it are kept below this.
  std::optional<std::uint64_t> max_state_bytes;
  /// Told when finished jobs have made room, or could not; null = nobody. From any thread;
  /// must return soon and not throw.
  std::function<void(const Forgotten&)> jobs_forgotten;

  /// What the client of that name may take, as it stands now; null = no quotas. Any thread.
  std::function<Quota(const std::string& client)> quota_of;
};

/// The world as a JobManager takes it. Tests put another one in its place.
struct JobWorld {
  std::function<WallTime()> now;                                      ///< null = the system's clock
  std::function<std::chrono::steady_clock::time_point()> steady_now;  ///< null = the system's
  std::function<std::chrono::nanoseconds()> lane_time;                ///< null = the thread's own
  JobRunner runner;                                                   ///< null = the mode's own
};

/// Threads of all running jobs together.
[[nodiscard]] int cores(const JobManagerOptions& options);

/// Why a request was not accepted. One HTTP status each.
struct Refusal {
  enum class Kind : std::uint8_t {
    kInvalid,    ///< the request itself, or a limit; `error.field` says which
    kConflict,   ///< its idempotency key belongs to a different request
    kQueueFull,  ///< come back later: the queue is full, or the client's share of it or of time is
    kNoRoom,     ///< the client's jobs take all the bytes that they may
    kClosing,    ///< the server is shutting down
    kStorage,    ///< it cannot be made durable
  };
  Kind kind;
  Error error;
};

struct Submission {
  JobView job;  ///< complete, as get() would answer
  /// Not a new job: its idempotency key came before, or its result was known (then it is done).
  bool existing = false;
};

struct JobEvent {
  enum class Kind : std::uint8_t { kState, kProgress };
  Kind kind;
  JobView job;  ///< without report
};

struct JobPage {
  std::vector<JobView> jobs;  ///< newest first; without reports
  std::optional<JobId> next;  ///< the `before` of the next page, if there is one
};

/// Monotonic since the process started, unless said otherwise.
struct JobStats {
  std::size_t queued = 0;   ///< now
  std::size_t running = 0;  ///< now
  std::uint64_t accepted = 0;
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t resumed = 0;        ///< found unfinished at start
  std::uint64_t cache_hits = 0;     ///< results that were known already
  std::uint64_t short_jobs = 0;     ///< let into the short lane
  std::uint64_t outgrown_jobs = 0;  ///< of these, sent back to the queue
  double short_seconds = 0;         ///< core time of the short lane
  double leaves = 0;                ///< counted, running jobs included
  std::uint64_t visited = 0;
  std::uint64_t table_probes = 0;  ///< of finished jobs
  std::uint64_t table_hits = 0;
  std::uint64_t table_bytes = 0;     ///< held now by tables kept between jobs
  std::uint64_t storage_errors = 0;  ///< failed attempts to store something
  bool storage_ok = true;            ///< the last attempt succeeded
};

/// Thread safety: everything from any thread; no call waits for counting. Calls that change or read
/// stored jobs may wait for the disk (an fsync). Callbacks may not call subscribe or destroy
/// subscriptions; everything else they may.
///
/// A final state is durable before it is shown or told: who has heard of an end relies on it.
class JobManager {
 public:
  /// Opens or creates the state directory, locks it, and queues what an earlier process left
  /// unfinished, in its old order. Errors: kUnavailable (directory in use, not writable, not a
  /// database, damaged, made by a newer version, …), kInvalidInput (options).
  static Result<std::unique_ptr<JobManager>> start(JobManagerOptions options, JobWorld world = {});

  /// As shutdown(), then joins.
  ~JobManager();
  JobManager(const JobManager&) = delete;
  JobManager& operator=(const JobManager&) = delete;

  /// Returns once the job is durable. A known result (same result_identity) answers at once, with
  /// the job that found it. A known idempotency key answers with its job if the request is the
  /// same.
  /// Both hold for everybody; keys are each client's own.
  std::variant<Submission, Refusal> submit(const JobRequest& request,
                                           const Client& client = Client::anybody());

  /// None if there is no such job. kUnavailable when it cannot be read.
  Result<std::optional<JobView>> get(JobId id);

  /// What a batch that has ended has counted; kUnavailable when it cannot be read.
  Result<std::shared_ptr<const Batch>> batch_of(JobId id);

  /// The job whose result answers `request`, if that is known: complete, and done.
  Result<std::optional<JobView>> find_result(const JobRequest& request);

  /// Jobs with ids below `before` (all if none), in `state` if given; 1 <= limit <= 1000.
  Result<JobPage> list(std::size_t limit, std::optional<JobId> before = std::nullopt,
                       std::optional<JobState> state = std::nullopt,
                       JobKind kind = JobKind::kCount);

  /// Cancels a waiting or running job; a finished one stays as it is. Answers once that is durable,
  /// with the job as it stands then; threads that count it stop within a second. None if there is
  /// no such job. kUnavailable: it is stopped, and cancelled as soon as that can be stored, until
  /// when it is shown as before; a process that ends before leaves it uncancelled.
  Result<std::optional<JobView>> cancel(JobId id);

  /// Forgets a finished job, its keys and, if no other job has the same, its result. kUnavailable:
  /// it is still there, or will be after a restart.
  Result<Removal> remove(JobId id);

  /// Called for every change of state and, while jobs run, every progress_interval; one call at a
  /// time, from a thread that counts nothing and holds no lock. Of a job that changes faster than
  /// callbacks return, only the newest state is told; the final one always is. Must return soon
  /// (post, do not send) and not throw. Destroying the subscription waits for a call in progress.
  class Subscription;
  using Callback = std::function<void(const JobEvent&)>;
  [[nodiscard]] Subscription subscribe(Callback callback);

  [[nodiscard]] JobStats stats();

  /// Nothing if it is not closing, and the state directory, where it was, takes what is stored;
  /// otherwise which of the two it is: for /readyz.
  [[nodiscard]] std::optional<Error> why_not_ready();
  [[nodiscard]] bool ready() { return !why_not_ready(); }

  /// As it was started.
  [[nodiscard]] const JobManagerOptions& options() const;

  /// Accepts nothing more, stops running jobs, makes their finished subtrees durable and returns,
  /// within seconds. Unfinished jobs stay accepted: the next process resumes them.
  void shutdown();

 private:
  class Impl;
  explicit JobManager(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Ends its callback's calls when destroyed; must not outlive the manager.
class JobManager::Subscription {
 public:
  Subscription() = default;
  Subscription(Subscription&& other) noexcept;
  Subscription& operator=(Subscription&& other) noexcept;
  ~Subscription();

 private:
  friend class JobManager;
  Subscription(Impl* impl, std::uint64_t number) : impl_(impl), number_(number) {}
  Impl* impl_ = nullptr;
  std::uint64_t number_ = 0;
};

}  // namespace manyply

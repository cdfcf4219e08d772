#include "tools/server/jobs/job_manager.h"

#include <algorithm>
#include <utility>

#include "tools/server/jobs/job_queue.h"
#include "tools/server/jobs/job_runners.h"

namespace manyply {

int cores(const JobManagerOptions& options) {
  return options.counting.threads > 0 ? options.counting.threads : available_threads();
}

namespace {

/// Returns the text that is stored for a client's idempotency key: the client's name, a line end
/// and the key. For a client without a name, the text is only the key. Names and keys contain no
/// line ends.
std::string own_key(const std::string& key, const Client& client) {
  return client.name.empty() ? key : client.name + '\n' + key;
}

/// Returns the error field to report if a depth exceeds `most`. For a single count it is "depth".
/// For a batch it also names the first line that is too deep, for example "epd:3: depth".
/// Precondition: a depth exceeds `most`.
std::string field_deeper_than(Depth most, const JobRequest& request) {
  if (!request.suite) return "depth";
  const auto deeper = [&](const EpdCount& count) { return count.depth > most; };
  const auto line = std::ranges::find_if(request.suite->lines, [&](const SuiteLine& each) {
    return std::ranges::any_of(each.record.counts, deeper);
  });
  return "epd:" + std::to_string(line->number) + ": depth";
}

Refusal too_much(Refusal::Kind kind, const Client& client, const char* field, std::string why) {
  return {kind,
          {ErrorCode::kUnavailable, field, 0, "client '" + client.name + "': " + std::move(why)}};
}

/// Returns nullopt if a new job of `client` may be queued. Returns a refusal if the queue is full,
/// the client's quota is used up, or the client's usage cannot be read. May block on disk I/O. The
/// caller must not let other jobs into the queue before it has queued the new job.
std::optional<Refusal> check_quota(JobQueue& queue, const Client& client) {
  using Kind = Refusal::Kind;
  {
    const MutexLock lock(queue.mutex);
    if (queue.queued() >= queue.options.limits.max_queued) {
      return Refusal{Kind::kQueueFull,
                     {ErrorCode::kUnavailable, "queue", 0,
                      "is full: " + std::to_string(queue.options.limits.max_queued) +
                          " jobs are waiting; try again later"}};
    }
  }
  const Quota& quota = client.quota;
  if (quota.queued) {
    const MutexLock lock(queue.mutex);
    if (queue.queued_of(client.name) >= *quota.queued) {
      return too_much(Kind::kQueueFull, client, "queued",
                      "the limit of waiting jobs is reached: " + std::to_string(*quota.queued));
    }
  }
  if (!quota.running && !quota.stored_bytes) return std::nullopt;
  const auto usage = queue.usage_of(client.name);
  if (!usage) return queue.storage_refusal(usage.error());
  if (quota.running && usage->ran >= *quota.running) {
    return too_much(Kind::kQueueFull, client, "running",
                    "the limit of running time is reached: " +
                        std::to_string(quota.running->count()) + " s in 24 hours; try again later");
  }
  if (quota.stored_bytes && usage->stored_bytes >= *quota.stored_bytes) {
    return too_much(Kind::kNoRoom, client, "stored",
                    "stored results use " + std::to_string(usage->stored_bytes) +
                        " bytes; the limit is " + std::to_string(*quota.stored_bytes) +
                        "; remove finished jobs");
  }
  return std::nullopt;
}

/// Returns an error if the depth or the deadline of `request` exceeds the server's limits.
MaybeError check_limits(const JobLimits& limits, const JobRequest& request) {
  if (request.depth > limits.max_depth) {
    return Error{ErrorCode::kInvalidInput, field_deeper_than(limits.max_depth, request), 0,
                 "is above this server's limit of " + std::to_string(limits.max_depth.plies())};
  }
  if (limits.max_deadline && request.deadline && *request.deadline > *limits.max_deadline) {
    return Error{
        ErrorCode::kInvalidInput, "deadline", 0,
        "is above this server's limit of " + std::to_string(limits.max_deadline->count()) + " s"};
  }
  return std::nullopt;
}

/// Returns the deadline for jobs of `client` whose requests set no deadline; nullopt if these jobs
/// may take any time.
std::optional<std::chrono::seconds> default_deadline(const JobLimits& limits,
                                                     const Client& client) {
  if (client.role == Role::kAdmin && !client.anonymous) return limits.max_deadline;
  if (limits.default_deadline && limits.max_deadline)
    return std::min(*limits.default_deadline, *limits.max_deadline);
  return limits.default_deadline ? limits.default_deadline : limits.max_deadline;
}

/// Returns the existing job `id` as a Submission. Returns a refusal if the job cannot be read, or
/// if the database is no longer at its path.
std::variant<Submission, Refusal> existing(JobQueue& queue, JobId id) {
  // A client relies on the job that it receives, even if the job is not new. So check that the open
  // database, which contains the job, is still the file at the path.
  if (const MaybeError error = queue.store.check_place()) return queue.storage_refusal(*error);
  auto view = queue.get(id);
  if (!view) return queue.storage_refusal(view.error());
  if (!*view) {
    return queue.storage_refusal(
        {ErrorCode::kInternal, "state", 0, "the existing job has just been deleted; submit again"});
  }
  return Submission{**std::move(view), true};
}

}  // namespace

class JobManager::Impl {
 public:
  Impl(JobManagerOptions options, JobWorld world, std::unique_ptr<JobStore> store)
      : queue(std::move(options), std::move(world), std::move(store)) {}
  ~Impl() { shutdown(); }

  MaybeError start() {
    auto left = queue.store.unfinished();
    if (!left) return left.error();
    {
      const MutexLock lock(queue.mutex);
      for (JobView& view : *std::move(left)) queue.adopt(std::move(view));
    }
    runners.start();
    watcher.start();
    return std::nullopt;
  }

  void shutdown() {
    {
      const MutexLock lock(queue.mutex);
      queue.closing = true;
      for (const auto& [id, job] : queue.active) job->stop.request_stop();
      queue.work.notify_all();
    }
    const MutexLock once(shutting_down_);
    runners.join();
    {
      const MutexLock lock(queue.mutex);
      queue.runners_gone = true;
      queue.news.notify_all();
    }
    watcher.join();
  }

  JobQueue queue;
  JobRunners runners{queue};
  JobWatcher watcher{queue, runners};
  // Held during a whole submission, including disk I/O, so that ids ascend and the queue stays
  // within its limit. Also held while a job is removed, so that a concurrent submission does not
  // return that job.
  Mutex submitting;

 private:
  Mutex shutting_down_;
};

JobManager::JobManager(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
JobManager::~JobManager() = default;

Result<std::unique_ptr<JobManager>> JobManager::start(JobManagerOptions options, JobWorld world) {
  if (options.concurrent < 1 || options.concurrent > 64)
    return Error{ErrorCode::kInvalidInput, "concurrent", 0, "must be 1 to 64"};
  if (options.counting.threads < 0 || options.counting.threads > kMaxThreads)
    return Error{ErrorCode::kInvalidInput, "threads", 0,
                 "must be 0 to " + std::to_string(kMaxThreads)};
  if (auto error = ShortLane::judge(options.short_lane, cores(options))) return *std::move(error);
  const auto jobs = static_cast<std::uint64_t>(options.concurrent);
  if (options.counting.table_bytes && *options.counting.table_bytes / jobs < kMinHashBytes)
    return Error{ErrorCode::kInvalidInput, "hash", 0,
                 "must be at least 64K for each of the --concurrent jobs"};
  auto store = JobStore::open(options.state_dir);
  if (!store) return store.error();
  const std::optional<std::uint64_t> max_bytes = options.max_state_bytes;
  auto impl =
      std::make_unique<Impl>(std::move(options), std::move(world), std::move(store).value());
  // An earlier process may have had a higher limit, so the file may be too large. Shrinking it
  // takes long, so do it now, when no client waits for an answer yet.
  if (max_bytes) {
    JobStore& database = impl->queue.store;
    impl->queue.shrink();
    if (auto error = database.compact(*max_bytes)) return *std::move(error);
    if (auto error = database.bound_log(*max_bytes)) return *std::move(error);
  }
  if (auto error = impl->start()) return *std::move(error);
  return std::unique_ptr<JobManager>(new JobManager(std::move(impl)));
}

std::variant<Submission, Refusal> JobManager::submit(const JobRequest& given,
                                                     const Client& client) {
  JobQueue& queue = impl_->queue;
  using Kind = Refusal::Kind;
  JobRequest asked = given;
  if (asked.idempotency_key) asked.idempotency_key = own_key(*asked.idempotency_key, client);
  if (auto error = check_limits(queue.options.limits, asked))
    return Refusal{Kind::kInvalid, *std::move(error)};
  const Hash128 digest = request_digest(asked);
  const MutexLock submitting(impl_->submitting);
  if (asked.idempotency_key) {
    const auto owner = queue.store.find_key(*asked.idempotency_key);
    if (!owner) return queue.storage_refusal(owner.error());
    if (*owner) {
      if ((*owner)->digest != digest) {
        return Refusal{Kind::kConflict,
                       {ErrorCode::kInvalidInput, "idempotency key", 0,
                        "was already used for a different request; choose another one"}};
      }
      return existing(queue, (*owner)->job);
    }
  }
  {
    const MutexLock lock(queue.mutex);
    if (queue.closing) return Refusal{Kind::kClosing, closing_error()};
  }
  const auto known = queue.store.find_result(asked.identity);
  if (!known) return queue.storage_refusal(known.error());
  if (*known) {
    if (asked.idempotency_key) {
      const MaybeError error = queue.store.keep_key(*asked.idempotency_key, {**known, digest});
      queue.note_storage(error);
      if (error) return Refusal{Kind::kStorage, *error};
    }
    const MutexLock lock(queue.mutex);
    ++queue.stats.cache_hits;
    if (asked.idempotency_key) queue.prune_sometimes();
  }
  if (*known) return existing(queue, **known);
  if (auto refusal = check_quota(queue, client)) return *std::move(refusal);
  const double core_seconds = expected_core_seconds(asked);
  JobView view;
  view.request = std::move(asked);
  view.client = client.name;
  if (!view.request.deadline)
    view.request.deadline = default_deadline(queue.options.limits, client);
  view.created = queue.now();
  const auto id = queue.store.accept(view.request, digest, view.created, view.client);
  queue.note_storage(id.ok() ? std::nullopt : MaybeError(id.error()));
  if (!id) return Refusal{Kind::kStorage, id.error()};
  view.id = *id;
  const MutexLock lock(queue.mutex);
  const auto job = std::make_shared<ActiveJob>();
  job->view = std::move(view);
  job->thought_short = queue.lane.takes(core_seconds);
  queue.active.emplace(*id, job);
  ++queue.stats.accepted;
  queue.changed(job);
  return Submission{queue.shown(*job), false};
}

Result<Removal> JobManager::remove(JobId id) {
  JobQueue& queue = impl_->queue;
  const MutexLock submitting(impl_->submitting);
  {
    const MutexLock lock(queue.mutex);
    if (queue.active.contains(id)) return Removal::kNotFinished;
  }
  auto removal = queue.store.remove(id);
  queue.note_storage(removal.ok() ? std::nullopt : MaybeError(removal.error()));
  return removal;
}

Result<std::optional<JobView>> JobManager::get(JobId id) { return impl_->queue.get(id); }
Result<std::shared_ptr<const Batch>> JobManager::batch_of(JobId id) {
  return impl_->queue.store.batch_of(id);
}
Result<std::optional<JobView>> JobManager::find_result(const JobRequest& request) {
  return impl_->queue.find_result(request);
}

Result<JobPage> JobManager::list(std::size_t limit, std::optional<JobId> before,
                                 std::optional<JobState> state, JobKind kind) {
  JobQueue& queue = impl_->queue;
  JobPage page;
  limit = std::clamp<std::size_t>(limit, 1, 1000);
  if (state && !is_final(*state)) {
    const MutexLock lock(queue.mutex);
    for (auto job = queue.active.rbegin(); job != queue.active.rend() && page.jobs.size() <= limit;
         ++job) {
      if (before && job->first >= *before) continue;
      JobView view = queue.shown(*job->second);
      if (view.state == *state && view.request.kind() == kind) page.jobs.push_back(std::move(view));
    }
  } else {
    auto stored = queue.store.list(limit + 1, before, state, kind);
    if (!stored) return stored.error();
    page.jobs = std::move(stored).value();
    std::vector<JobView*> ended;  // jobs that ended after the rows were read
    {
      const MutexLock lock(queue.mutex);
      for (JobView& view : page.jobs) {
        if (const auto job = queue.active.find(view.id); job != queue.active.end()) {
          view = queue.shown(*job->second);
        } else if (!is_final(view.state)) {
          ended.push_back(&view);
        }
      }
    }
    for (JobView* view : ended) {
      auto now = queue.store.load(view->id);
      if (!now) return now.error();
      std::optional<JobView> found = std::move(now).value();
      if (found) *view = *std::move(found);
      view->document.clear();
    }
  }
  if (page.jobs.size() > limit) {
    page.jobs.resize(limit);
    page.next = page.jobs.back().id;
  }
  return page;
}

Result<std::optional<JobView>> JobManager::cancel(JobId id) {
  JobQueue& queue = impl_->queue;
  std::shared_ptr<ActiveJob> job;
  {
    const MutexLock lock(queue.mutex);
    if (const auto found = queue.active.find(id); found != queue.active.end()) {
      job = found->second;
      if (!job->unstored_end) {
        JobEnd end{JobState::kCancelled, queue.now(), std::nullopt, std::nullopt};
        if (job->view.state == JobState::kRunning) end.ran = job->elapsed();
        job->stop.request_stop();
        queue.end_in_memory(job, std::move(end));
      }
    }
  }
  if (job) {
    queue.store_end(job);
    const MutexLock lock(queue.mutex);
    if (job->unstored_end) {
      return Error{ErrorCode::kUnavailable, "", 0,
                   std::string(job->view.request.batch ? "batch " : "job ") +
                       std::to_string(id.value) + " has stopped, but the state '" +
                       std::string(to_string(job->view.state)) +
                       "' cannot be stored; if the server restarts now, the job runs again: " +
                       job->view.storage_problem.value_or("")};
    }
  } else if (MaybeError error = queue.store.check_place()) {
    queue.note_storage(error);
    return *std::move(error);  // the file at the path may lack the end of the job
  }
  return queue.store.load(id);
}

JobStats JobManager::stats() {
  JobQueue& queue = impl_->queue;
  const std::uint64_t table_bytes = impl_->runners.table_bytes();
  const MutexLock lock(queue.mutex);
  JobStats now = queue.stats;
  now.table_bytes = table_bytes;
  now.short_seconds = queue.lane.total_seconds();
  for (const auto& [id, job] : queue.active) {
    now.queued += job->view.state == JobState::kQueued ? 1 : 0;
    if (job->view.state != JobState::kRunning) continue;
    ++now.running;
    if (!job->live) continue;
    const JobProgress progress = show(*job->live, 0);
    now.leaves += progress.leaves;
    now.visited += progress.visited;
  }
  return now;
}

MaybeError JobManager::why_not_ready() {
  JobQueue& queue = impl_->queue;
  if (const MaybeError error = queue.store.check_place()) queue.note_storage(error);
  const MutexLock lock(queue.mutex);
  if (queue.closing) return closing_error();
  if (!queue.storage_problem) return std::nullopt;
  Error error = *queue.storage_problem;
  error.message = "storing fails, so new jobs are refused: " + error.message;
  return error;
}

const JobManagerOptions& JobManager::options() const { return impl_->queue.options; }
void JobManager::shutdown() { impl_->shutdown(); }

JobManager::Subscription JobManager::subscribe(Callback callback) {
  return {impl_.get(), Unsubscribe{impl_->watcher.subscribe(std::move(callback))}};
}

void JobManager::Unsubscribe::operator()(Impl* impl) const { impl->watcher.unsubscribe(number); }

}  // namespace manyply

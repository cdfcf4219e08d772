#include "tools/server/job_manager.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <random>
#include <thread>
#include <utility>

#include "parallel/mutex.h"
#include "tools/server/job_store.h"
#include "tools/server/stored_units.h"

namespace manyply {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kStorageRetry{500};
constexpr std::uint64_t kPruneEvery = 64;  // jobs that ended, and keys for known results

std::uint64_t random_seed() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

/// A job that has not ended, or whose end could not be stored yet.
struct ActiveJob {
  JobView view;  // progress and queue position are filled in when it is shown
  std::stop_source stop;
  bool cancelled = false;  // on request; set with `stop`
  bool expired = false;    // its deadline passed; set with `stop`
  std::shared_ptr<LiveProgress> live;
  std::shared_ptr<StoredUnits> units;
  Clock::time_point started;
  std::optional<JobEnd> unstored_end;
};

JobProgress show(const LiveProgress& live, std::uint64_t resumed_units, double seconds) {
  LiveProgress::Reading reading = live.read();
  const ProgressSnapshot& now = reading.snapshot;
  JobProgress progress;
  progress.phase = std::move(reading.phase);
  progress.units_done = now.units_done;
  progress.units_total = now.units_total;
  progress.resumed_units = resumed_units;
  progress.leaves = reading.earlier_leaves + now.leaves;
  progress.visited = reading.earlier_visited + now.visited;
  progress.seconds = seconds;
  if (seconds > 0) {
    progress.leaves_per_second = progress.leaves / seconds;
    progress.visited_per_second = static_cast<double>(progress.visited) / seconds;
  }
  if (now.units_total == 0) return progress;
  const auto total = static_cast<double>(now.units_total);
  progress.share = static_cast<double>(now.units_done) / total;
  // Subtrees differ in size: less than five seconds and a twentieth of the work says nothing.
  const double counted = progress.share - static_cast<double>(progress.resumed_units) / total;
  if (progress.phase.empty() && seconds >= 5 && counted >= 0.05)
    progress.seconds_left = seconds * (1 - progress.share) / counted;
  return progress;
}

Error expired_error() {
  return {ErrorCode::kUnavailable, "deadline", 0, "passed before the count was finished"};
}

}  // namespace

/// Lock order: submitting_, callbacks_mutex_, mutex_. The store is called with submitting_ at most,
/// callbacks with callbacks_mutex_ alone.
class JobManager::Impl {
 public:
  Impl(JobManagerOptions options, std::unique_ptr<JobStore> store)
      : options_(std::move(options)),
        slots_(static_cast<std::size_t>(options_.concurrent)),
        store_(std::move(store)) {
    hash_.bytes = options_.hash_bytes / slots_.size();
    hash_.keys.seed = options_.key_seed ? *options_.key_seed : random_seed();
    threads_ = std::max(
        1, (options_.threads > 0 ? options_.threads : available_threads()) / options_.concurrent);
  }

  MaybeError start() {
    auto left = store_->unfinished();
    if (!left) return left.error();
    {
      const MutexLock lock(mutex_);
      for (JobView& view : *std::move(left)) adopt(std::move(view));
    }
    for (Slot& slot : slots_) slot.thread = std::jthread([this, &slot] { run_jobs(slot); });
    watcher_ = std::jthread([this] { watch(); });
    return std::nullopt;
  }

  ~Impl() { shutdown(); }

  std::variant<Submission, Refusal> submit(const JobRequest& asked) {
    using Kind = Refusal::Kind;
    if (auto error = check_limits(asked)) return Refusal{Kind::kInvalid, *std::move(error)};
    const Hash128 digest = request_digest(asked);
    const MutexLock submitting(submitting_);
    if (asked.idempotency_key) {
      const auto owner = store_->find_key(*asked.idempotency_key);
      if (!owner) return storage_refusal(owner.error());
      if (*owner) {
        if ((*owner)->digest != digest) {
          return Refusal{Kind::kConflict,
                         {ErrorCode::kInvalidInput, "idempotency key", 0,
                          "was used before, for a different request"}};
        }
        return existing((*owner)->job);
      }
    }
    {
      const MutexLock lock(mutex_);
      if (closing_)
        return Refusal{Kind::kClosing,
                       {ErrorCode::kUnavailable, "", 0, "the server is shutting down"}};
    }
    const auto known = store_->find_result(result_identity(asked));
    if (!known) return storage_refusal(known.error());
    if (*known) {
      if (asked.idempotency_key) {
        const MaybeError error = store_->keep_key(*asked.idempotency_key, {**known, digest});
        note_storage(error);
        if (error) return Refusal{Kind::kStorage, *error};
      }
      const MutexLock lock(mutex_);
      ++stats_.cache_hits;
      if (asked.idempotency_key) prune_sometimes();
    }
    if (*known) return existing(**known);
    {
      const MutexLock lock(mutex_);
      if (queued() >= options_.limits.max_queued) {
        return Refusal{
            Kind::kQueueFull,
            {ErrorCode::kUnavailable, "queue", 0,
             "is full: " + std::to_string(options_.limits.max_queued) + " jobs are waiting"}};
      }
    }
    JobView view;
    view.request = asked;
    if (!view.request.deadline) view.request.deadline = options_.limits.max_deadline;
    view.created = now();
    const auto id = store_->accept(view.request, digest, view.created);
    note_storage(id.ok() ? std::nullopt : MaybeError(id.error()));
    if (!id) return Refusal{Kind::kStorage, id.error()};
    view.id = *id;
    const MutexLock lock(mutex_);
    const auto job = std::make_shared<ActiveJob>();
    job->view = std::move(view);
    active_.emplace(*id, job);
    ++stats_.accepted;
    changed(job);
    return Submission{shown(*job), false};
  }

  Result<std::optional<JobView>> get(JobId id) {
    {
      const MutexLock lock(mutex_);
      if (const auto job = active_.find(id); job != active_.end())
        return std::optional(shown(*job->second));
    }
    return store_->load(id);
  }

  Result<std::optional<JobView>> find_result(const JobRequest& request) {
    const auto id = store_->find_result(result_identity(request));
    if (!id) return id.error();
    if (!*id) return std::optional<JobView>();
    return store_->load(**id);
  }

  Result<JobPage> list(std::size_t limit, std::optional<JobId> before,
                       std::optional<JobState> state) {
    JobPage page;
    limit = std::clamp<std::size_t>(limit, 1, 1000);
    if (state && !is_final(*state)) {
      const MutexLock lock(mutex_);
      for (auto job = active_.rbegin(); job != active_.rend() && page.jobs.size() <= limit; ++job) {
        if (job->second->view.state == *state && (!before || job->first < *before))
          page.jobs.push_back(shown(*job->second));
      }
    } else {
      auto stored = store_->list(limit + 1, before, state);
      if (!stored) return stored.error();
      page.jobs = std::move(stored).value();
      const MutexLock lock(mutex_);
      for (JobView& view : page.jobs) {
        if (const auto job = active_.find(view.id); job != active_.end())
          view = shown(*job->second);
      }
    }
    if (page.jobs.size() > limit) {
      page.jobs.resize(limit);
      page.next = page.jobs.back().id;
    }
    return page;
  }

  Result<std::optional<JobView>> cancel(JobId id) {
    std::shared_ptr<ActiveJob> job;
    {
      const MutexLock lock(mutex_);
      if (const auto found = active_.find(id); found != active_.end()) {
        job = found->second;
        job->cancelled = true;
        if (job->view.state == JobState::kRunning) {
          job->stop.request_stop();
          return std::optional(shown(*job));
        }
        if (job->view.state == JobState::kQueued)
          end_in_memory(job, {JobState::kCancelled, now(), std::nullopt, std::nullopt});
      }
    }
    if (!job) return store_->load(id);
    store_end(job);
    const MutexLock lock(mutex_);
    if (job->unstored_end) {
      return Error{
          ErrorCode::kUnavailable, "", 0,
          "the job is " + std::string(to_string(job->view.state)) +
              ", but that cannot be stored at present: " + job->view.storage_problem.value_or("")};
    }
    return std::optional(shown(*job));
  }

  std::uint64_t subscribe(Callback callback) {
    const MutexLock lock(callbacks_mutex_);
    callbacks_.emplace(++last_callback_, std::move(callback));
    return last_callback_;
  }

  void unsubscribe(std::uint64_t number) {
    const MutexLock lock(callbacks_mutex_);
    callbacks_.erase(number);
  }

  JobStats stats() {
    const MutexLock lock(mutex_);
    JobStats stats = stats_;
    for (const auto& [id, job] : active_) {
      stats.queued += job->view.state == JobState::kQueued ? 1 : 0;
      if (job->view.state != JobState::kRunning) continue;
      ++stats.running;
      if (!job->live) continue;
      const JobProgress progress = show(*job->live, 0, 0);
      stats.leaves += progress.leaves;
      stats.visited += progress.visited;
    }
    for (const Slot& slot : slots_) stats.table_bytes += slot.tables.bytes();
    return stats;
  }

  bool ready() {
    if (const MaybeError error = store_->check_place()) note_storage(error);
    const MutexLock lock(mutex_);
    return !closing_ && stats_.storage_ok;
  }

  void shutdown() {
    {
      const MutexLock lock(mutex_);
      closing_ = true;
      for (const auto& [id, job] : active_) job->stop.request_stop();
      work_.notify_all();
    }
    const MutexLock once(shutting_down_);
    for (Slot& slot : slots_) slot.thread = {};
    {
      const MutexLock lock(mutex_);
      runners_gone_ = true;
      news_.notify_all();
    }
    watcher_ = {};
  }

 private:
  /// What runs one job at a time.
  struct Slot {
    TableKeeper tables;
    std::jthread thread;
  };

  [[nodiscard]] WallTime now() const {
    // Stored times have milliseconds; a job looks the same before and after a restart.
    return std::chrono::floor<milliseconds>(options_.now ? options_.now()
                                                         : std::chrono::system_clock::now());
  }

  [[nodiscard]] MaybeError check_limits(const JobRequest& request) const {
    const JobLimits& limits = options_.limits;
    if (request.depth > limits.max_depth) {
      return Error{ErrorCode::kInvalidInput, "depth", 0,
                   "is above this server's limit of " + std::to_string(limits.max_depth.plies())};
    }
    if (limits.max_deadline && request.deadline && *request.deadline > *limits.max_deadline) {
      return Error{
          ErrorCode::kInvalidInput, "deadline", 0,
          "is above this server's limit of " + std::to_string(limits.max_deadline->count()) + " s"};
    }
    return std::nullopt;
  }

  void adopt(JobView view) MANYPLY_REQUIRES(mutex_) {
    const auto job = std::make_shared<ActiveJob>();
    const JobId id = view.id;
    ++stats_.resumed;
    job->view = std::move(view);
    active_.emplace(id, job);
    if (job->view.state == JobState::kFailed) {  // cannot be read any more
      job->unstored_end = JobEnd{JobState::kFailed, now(), job->view.error, std::nullopt};
      job->view.finished = job->unstored_end->at;
    } else {
      job->view.state = JobState::kQueued;
    }
    changed(job);
  }

  std::variant<Submission, Refusal> existing(JobId id) {
    // Who hears of a job relies on it, new or not.
    if (const MaybeError error = store_->check_place()) return storage_refusal(*error);
    auto view = get(id);
    if (!view) return storage_refusal(view.error());
    if (!*view) {
      return storage_refusal({ErrorCode::kInternal, "state", 0, "a job that was known is gone"});
    }
    return Submission{**std::move(view), true};
  }

  Refusal storage_refusal(const Error& error) {
    note_storage(error);
    return {Refusal::Kind::kStorage, error};
  }

  void note_storage(const MaybeError& error) {
    const MutexLock lock(mutex_);
    if (stats_.storage_ok == error.has_value()) storage_news_.push_back(error);
    stats_.storage_ok = !error;
    stats_.storage_errors += error ? 1 : 0;
    // The watcher tells it, and asks the disk again until it works.
    if (error || !storage_news_.empty()) news_.notify_all();
  }

  [[nodiscard]] std::size_t queued() const MANYPLY_REQUIRES(mutex_) {
    return static_cast<std::size_t>(std::ranges::count_if(
        active_, [](const auto& entry) { return entry.second->view.state == JobState::kQueued; }));
  }

  [[nodiscard]] JobView shown(const ActiveJob& job) const MANYPLY_REQUIRES(mutex_) {
    JobView view = job.view;
    if (view.state == JobState::kQueued) {
      for (const auto& [id, other] : active_) {
        if (id <= view.id && other->view.state == JobState::kQueued) ++view.queue_position;
      }
    } else if (view.state == JobState::kRunning && job.live) {
      const std::uint64_t resumed = job.units ? job.units->resumed() : 0;
      view.progress = show(*job.live, resumed,
                           std::chrono::duration<double>(Clock::now() - job.started).count());
    }
    return view;
  }

  /// Tells the watcher, and runners that look for work.
  void changed(const std::shared_ptr<ActiveJob>& job) MANYPLY_REQUIRES(mutex_) {
    changed_[job->view.id] = job;
    work_.notify_all();
    news_.notify_all();
  }

  void queue_moved() MANYPLY_REQUIRES(mutex_) {
    for (const auto& [id, job] : active_) {
      if (job->view.state == JobState::kQueued) changed_[id] = job;
    }
    news_.notify_all();
  }

  /// Of a job that nobody runs. Its end is stored later, by store_end.
  void end_in_memory(const std::shared_ptr<ActiveJob>& job, JobEnd end) MANYPLY_REQUIRES(mutex_) {
    job->view.state = end.state;
    job->view.finished = end.at;
    job->view.error = end.error;
    job->unstored_end = std::move(end);
    changed(job);
    queue_moved();
  }

  /// Stores the end of a job that has ended in memory; on an error it stays where it is, and the
  /// watcher tries again.
  void store_end(const std::shared_ptr<ActiveJob>& job) {
    JobEnd end;
    JobRequest request;
    JobId id;
    {
      const MutexLock lock(mutex_);
      if (!job->unstored_end) return;
      end = *job->unstored_end;
      request = job->view.request;
      id = job->view.id;
    }
    const MaybeError error = store_->finish(id, request, end);
    note_storage(error);
    const MutexLock lock(mutex_);
    if (!job->unstored_end) return;  // somebody else was faster
    if (error) {
      job->view.storage_problem = error->to_string();
      return;
    }
    job->unstored_end.reset();
    job->view.storage_problem.reset();
    retire(job);
  }

  /// The end of `job` is durable: the store shows it from now on.
  void retire(const std::shared_ptr<ActiveJob>& job) MANYPLY_REQUIRES(mutex_) {
    active_.erase(job->view.id);
    job->live.reset();
    job->units.reset();
    switch (job->view.state) {
      case JobState::kDone:
        ++stats_.done;
        break;
      case JobState::kFailed:
        ++stats_.failed;
        break;
      default:
        ++stats_.cancelled;
    }
    changed(job);
  }

  // Runners

  void run_jobs(Slot& slot) {
    while (const auto job = next_job()) {
      run(job, slot);
      const MutexLock lock(mutex_);
      last_run_ = Clock::now();
      news_.notify_all();
    }
  }

  /// Waits for a job; null when the server closes.
  std::shared_ptr<ActiveJob> next_job() {
    const MutexLock lock(mutex_);
    for (;;) {
      if (closing_) return nullptr;
      for (const auto& [id, job] : active_) {
        if (job->view.state != JobState::kQueued) continue;
        job->view.state = JobState::kRunning;
        job->view.started = now();
        ++job->view.attempts;
        job->started = Clock::now();
        job->live = std::make_shared<LiveProgress>();
        changed(job);
        queue_moved();
        return job;
      }
      work_.wait(mutex_);
    }
  }

  void run(const std::shared_ptr<ActiveJob>& job, Slot& slot) {
    JobId id;
    JobRequest request;
    int attempt = 0;
    WallTime started;
    std::shared_ptr<LiveProgress> live;
    {
      const MutexLock lock(mutex_);
      id = job->view.id;
      request = job->view.request;
      attempt = job->view.attempts;
      started = *job->view.started;
      live = job->live;
    }
    // Found meanwhile by a job before it in the queue?
    if (auto known = known_outcome(request)) {
      {
        const MutexLock lock(mutex_);
        job->view.started.reset();
        --job->view.attempts;
      }
      return end(job, JobState::kDone, std::move(known));
    }
    note_storage_of(job, store_->start_attempt(id, attempt, started));

    const JobModeInfo& mode = info(request.mode);
    JobResources resources;
    resources.threads = threads_;
    resources.kernel = options_.kernel;
    resources.placement = options_.placement;
    resources.hash = hash_;
    resources.tables = &slot.tables;
    resources.progress = live.get();
    std::shared_ptr<StoredUnits> units;
    if (mode.resumes) {
      units = std::make_shared<StoredUnits>(
          *store_, id, options_.unit_interval,
          [this, job](const MaybeError& error) { note_storage_of(job, error); });
      resources.units = units.get();
      const MutexLock lock(mutex_);
      job->units = units;
    }
    const std::stop_token stop = job->stop.get_token();
    Result<JobOutcome> outcome = options_.runner ? options_.runner(request, resources, stop)
                                                 : mode.run(request, resources, stop);
    {
      // The callback's job owns the units: whoever reads progress must not be the last to have
      // them.
      const MutexLock lock(mutex_);
      job->units.reset();
    }
    units.reset();
    account(*live, outcome);
    if (outcome.ok()) return end(job, JobState::kDone, std::move(outcome).value());
    bool cancelled = false;
    bool expired = false;
    {
      const MutexLock lock(mutex_);
      cancelled = job->cancelled;
      expired = job->expired;
      if (outcome.error().code == ErrorCode::kCancelled && !cancelled && !expired && closing_) {
        job->view.state = JobState::kQueued;  // the next process goes on with it
        job->live.reset();
        changed(job);
        return;
      }
    }
    if (outcome.error().code != ErrorCode::kCancelled)
      return end(job, JobState::kFailed, std::nullopt, outcome.error());
    if (cancelled) return end(job, JobState::kCancelled, std::nullopt);
    if (expired) return end(job, JobState::kFailed, std::nullopt, expired_error());
    end(job, JobState::kFailed, std::nullopt,
        Error{ErrorCode::kInternal, "", 0, "stopped without being asked to"});
  }

  std::optional<JobOutcome> known_outcome(const JobRequest& request) {
    const auto view = find_result(request);
    if (!view.ok() || !*view || (*view)->state != JobState::kDone) return std::nullopt;
    {
      const MutexLock lock(mutex_);
      ++stats_.cache_hits;
    }
    JobOutcome outcome;
    outcome.nodes = (*view)->nodes;
    outcome.estimate = (*view)->estimate;
    outcome.verdict = (*view)->verdict;
    outcome.report = (*view)->report;
    return outcome;
  }

  void note_storage_of(const std::shared_ptr<ActiveJob>& job, const MaybeError& error) {
    note_storage(error);
    const MutexLock lock(mutex_);
    job->view.storage_problem = error ? std::optional(error->to_string()) : std::nullopt;
  }

  void account(const LiveProgress& live, const Result<JobOutcome>& outcome) {
    const JobProgress progress = show(live, 0, 0);
    const MutexLock lock(mutex_);
    stats_.leaves += progress.leaves;
    stats_.visited += progress.visited;
    if (!outcome.ok()) return;
    stats_.table_probes += outcome->table_probes;
    stats_.table_hits += outcome->table_hits;
  }

  /// Makes the end of a running job durable, then visible. A disk that takes nothing is waited for.
  void end(const std::shared_ptr<ActiveJob>& job, JobState state, std::optional<JobOutcome> outcome,
           MaybeError failure = std::nullopt) {
    JobEnd end{state, now(), std::move(failure), std::move(outcome)};
    JobRequest request;
    JobId id;
    {
      const MutexLock lock(mutex_);
      request = job->view.request;
      id = job->view.id;
    }
    const Clock::time_point patience_ends = Clock::now() + options_.storage_patience;
    for (;;) {
      const MaybeError error = store_->finish(id, request, end);
      if (error && error->code == ErrorCode::kInternal) {  // not the disk: two totals differ
        end = {JobState::kFailed, end.at, error, std::nullopt};
        continue;
      }
      note_storage_of(job, error);
      const MutexLock lock(mutex_);
      if (!error) {
        job->view.state = end.state;
        job->view.finished = end.at;
        job->view.error = end.error;
        if (end.outcome) {
          job->view.nodes = end.outcome->nodes;
          job->view.estimate = end.outcome->estimate;
          job->view.verdict = end.outcome->verdict;
        }
        retire(job);
        prune_sometimes();
        return;
      }
      if (closing_) {  // not stored, not told: the next process counts what is missing again
        job->view.state = JobState::kQueued;
        job->live.reset();
        changed(job);
        return;
      }
      if (!end.outcome || job->cancelled || Clock::now() >= patience_ends) {
        if (job->cancelled) {
          end = {JobState::kCancelled, now(), std::nullopt, std::nullopt};
        } else if (end.outcome) {
          end = {JobState::kFailed, now(),
                 Error{error->code, error->field, 0, "no place for the result: " + error->message},
                 std::nullopt};
        }
        end_in_memory(job, std::move(end));
        return;
      }
      work_.wait_for(mutex_, kStorageRetry);
    }
  }

  void prune_sometimes() MANYPLY_REQUIRES(mutex_) { prune_due_ = ++prunable_ % kPruneEvery == 0; }

  // Watcher: deadlines, idle tables, ends that could not be stored, and telling subscribers.

  void watch() {
    for (bool last = false; !last;) {
      std::vector<JobEvent> events;
      std::vector<std::shared_ptr<ActiveJob>> unstored;
      std::vector<MaybeError> storage_news;
      bool probe = false;
      bool idle = false;
      bool prune = false;
      {
        const MutexLock lock(mutex_);
        if (changed_.empty() && storage_news_.empty() && !runners_gone_) {
          if (needs_ticks()) {
            news_.wait_for(mutex_, options_.progress_interval);
          } else {
            news_.wait(mutex_);
          }
        }
        last = runners_gone_;
        expire(unstored);
        storage_news = std::exchange(storage_news_, {});
        events = take_events();
        for (const auto& [id, job] : active_) {
          if (job->unstored_end && Clock::now() - last_retry_ >= kStorageRetry)
            unstored.push_back(job);
        }
        if (unstored.empty() && !stats_.storage_ok) {
          probe = Clock::now() - last_retry_ >= kStorageRetry;
        }
        if (!unstored.empty() || probe) last_retry_ = Clock::now();
        idle = tables_idle();
        prune = std::exchange(prune_due_, false);
      }
      {
        const MutexLock lock(callbacks_mutex_);
        for (const JobEvent& event : events) {
          for (const auto& [number, callback] : callbacks_) callback(event);
        }
      }
      for (const MaybeError& problem : storage_news) {
        if (options_.storage_changed) options_.storage_changed(problem);
      }
      for (const auto& job : unstored) store_end(job);
      if (probe) note_storage(store_->probe());
      if (idle) {
        for (Slot& slot : slots_) slot.tables.release();
      }
      if (prune) note_storage(store_->prune(options_.keep_finished));
    }
  }

  /// Something may have to be done without anybody's call: progress, deadlines, idle tables, ends,
  /// a disk to ask again.
  [[nodiscard]] bool needs_ticks() const MANYPLY_REQUIRES(mutex_) {
    return !active_.empty() || !stats_.storage_ok ||
           std::ranges::any_of(slots_, [](const Slot& slot) { return slot.tables.bytes() > 0; });
  }

  void expire(std::vector<std::shared_ptr<ActiveJob>>& unstored) MANYPLY_REQUIRES(mutex_) {
    const WallTime time = now();
    std::vector<std::shared_ptr<ActiveJob>> waiting;
    for (const auto& [id, job] : active_) {
      const JobView& view = job->view;
      if (!view.request.deadline || time < view.created + *view.request.deadline) continue;
      if (view.state == JobState::kRunning && !job->expired) {
        job->expired = true;
        job->stop.request_stop();
      } else if (view.state == JobState::kQueued && !closing_) {
        waiting.push_back(job);
      }
    }
    for (const auto& job : waiting) {
      end_in_memory(job, {JobState::kFailed, time, expired_error(), std::nullopt});
      unstored.push_back(job);
    }
  }

  std::vector<JobEvent> take_events() MANYPLY_REQUIRES(mutex_) {
    std::vector<JobEvent> events;
    const bool tick = Clock::now() - last_tick_ >= options_.progress_interval;
    if (tick) last_tick_ = Clock::now();
    for (const auto& [id, job] : active_) {
      if (tick && job->view.state == JobState::kRunning && !changed_.contains(id))
        events.push_back({JobEvent::Kind::kProgress, shown(*job)});
    }
    for (const auto& [id, job] : changed_) events.push_back({JobEvent::Kind::kState, shown(*job)});
    changed_.clear();
    return events;
  }

  [[nodiscard]] bool tables_idle() const MANYPLY_REQUIRES(mutex_) {
    const bool working = std::ranges::any_of(
        active_, [](const auto& entry) { return entry.second->view.state <= JobState::kRunning; });
    return !working && Clock::now() - last_run_ >= options_.table_idle;
  }

  const JobManagerOptions options_;
  HashSpec hash_;
  int threads_ = 1;  // of each slot
  std::vector<Slot> slots_;
  const std::unique_ptr<JobStore> store_;

  Mutex submitting_;  // one submission at a time: ids ascend, the queue's bound holds
  Mutex shutting_down_;

  Mutex callbacks_mutex_;
  std::map<std::uint64_t, Callback> callbacks_ MANYPLY_GUARDED_BY(callbacks_mutex_);
  std::uint64_t last_callback_ MANYPLY_GUARDED_BY(callbacks_mutex_) = 0;

  Mutex mutex_;
  std::condition_variable_any work_;  // for runners: a job waits, or the server closes
  std::condition_variable_any news_;  // for the watcher: changed_ grew, or a runner is done
  std::map<JobId, std::shared_ptr<ActiveJob>> active_ MANYPLY_GUARDED_BY(mutex_);
  std::map<JobId, std::shared_ptr<ActiveJob>> changed_ MANYPLY_GUARDED_BY(mutex_);  // untold
  JobStats stats_ MANYPLY_GUARDED_BY(mutex_);
  std::vector<MaybeError> storage_news_ MANYPLY_GUARDED_BY(mutex_);  // untold
  std::uint64_t prunable_ MANYPLY_GUARDED_BY(mutex_) = 0;
  bool prune_due_ MANYPLY_GUARDED_BY(mutex_) = false;
  bool closing_ MANYPLY_GUARDED_BY(mutex_) = false;
  bool runners_gone_ MANYPLY_GUARDED_BY(mutex_) = false;
  Clock::time_point last_tick_ MANYPLY_GUARDED_BY(mutex_) = Clock::now();
  Clock::time_point last_retry_ MANYPLY_GUARDED_BY(mutex_) = Clock::now();
  Clock::time_point last_run_ MANYPLY_GUARDED_BY(mutex_) = Clock::now();
  std::jthread watcher_;
};

JobManager::JobManager(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
JobManager::~JobManager() = default;

Result<std::unique_ptr<JobManager>> JobManager::start(JobManagerOptions options) {
  if (options.concurrent < 1 || options.concurrent > 64)
    return Error{ErrorCode::kInvalidInput, "concurrent", 0, "takes 1 to 64"};
  if (options.threads < 0 || options.threads > kMaxThreads)
    return Error{ErrorCode::kInvalidInput, "threads", 0,
                 "takes 0 to " + std::to_string(kMaxThreads)};
  const auto jobs = static_cast<std::uint64_t>(options.concurrent);
  if (options.hash_bytes > 0 && options.hash_bytes / jobs < kMinHashBytes)
    return Error{ErrorCode::kInvalidInput, "hash", 0, "a table takes at least 64K"};
  auto store = JobStore::open(options.state_dir);
  if (!store) return store.error();
  auto impl = std::make_unique<Impl>(std::move(options), std::move(store).value());
  if (auto error = impl->start()) return *std::move(error);
  return std::unique_ptr<JobManager>(new JobManager(std::move(impl)));
}

std::variant<Submission, Refusal> JobManager::submit(const JobRequest& request) {
  return impl_->submit(request);
}
Result<std::optional<JobView>> JobManager::get(JobId id) { return impl_->get(id); }
Result<std::optional<JobView>> JobManager::find_result(const JobRequest& request) {
  return impl_->find_result(request);
}
Result<JobPage> JobManager::list(std::size_t limit, std::optional<JobId> before,
                                 std::optional<JobState> state) {
  return impl_->list(limit, before, state);
}
Result<std::optional<JobView>> JobManager::cancel(JobId id) { return impl_->cancel(id); }
JobStats JobManager::stats() { return impl_->stats(); }
bool JobManager::ready() { return impl_->ready(); }
void JobManager::shutdown() { impl_->shutdown(); }

JobManager::Subscription JobManager::subscribe(Callback callback) {
  return {impl_.get(), impl_->subscribe(std::move(callback))};
}

JobManager::Subscription::Subscription(Subscription&& other) noexcept
    : impl_(std::exchange(other.impl_, nullptr)), number_(other.number_) {}

JobManager::Subscription& JobManager::Subscription::operator=(Subscription&& other) noexcept {
  std::swap(impl_, other.impl_);
  std::swap(number_, other.number_);
  return *this;
}

JobManager::Subscription::~Subscription() {
  if (impl_ != nullptr) impl_->unsubscribe(number_);
}

}  // namespace manyply

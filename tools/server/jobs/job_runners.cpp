#include "tools/server/jobs/job_runners.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "core/base/files.h"
#include "tools/server/jobs/job_store.h"

namespace manyply {

using std::chrono::milliseconds;

namespace {

std::uint64_t random_seed() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

/// Returns the options of counts in the short lane: one thread, and table memory of at most 64 MiB,
/// which is enough for a short job. If `count_options` limits the table memory, the lane gets at
/// most 1/16 of this limit, but at least kMinHashBytes.
CountOptions short_lane_options(CountOptions count_options) {
  constexpr std::uint64_t kEnough = std::uint64_t{64} << 20;
  count_options.threads = 1;
  count_options.pin_workers = false;  // other slots may have pinned their workers to the cores
  count_options.table_bytes =
      count_options.table_bytes
          ? std::clamp(*count_options.table_bytes / 16, kMinHashBytes, kEnough)
          : kEnough;
  return count_options;
}

Error used_up_error(const std::string& client) {
  return {ErrorCode::kUnavailable, "running", 0,
          "client '" + client +
              "' has used all the running time that it may use within 24 hours; try again later"};
}

Error expired_error() {
  return {ErrorCode::kUnavailable, "deadline", 0, "passed before the count was finished"};
}

}  // namespace

JobRunners::JobRunners(JobQueue& queue)
    : queue_(queue),
      slots_(static_cast<std::size_t>(queue.options.concurrent) +
             (queue.options.short_lane.on() ? 1 : 0)) {
  const int jobs = queue.options.concurrent;
  CountOptions count_options = queue.options.counting;
  if (!count_options.key_seed) count_options.key_seed = random_seed();
  count_options.table_is_given = true;
  if (queue.options.short_lane.on()) {
    slots_.back().beside = true;
    slots_.back().count_options = short_lane_options(count_options);
    if (count_options.table_bytes)
      *count_options.table_bytes -=
          std::min(*count_options.table_bytes, *slots_.back().count_options.table_bytes);
  }
  if (count_options.table_bytes)
    count_options.table_bytes =
        std::max(kMinHashBytes, *count_options.table_bytes / static_cast<unsigned>(jobs));
  count_options.threads = std::max(1, cores(queue.options) / jobs);
  for (Slot& slot : slots_) {
    if (!slot.beside) slot.count_options = count_options;
  }
}

void JobRunners::start() {
  for (Slot& slot : slots_) slot.thread = std::jthread([this, &slot] { run_jobs(slot); });
}

void JobRunners::join() {
  for (Slot& slot : slots_) slot.thread = {};
}

std::uint64_t JobRunners::table_bytes() const {
  std::uint64_t bytes = 0;
  for (const Slot& slot : slots_) bytes += slot.tables.bytes();
  return bytes;
}

void JobRunners::release_tables() {
  for (Slot& slot : slots_) slot.tables.release();
}

void JobRunners::run_jobs(Slot& slot) {
  if (slot.beside) {
    const MutexLock lock(queue_.mutex);
    // Only this thread counts in the short lane.
    queue_.lane_thread = ThreadTime::of_this_thread();
  }
  while (const auto job = next_job(slot)) {
    run(job, slot);
    queue_.shrink();  // before the next result is stored, so that the size limit holds
    const MutexLock lock(queue_.mutex);
    queue_.last_run = SteadyClock::now();
    queue_.news.notify_all();
  }
}

/// Blocks until there is a job for `slot`; returns null when the server shuts down.
std::shared_ptr<ActiveJob> JobRunners::next_job(const Slot& slot) {
  const MutexLock lock(queue_.mutex);
  for (;;) {
    if (queue_.closing) return nullptr;
    const auto job = queue_.first_waiting(slot.beside);
    if (job && (!slot.beside || queue_.may_run_beside())) {
      begin(job, slot);
      return job;
    }
    if (job) {  // check again soon: the lane may get room, or a running job may prove to be long
      queue_.work.wait_for(queue_.mutex, queue_.options.progress_interval);
    } else {
      queue_.work.wait(queue_.mutex);
    }
  }
}

void JobRunners::begin(const std::shared_ptr<ActiveJob>& job, const Slot& slot) {
  job->view.state = JobState::kRunning;
  job->view.started = queue_.now();
  ++job->view.attempts;
  job->started = queue_.steady_now();
  job->beside = slot.beside;
  job->lane_time = queue_.lane_time();
  queue_.stats.short_jobs += slot.beside ? 1 : 0;
  job->live = std::make_shared<LiveProgress>();
  queue_.changed(job);
  queue_.order_changed();
}

/// Charges the lane for a job that has stopped counting. Does nothing for jobs outside the lane.
void JobRunners::leave_lane(ActiveJob& job) {
  const MutexLock lock(queue_.mutex);
  if (!std::exchange(job.beside, false)) return;
  queue_.lane.charge(queue_.lane_time() - job.lane_time, queue_.steady_now());
}

/// Puts a job back at its old place in the queue and keeps its units.
void JobRunners::wait_again(const std::shared_ptr<ActiveJob>& job) {
  job->view.state = JobState::kQueued;
  job->live.reset();
  if (std::exchange(job->outgrown, false)) {
    job->thought_short = false;
    job->stop = std::stop_source();
    ++queue_.stats.outgrown_jobs;
  }
  queue_.changed(job);
  queue_.order_changed();
}

void JobRunners::run(const std::shared_ptr<ActiveJob>& job, Slot& slot) {
  JobId id;
  JobRequest request;
  int attempt = 0;
  WallTime started;
  std::string client;
  std::shared_ptr<LiveProgress> live;
  {
    const MutexLock lock(queue_.mutex);
    id = job->view.id;
    request = job->view.request;
    attempt = job->view.attempts;
    started = *job->view.started;
    client = job->view.client;
    live = job->live;
  }
  if (!live) return leave_lane(*job);  // cancelled before it started
  // An earlier job may have found the same result in the meantime.
  if (auto known = known_outcome(request)) {
    {
      const MutexLock lock(queue_.mutex);
      job->view.started.reset();
      --job->view.attempts;
    }
    return end(job, JobState::kDone, std::move(known));
  }
  note_storage_of(job, queue_.store.start_attempt(id, attempt, started));
  const Quota quota = quota_of(client);
  if (quota.running) limit_time(job, client, *quota.running);

  Resources resources{.count_options = slot.count_options, .stop = job->stop.get_token()};
  resources.tables = &slot.tables;
  if (!slot.beside) resources.device = queue_.options.device;
  resources.on_phase = [&live](std::string_view phase) { return live->start_phase(phase); };
  resources.one_of_many = true;
  resources.secret_seed = true;
  std::optional<StoredUnits> units;
  if (resumes(request)) {
    units.emplace(queue_.store, id, queue_.options.unit_interval,
                  [this, job](const MaybeError& error) { note_storage_of(job, error); });
    resources.store = &*units;
  }
  Result<Answer> outcome = queue_.world.runner ? queue_.world.runner(request, resources)
                                               : answer_job(request, resources);
  units.reset();
  leave_lane(*job);
  account(*live, outcome);
  if (outcome.ok()) return end(job, JobState::kDone, std::move(outcome).value());
  bool paused = false;
  MaybeError overrun;
  milliseconds ran{0};
  {
    const MutexLock lock(queue_.mutex);
    if (is_final(job->view.state)) return;  // JobQueue::cancel() has already ended the job
    overrun = job->overrun;
    ran = job->elapsed();
    if (outcome.error().code == ErrorCode::kCancelled && !overrun &&
        (queue_.closing || job->outgrown)) {
      wait_again(job);  // the next process, or a runner outside the short lane, continues the job
      paused = true;
    }
  }
  if (paused) return queue_.note_storage(queue_.store.pause(id, ran));
  if (outcome.error().code != ErrorCode::kCancelled)
    return end(job, JobState::kFailed, std::nullopt, outcome.error());
  if (overrun) return end(job, JobState::kFailed, std::nullopt, overrun);
  end(job, JobState::kFailed, std::nullopt,
      Error{ErrorCode::kInternal, "", 0,
            "the count stopped, although the server had not stopped it"});
}

Quota JobRunners::quota_of(const std::string& client) const {
  if (client.empty() || !queue_.options.quota_of) return {};
  return queue_.options.quota_of(client);
}

/// Limits the time of a job to the part of `allowed` that its client has not used yet. Each of the
/// client's running jobs may use all of that part, even if several run at the same time.
void JobRunners::limit_time(const std::shared_ptr<ActiveJob>& job, const std::string& client,
                            std::chrono::seconds allowed) {
  const auto usage = queue_.usage_of(client);
  if (!usage) return queue_.note_storage(usage.error());
  const MutexLock lock(queue_.mutex);
  job->time_left = std::max(milliseconds(0), milliseconds(allowed) - usage->ran);
}

std::optional<Answer> JobRunners::known_outcome(const JobRequest& request) {
  const auto view = queue_.find_result(request);
  if (!view.ok() || !*view || (*view)->state != JobState::kDone) return std::nullopt;
  {
    const MutexLock lock(queue_.mutex);
    ++queue_.stats.cache_hits;
  }
  return **view;
}

void JobRunners::note_storage_of(const std::shared_ptr<ActiveJob>& job, const MaybeError& error) {
  queue_.note_storage(error);
  const MutexLock lock(queue_.mutex);
  job->view.storage_problem = error ? std::optional(error->to_string()) : std::nullopt;
}

void JobRunners::account(const LiveProgress& live, const Result<Answer>& outcome) {
  const JobProgress progress = show(live, 0);
  const MutexLock lock(queue_.mutex);
  queue_.stats.leaves += progress.leaves;
  queue_.stats.visited += progress.visited;
  if (!outcome.ok()) return;
  queue_.stats.table_probes += outcome->table_probes;
  queue_.stats.table_hits += outcome->table_hits;
}

/// Makes the end of a running job durable, then visible. Does nothing if the job was cancelled
/// before. If the disk fails and the job has an outcome, tries again for up to `storage_patience`.
/// If the job has no outcome, does not try again, because the watcher stores the end later.
void JobRunners::end(const std::shared_ptr<ActiveJob>& job, JobState state,
                     std::optional<Answer> outcome, MaybeError failure) {
  JobEnd end{state, queue_.now(), std::move(failure), std::move(outcome)};
  JobRequest request;
  JobId id;
  {
    const MutexLock lock(queue_.mutex);
    if (is_final(job->view.state)) return;  // cancelled, but not stored yet
    end.ran = job->view.started ? job->elapsed() : milliseconds(0);
    request = job->view.request;
    id = job->view.id;
  }
  const SteadyClock::time_point patience_ends =
      SteadyClock::now() + queue_.options.storage_patience;
  for (;;) {
    const Result<bool> stored = queue_.store.finish(id, request, end);
    const MaybeError error = stored.ok() ? std::nullopt : MaybeError(stored.error());
    // Not a disk error: the new total contradicts the stored one.
    if (error && error->code == ErrorCode::kInternal) {
      end = {JobState::kFailed, end.at, error, std::nullopt, end.ran};
      continue;
    }
    note_storage_of(job, error);
    const MutexLock lock(queue_.mutex);
    if (!error && !*stored) return;  // cancelled, and stored
    if (!error) {
      job->view.state = end.state;
      job->view.finished = end.at;
      job->view.error = end.error;
      if (end.outcome) {
        static_cast<Answer&>(job->view) = *std::move(end.outcome);
        job->view.document.clear();
      }
      queue_.retire(job);
      return;
    }
    if (is_final(job->view.state)) return;  // cancelled in the meantime
    // Do not store or report the end: the next process continues the job.
    if (queue_.closing) {
      job->view.state = JobState::kQueued;
      job->live.reset();
      queue_.changed(job);
      return;
    }
    if (!end.outcome || SteadyClock::now() >= patience_ends) {
      if (end.outcome) {
        end = {JobState::kFailed, queue_.now(),
               Error{error->code, error->field, 0,
                     "the result could not be stored: " + error->message},
               std::nullopt, end.ran};
      }
      queue_.end_in_memory(job, std::move(end));
      return;
    }
    queue_.work.wait_for(queue_.mutex, JobQueue::kStorageRetry);
  }
}

std::uint64_t JobWatcher::subscribe(JobManager::Callback callback) {
  const MutexLock lock(callbacks_mutex_);
  callbacks_.emplace(++last_callback_, std::move(callback));
  return last_callback_;
}

void JobWatcher::unsubscribe(std::uint64_t number) {
  const MutexLock lock(callbacks_mutex_);
  callbacks_.erase(number);
}

void JobWatcher::watch() {
  for (bool last = false; !last;) {
    std::vector<JobEvent> events;
    std::vector<std::shared_ptr<ActiveJob>> unstored;
    std::vector<MaybeError> storage_news;
    bool probe = false;
    bool idle = false;
    bool prune = false;
    bool shrink = false;
    {
      const MutexLock lock(queue_.mutex);
      if (queue_.untold.empty() && queue_.storage_news.empty() && !queue_.runners_gone) {
        if (needs_ticks()) {
          queue_.news.wait_for(queue_.mutex, queue_.options.progress_interval);
        } else {
          queue_.news.wait(queue_.mutex);
        }
      }
      last = queue_.runners_gone;
      expire(unstored);
      end_overlong_stay();
      storage_news = std::exchange(queue_.storage_news, {});
      events = take_events();
      for (const auto& [id, job] : queue_.active) {
        if (job->unstored_end && SteadyClock::now() - last_retry_ >= JobQueue::kStorageRetry)
          unstored.push_back(job);
      }
      if (unstored.empty() && !queue_.stats.storage_ok) {
        probe = SteadyClock::now() - last_retry_ >= JobQueue::kStorageRetry;
      }
      if (!unstored.empty() || probe) last_retry_ = SteadyClock::now();
      idle = tables_idle();
      prune = std::exchange(queue_.prune_due, false);
      shrink = std::exchange(queue_.shrink_due, false);
    }
    {
      const MutexLock lock(callbacks_mutex_);
      for (const JobEvent& event : events) {
        for (const auto& [number, callback] : callbacks_) callback(event);
      }
    }
    for (const MaybeError& problem : storage_news) {
      if (queue_.options.storage_changed) queue_.options.storage_changed(problem);
    }
    for (const auto& job : unstored) queue_.store_end(job);
    if (probe) queue_.note_storage(queue_.store.probe());
    if (idle) runners_.release_tables();
    if (prune) queue_.prune();
    if (shrink) queue_.shrink();
  }
}

/// Returns whether timed work may be due: sending progress events, checking deadlines, freeing idle
/// tables, storing the ends of jobs, or retrying after a disk error.
bool JobWatcher::needs_ticks() const {
  return !queue_.active.empty() || !queue_.stats.storage_ok || runners_.table_bytes() > 0;
}

void JobWatcher::expire(std::vector<std::shared_ptr<ActiveJob>>& unstored) {
  const WallTime time = queue_.now();
  std::vector<std::shared_ptr<ActiveJob>> waiting;
  for (const auto& [id, job] : queue_.active) {
    const JobView& view = job->view;
    const bool running = view.state == JobState::kRunning;
    if (running && !job->overrun && job->time_left && job->elapsed() >= *job->time_left) {
      job->overrun = used_up_error(view.client);
      job->stop.request_stop();
    }
    if (!view.request.deadline || time < view.created + *view.request.deadline) continue;
    if (running && !job->overrun) {
      job->overrun = expired_error();
      job->stop.request_stop();
    } else if (view.state == JobState::kQueued && !queue_.closing) {
      waiting.push_back(job);
    }
  }
  for (const auto& job : waiting) {
    queue_.end_in_memory(job, {JobState::kFailed, time, expired_error(), std::nullopt});
    unstored.push_back(job);
  }
}

/// Stops a job that has used up its time in the short lane.
void JobWatcher::end_overlong_stay() {
  for (const auto& [id, job] : queue_.active) {
    if (!job->beside || job->outgrown) continue;
    if (!queue_.lane.outgrown(queue_.lane_time() - job->lane_time)) continue;
    job->outgrown = true;
    job->stop.request_stop();
  }
}

std::vector<JobEvent> JobWatcher::take_events() {
  std::vector<JobEvent> events;
  const bool tick = SteadyClock::now() - last_tick_ >= queue_.options.progress_interval;
  if (tick) last_tick_ = SteadyClock::now();
  for (const auto& [id, job] : queue_.active) {
    if (tick && job->view.state == JobState::kRunning && !queue_.untold.contains(id))
      events.push_back({JobEvent::Kind::kProgress, queue_.shown(*job)});
  }
  for (const auto& [id, job] : queue_.untold)
    events.push_back({JobEvent::Kind::kState, queue_.shown(*job)});
  queue_.untold.clear();
  return events;
}

bool JobWatcher::tables_idle() const {
  const bool working = std::ranges::any_of(queue_.active, [](const auto& entry) {
    return entry.second->view.state <= JobState::kRunning;
  });
  return !working && SteadyClock::now() - queue_.last_run >= queue_.options.table_idle;
}

}  // namespace manyply

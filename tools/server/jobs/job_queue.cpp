#include "tools/server/jobs/job_queue.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "core/counting.h"

namespace manyply {

using std::chrono::milliseconds;

JobProgress show(const LiveProgress& live, double seconds) {
  LiveProgress::Reading reading = live.read();
  const ProgressSnapshot& now = reading.snapshot;
  JobProgress progress;
  const std::string step(to_string(now.step));
  progress.phase = reading.phase.empty()         ? step
                   : now.step == Step::kCounting ? reading.phase
                                                 : reading.phase + ", " + step;
  progress.units_done = now.units_done;
  progress.units_total = now.units_total;
  progress.resumed_units = now.units_resumed;
  progress.leaves = reading.earlier_leaves + now.leaves;
  progress.visited = reading.earlier_visited + now.visited;
  progress.seconds = seconds;
  if (seconds > 0) {
    progress.leaves_per_second = progress.leaves / seconds;
    progress.visited_per_second = static_cast<double>(progress.visited) / seconds;
  }
  progress.share = now.share_done();
  progress.resumed = now.share_resumed();
  if (reading.phase.empty()) progress.seconds_left = seconds_left(now, seconds);
  return progress;
}

Error closing_error() { return {ErrorCode::kUnavailable, "", 0, "the server is shutting down"}; }

WallTime JobQueue::now() const {
  // Stored times are in milliseconds. Round the time down to milliseconds, so that a job has the
  // same times before and after a restart.
  return std::chrono::floor<milliseconds>(world.now ? world.now()
                                                    : std::chrono::system_clock::now());
}

SteadyClock::time_point JobQueue::steady_now() const {
  return world.steady_now ? world.steady_now() : SteadyClock::now();
}

std::chrono::nanoseconds JobQueue::lane_time() const {
  if (world.lane_time) return world.lane_time();
  return lane_thread ? lane_thread->used() : std::chrono::nanoseconds(0);
}

void JobQueue::adopt(JobView view) {
  const auto job = std::make_shared<ActiveJob>();
  const JobId id = view.id;
  ++stats.resumed;
  job->view = std::move(view);
  active.emplace(id, job);
  if (job->view.state == JobState::kFailed) {  // its row is damaged
    job->unstored_end = JobEnd{JobState::kFailed, now(), job->view.error, std::nullopt};
    job->view.finished = job->unstored_end->at;
    job->shown_state = JobState::kFailed;
  } else {
    job->view.state = JobState::kQueued;
    job->thought_short = lane.takes(expected_core_seconds(job->view.request));
  }
  changed(job);
}

Result<std::optional<JobView>> JobQueue::get(JobId id) {
  {
    const MutexLock lock(mutex);
    if (const auto job = active.find(id); job != active.end())
      return std::optional(shown(*job->second));
  }
  return store.load(id);
}

Result<std::optional<JobView>> JobQueue::find_result(const JobRequest& request) {
  const auto id = store.find_result(result_identity(request));
  if (!id) return id.error();
  if (!*id) return std::optional<JobView>();
  return store.load(**id);
}

Refusal JobQueue::storage_refusal(const Error& error) {
  note_storage(error);
  return {Refusal::Kind::kStorage, error};
}

void JobQueue::note_storage(const MaybeError& error) {
  const MutexLock lock(mutex);
  if (stats.storage_ok == error.has_value()) storage_news.push_back(error);
  stats.storage_ok = !error;
  storage_problem = error;
  stats.storage_errors += error ? 1 : 0;
  // The watcher reports the failure or recovery, and retries until the disk works.
  if (error || !storage_news.empty()) news.notify_all();
}

void JobQueue::prune() { tell(store.prune(options.keep_finished)); }

void JobQueue::shrink() {
  if (options.max_state_bytes) tell(store.shrink(*options.max_state_bytes));
}

void JobQueue::tell(const Result<Forgotten>& forgotten) {
  note_storage(forgotten.ok() ? std::nullopt : MaybeError(forgotten.error()));
  if (forgotten.ok() && (forgotten->jobs > 0 || forgotten->short_of_room) && options.jobs_forgotten)
    options.jobs_forgotten(*forgotten);
}

std::size_t JobQueue::queued() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      active, [](const auto& entry) { return entry.second->view.state == JobState::kQueued; }));
}

std::size_t JobQueue::queued_of(const std::string& client) const {
  return static_cast<std::size_t>(std::ranges::count_if(active, [&](const auto& entry) {
    return entry.second->view.state == JobState::kQueued && entry.second->view.client == client;
  }));
}

Result<ClientUsage> JobQueue::usage_of(const std::string& client) {
  const auto stored = store.usage_of(client, now() - std::chrono::hours(24));
  if (!stored) return stored.error();
  ClientUsage usage = *stored;
  const MutexLock lock(mutex);
  for (const auto& [id, job] : active) {
    if (job->view.state == JobState::kRunning && job->view.client == client)
      usage.ran += job->elapsed();
  }
  return usage;
}

std::shared_ptr<ActiveJob> JobQueue::first_waiting(bool beside) const {
  for (const auto& [id, job] : active) {
    const bool fits = job->thought_short || !beside;
    if (job->view.state == JobState::kQueued && fits) return job;
  }
  return nullptr;
}

bool JobQueue::may_run_beside() {
  // A running job counts as long if it is not expected to be short, or if it has already run for
  // the time limit of short jobs.
  const auto runs_long = [this](const auto& entry) {
    const ActiveJob& job = *entry.second;
    return job.view.state == JobState::kRunning &&
           (!job.thought_short || steady_now() - job.started >= options.short_lane.limit);
  };
  return std::ranges::count_if(active, runs_long) >= options.concurrent &&
         lane.has_room(steady_now());
}

JobView JobQueue::shown(const ActiveJob& job) const {
  JobView view = job.view;
  if (job.unstored_end && view.state != job.shown_state) {
    if (view.storage_problem) {
      view.storage_problem = "will be " + std::string(to_string(view.state)) +
                             " as soon as this state can be stored: " + *view.storage_problem;
    }
    view.state = job.shown_state;
    view.finished.reset();
    view.error.reset();
  }
  if (view.state == JobState::kQueued) {
    view.queue_position = 1;
    for (const auto& [id, other] : active) {  // in the order of the queue
      // Jobs of the short lane do not block the queue.
      if (other->view.state == JobState::kRunning && !other->beside && !view.waits_for)
        view.waits_for = id;
      if (id < view.id && other->view.state == JobState::kQueued) ++view.queue_position;
    }
  } else if (view.state == JobState::kRunning && job.live) {
    view.progress =
        show(*job.live, std::chrono::duration<double>(steady_now() - job.started).count());
  }
  return view;
}

void JobQueue::changed(const std::shared_ptr<ActiveJob>& job) {
  untold[job->view.id] = job;
  work.notify_all();
  news.notify_all();
}

void JobQueue::order_changed() {
  for (const auto& [id, job] : active) {
    if (job->view.state == JobState::kQueued) untold[id] = job;
  }
  news.notify_all();
}

void JobQueue::end_in_memory(const std::shared_ptr<ActiveJob>& job, JobEnd end) {
  job->shown_state = job->view.state;
  job->view.state = end.state;
  job->view.finished = end.at;
  job->view.error = end.error;
  job->unstored_end = std::move(end);
  changed(job);
  order_changed();
}

void JobQueue::store_end(const std::shared_ptr<ActiveJob>& job) {
  JobEnd end;
  JobRequest request;
  JobId id;
  {
    const MutexLock lock(mutex);
    if (!job->unstored_end) return;
    end = *job->unstored_end;
    request = job->view.request;
    id = job->view.id;
  }
  const Result<bool> stored = store.finish(id, request, end);
  note_storage(stored.ok() ? std::nullopt : MaybeError(stored.error()));
  const MutexLock lock(mutex);
  if (!job->unstored_end) return;  // another thread has stored it
  if (!stored) {
    job->view.storage_problem = stored.error().to_string();
    return;
  }
  if (!*stored) {  // the runner has stored another end, and will retire the job
    job->unstored_end.reset();
    job->view.state = job->shown_state;
    job->view.finished.reset();
    return;
  }
  retire(job);
}

void JobQueue::retire(const std::shared_ptr<ActiveJob>& job) {
  job->unstored_end.reset();
  job->view.storage_problem.reset();
  active.erase(job->view.id);
  prune_sometimes();
  shrink_due = options.max_state_bytes.has_value();
  job->live.reset();
  switch (job->view.state) {
    case JobState::kDone:
      ++stats.done;
      break;
    case JobState::kFailed:
      ++stats.failed;
      break;
    default:
      ++stats.cancelled;
  }
  changed(job);
}

Progress* LiveProgress::start_phase(std::string_view name) {
  const MutexLock lock(mutex_);
  phase_ = name;
  return phases_.emplace_back(std::make_unique<Progress>()).get();
}

LiveProgress::Reading LiveProgress::read() const {
  const MutexLock lock(mutex_);
  Reading reading;
  reading.phase = phase_;
  for (const auto& phase : phases_) {
    reading.earlier_leaves += reading.snapshot.leaves;
    reading.earlier_visited += reading.snapshot.visited;
    reading.snapshot = phase->snapshot();
  }
  return reading;
}

ThreadTime ThreadTime::of_this_thread() {
  clockid_t clock{};
  MANYPLY_CHECK(pthread_getcpuclockid(pthread_self(), &clock) == 0);
  return ThreadTime(clock);
}

std::chrono::nanoseconds ThreadTime::used() const {
  timespec time{};
  if (clock_gettime(clock_, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

namespace {

// Leaves per second on one core: at most about 1/7 of the measured rates
// (bench/results/zen5-2-cores/notes.md). A job whose time is overestimated waits longer than
// necessary. A job whose time is underestimated is stopped and queued again, which wastes some
// work.
constexpr double kCountPace = 1e9;
constexpr double kStatisticsPace = 1e8;
constexpr double kEstimatePace = 2e8;
constexpr double kUniquePace = 2e6;

/// Returns the speed-up by a table at this depth: a factor of 1.3 per ply beyond the sixth.
double table_gain(Depth depth) { return std::pow(1.3, std::max(0, depth.plies() - 6)); }

/// Several paths may share a move of the last ply. A count of distinct positions makes this move
/// only once. Returns the expected number of paths per move: a factor of 1.6 per ply beyond the
/// third.
double unique_gain(Depth depth) { return std::pow(1.6, std::max(0, depth.plies() - 3)); }

double leaves_at(const Position& root, int plies) {
  const auto counted = count_nodes(root, Depth(plies));
  return counted ? counted->approximate() : 0;
}

/// Returns the expected seconds of an estimate. Each sample is a random walk. Before each move, the
/// sample counts three plies from the current position. When four plies remain, the walk ends, and
/// the sample counts these four plies.
double estimate_seconds(const JobRequest& request) {
  const Position& root = request.line.here();
  const int steps = std::max(0, request.depth.plies() - 4);
  const double sample = expected_leaves(root, Depth(4)) + steps * expected_leaves(root, Depth(3));
  return static_cast<double>(request.samples.value_or(kUsualSamples)) * sample / kEstimatePace;
}

/// Returns the expected seconds of a batch, from the sum of the counts in its text.
double suite_seconds(const Batch& batch) {
  double leaves = 0;
  for (const SuiteLine& line : batch.lines) {
    for (const EpdCount& count : line.record.counts) leaves += count.nodes.approximate();
  }
  return leaves / kCountPace;
}

ShortLane::Clock::duration allowance_of(const ShortLaneOptions& options, int cores) {
  return std::chrono::duration_cast<ShortLane::Clock::duration>(ShortLane::kWindow * cores *
                                                                options.share);
}

double seconds_of(ShortLane::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

double expected_leaves(const Position& root, Depth depth) {
  const int plies = depth.plies();
  if (plies <= 3) return leaves_at(root, plies);
  const double one = leaves_at(root, 1);
  const double three = leaves_at(root, 3);
  return one > 0 ? three * std::pow(three / one, (plies - 3) / 2.0) : 0;
}

double expected_core_seconds(const JobRequest& request) {
  if (request.suite) return suite_seconds(*request.suite);
  if (request.mode == CountMode::kEstimate) return estimate_seconds(request);
  const double leaves = expected_leaves(request.line.here(), request.depth);
  const double hashed = leaves / kCountPace / table_gain(request.depth);
  switch (request.mode) {
    case CountMode::kUnhashed:
      return leaves / kCountPace;
    case CountMode::kVerify:
      return hashed + leaves / kCountPace;
    case CountMode::kUnique:
      return leaves / kUniquePace / unique_gain(request.depth);
    case CountMode::kStatistics:
      return leaves / kStatisticsPace / table_gain(request.depth);
    default:
      return hashed;
  }
}

ShortLane::ShortLane(const ShortLaneOptions& options, int cores)
    : limit_(options.limit),
      allowance_(options.on() ? allowance_of(options, cores) : Clock::duration()) {}

std::optional<Error> ShortLane::judge(const ShortLaneOptions& options, int cores) {
  if (options.limit.count() < 0)
    return Error{ErrorCode::kInvalidInput, "short-limit", 0, "must not be negative"};
  if (!(options.share >= 0 && options.share <= 1))
    return Error{ErrorCode::kInvalidInput, "short-share", 0, "must be a percentage from 0 to 100"};
  const Clock::duration allowance = allowance_of(options, cores);
  if (!options.on() || options.limit <= allowance) return std::nullopt;
  return Error{
      ErrorCode::kInvalidInput, "short-limit", 0,
      fmt::format("must not exceed the CPU time that --short-share allows per minute, {:.1f} s",
                  seconds_of(allowance))};
}

bool ShortLane::takes(double core_seconds) const {
  return allowance_.count() > 0 && core_seconds <= seconds_of(limit_);
}

bool ShortLane::has_room(Clock::time_point now) {
  while (!runs_.empty() && runs_.front().end <= now - kWindow) {
    spent_ -= runs_.front().used;
    runs_.pop_front();
  }
  return spent_ + limit_ <= allowance_;
}

void ShortLane::charge(Clock::duration used, Clock::time_point end) {
  runs_.push_back({end, used});
  spent_ += used;
  total_seconds_ += seconds_of(used);
}

}  // namespace manyply

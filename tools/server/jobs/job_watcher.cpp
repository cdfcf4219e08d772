#include "tools/server/jobs/job_watcher.h"

#include <algorithm>
#include <utility>

namespace manyply {

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
      const MutexLock lock(board_.mutex);
      if (board_.untold.empty() && board_.storage_news.empty() && !board_.runners_gone) {
        if (needs_ticks()) {
          board_.news.wait_for(board_.mutex, board_.options.progress_interval);
        } else {
          board_.news.wait(board_.mutex);
        }
      }
      last = board_.runners_gone;
      expire(unstored);
      end_overlong_stay();
      storage_news = std::exchange(board_.storage_news, {});
      events = take_events();
      for (const auto& [id, job] : board_.active) {
        if (job->unstored_end && SteadyClock::now() - last_retry_ >= JobBoard::kStorageRetry)
          unstored.push_back(job);
      }
      if (unstored.empty() && !board_.stats.storage_ok) {
        probe = SteadyClock::now() - last_retry_ >= JobBoard::kStorageRetry;
      }
      if (!unstored.empty() || probe) last_retry_ = SteadyClock::now();
      idle = tables_idle();
      prune = std::exchange(board_.prune_due, false);
      shrink = std::exchange(board_.shrink_due, false);
    }
    {
      const MutexLock lock(callbacks_mutex_);
      for (const JobEvent& event : events) {
        for (const auto& [number, callback] : callbacks_) callback(event);
      }
    }
    for (const MaybeError& problem : storage_news) {
      if (board_.options.storage_changed) board_.options.storage_changed(problem);
    }
    for (const auto& job : unstored) board_.store_end(job);
    if (probe) board_.note_storage(board_.store.probe());
    if (idle) runners_.release_tables();
    if (prune) board_.prune();
    if (shrink) board_.shrink();
  }
}

/// Returns whether timed work may be due: progress events, deadlines, idle tables, ends to store,
/// or retries after a disk error.
bool JobWatcher::needs_ticks() const {
  return !board_.active.empty() || !board_.stats.storage_ok || runners_.table_bytes() > 0;
}

void JobWatcher::expire(std::vector<std::shared_ptr<ActiveJob>>& unstored) {
  const WallTime time = board_.now();
  std::vector<std::shared_ptr<ActiveJob>> waiting;
  for (const auto& [id, job] : board_.active) {
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
    } else if (view.state == JobState::kQueued && !board_.closing) {
      waiting.push_back(job);
    }
  }
  for (const auto& job : waiting) {
    board_.end_in_memory(job, {JobState::kFailed, time, expired_error(), std::nullopt});
    unstored.push_back(job);
  }
}

/// Ends the stay of a job in the short lane that has used its limit.
void JobWatcher::end_overlong_stay() {
  for (const auto& [id, job] : board_.active) {
    if (!job->beside || job->outgrown) continue;
    if (!board_.lane.outgrown(board_.lane_time() - job->lane_time)) continue;
    job->outgrown = true;
    job->stop.request_stop();
  }
}

std::vector<JobEvent> JobWatcher::take_events() {
  std::vector<JobEvent> events;
  const bool tick = SteadyClock::now() - last_tick_ >= board_.options.progress_interval;
  if (tick) last_tick_ = SteadyClock::now();
  for (const auto& [id, job] : board_.active) {
    if (tick && job->view.state == JobState::kRunning && !board_.untold.contains(id))
      events.push_back({JobEvent::Kind::kProgress, board_.shown(*job)});
  }
  for (const auto& [id, job] : board_.untold)
    events.push_back({JobEvent::Kind::kState, board_.shown(*job)});
  board_.untold.clear();
  return events;
}

bool JobWatcher::tables_idle() const {
  const bool working = std::ranges::any_of(board_.active, [](const auto& entry) {
    return entry.second->view.state <= JobState::kRunning;
  });
  return !working && SteadyClock::now() - board_.last_run >= board_.options.table_idle;
}

}  // namespace manyply

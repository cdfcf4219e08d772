#include "tools/server/jobs/job_manager.h"

#include <utility>

#include "tools/server/jobs/job_board.h"
#include "tools/server/jobs/job_runners.h"
#include "tools/server/jobs/job_submission.h"

namespace manyply {

int cores(const JobManagerOptions& options) {
  return options.counting.threads > 0 ? options.counting.threads : available_threads();
}

class JobManager::Impl {
 public:
  Impl(JobManagerOptions options, JobWorld world, std::unique_ptr<JobStore> store)
      : board(std::move(options), std::move(world), std::move(store)) {}
  ~Impl() { shutdown(); }

  MaybeError start() {
    auto left = board.store.unfinished();
    if (!left) return left.error();
    {
      const MutexLock lock(board.mutex);
      for (JobView& view : *std::move(left)) board.adopt(std::move(view));
    }
    runners.start();
    watcher.start();
    return std::nullopt;
  }

  void shutdown() {
    {
      const MutexLock lock(board.mutex);
      board.closing = true;
      for (const auto& [id, job] : board.active) job->stop.request_stop();
      board.work.notify_all();
    }
    const MutexLock once(shutting_down_);
    runners.join();
    {
      const MutexLock lock(board.mutex);
      board.runners_gone = true;
      board.news.notify_all();
    }
    watcher.join();
  }

  JobBoard board;
  JobSubmission submission{board};
  JobRunners runners{board};
  JobWatcher watcher{board, runners};

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
    JobStore& database = impl->board.store;
    impl->board.shrink();
    if (auto error = database.compact(*max_bytes)) return *std::move(error);
    if (auto error = database.bound_log(*max_bytes)) return *std::move(error);
  }
  if (auto error = impl->start()) return *std::move(error);
  return std::unique_ptr<JobManager>(new JobManager(std::move(impl)));
}

std::variant<Submission, Refusal> JobManager::submit(const JobRequest& request,
                                                     const Client& client) {
  return impl_->submission.submit(request, client);
}
Result<std::optional<JobView>> JobManager::get(JobId id) { return impl_->board.get(id); }
Result<std::shared_ptr<const Batch>> JobManager::batch_of(JobId id) {
  return impl_->board.store.batch_of(id);
}
Result<std::optional<JobView>> JobManager::find_result(const JobRequest& request) {
  return impl_->board.find_result(request);
}
Result<JobPage> JobManager::list(std::size_t limit, std::optional<JobId> before,
                                 std::optional<JobState> state, JobKind kind) {
  return impl_->board.list(limit, before, state, kind);
}
Result<std::optional<JobView>> JobManager::cancel(JobId id) { return impl_->board.cancel(id); }
Result<Removal> JobManager::remove(JobId id) { return impl_->submission.remove(id); }
JobStats JobManager::stats() {
  JobStats stats = impl_->board.statistics();
  stats.table_bytes = impl_->runners.table_bytes();
  return stats;
}
MaybeError JobManager::why_not_ready() { return impl_->board.why_not_ready(); }
const JobManagerOptions& JobManager::options() const { return impl_->board.options; }
void JobManager::shutdown() { impl_->shutdown(); }

JobManager::Subscription JobManager::subscribe(Callback callback) {
  return {impl_.get(), Unsubscribe{impl_->watcher.subscribe(std::move(callback))}};
}

void JobManager::Unsubscribe::operator()(Impl* impl) const { impl->watcher.unsubscribe(number); }

}  // namespace manyply

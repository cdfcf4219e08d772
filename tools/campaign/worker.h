// A process that takes part in a campaign.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/mutex.h"
#include "core/base/stopwatch.h"
#include "parallel/jobs/range_job.h"
#include "parallel/progress.h"
#include "tools/campaign/campaign_store.h"
#include "tools/report/limits.h"

namespace manyply {

/// The options of a worker.
struct WorkSpec {
  std::string campaign = {};
  DatabaseAddress database = {};
  Limits limits = {};      ///< without a key seed, a new one is chosen
  std::string host = {};   ///< machine name, for display
  std::string label = {};  ///< further name, for display
  std::string version = {};
  /// Longest time between requests for a range while none is available.
  std::chrono::milliseconds longest_poll{5'000};
  /// After a stop request: time to commit what is finished and to end, before others would kill the
  /// process.
  std::chrono::milliseconds stop_patience{2'000};
  /// The same at the regular end of the campaign.
  std::chrono::milliseconds end_patience{20'000};
};

/// A registered worker.
struct WorkStart {
  Campaign campaign;
  std::int64_t worker = 0;
  NewWorker as;
  double signature_seconds = 0;
};

/// The end of a worker.
struct WorkEnd {
  CampaignState state = CampaignState::kRunning;  ///< why it ended; never kRunning
  std::uint64_t batches = 0;                      ///< committed by this worker
};

/// Counts the signature's positions with the kernel and the threads of `limits`, but full keys.
/// Returns the sum of their leaves, or the count of the first position that is wrong. Errors as
/// run_job().
Result<std::uint64_t> count_signature(const Limits& limits, const std::stop_token& stop);

/// Counts ranges of a campaign until it is done, stopped or disputed. The counting threads never
/// use the network; one more thread owns the connection, commits batches, renews leases and claims
/// ranges ahead of time. While the database is unavailable, counting continues with the claimed
/// ranges. Errors: kCancelled after `stop` (finished batches are committed and the rest returned,
/// or `stop_patience` has passed); kInvalidInput if the worker is refused; permanent database
/// errors; those of run_job(). Does not throw. Calls `on_start` once before counting.
Result<WorkEnd> work(const WorkSpec& spec, const std::stop_token& stop, Progress& progress,
                     const std::function<void(const WorkStart&)>& on_start);

// Connects the counting threads with the database: claims ranges, commits batches.

/// The batches that a claimed range still needs, as RangeJob::add() takes them.
struct RangeWork {
  std::vector<UnitSpan> parts;
  std::vector<std::uint32_t> batches;  ///< number of each part's batch
};
[[nodiscard]] RangeWork work_of(const ClaimedRange& claimed);

/// Feeds a job with ranges and commits what it counts, on a thread of its own, which is the only
/// one to use the store. Waits while the database is unavailable. All functions except the
/// constructor may be called from any thread.
class RangeLink {
 public:
  struct Parts {
    CampaignStore& store;
    const Campaign& campaign;
    std::int64_t worker;
    RangeJob& job;
    const Progress& progress;
    int threads;
    std::chrono::milliseconds longest_poll;
  };

  /// Starts at once. The objects in `parts` must outlive it; pass source() and stop_counting() to
  /// the job's count().
  explicit RangeLink(const Parts& parts);
  /// Without a preceding finish(), the leases are left to expire.
  ~RangeLink();
  RangeLink(const RangeLink&) = delete;
  RangeLink& operator=(const RangeLink&) = delete;

  [[nodiscard]] UnitSource& source() { return source_; }
  /// A stop is requested once no more ranges shall be counted.
  [[nodiscard]] std::stop_source& stop_counting() { return stop_counting_; }

  /// Call it once, after counting has ended: commits what is finished and returns the remaining
  /// ranges, within `patience`.
  void finish(double false_matches, std::chrono::milliseconds patience);

  /// The following are valid after finish(). The campaign's state is kRunning if the link ended for
  /// another reason.
  [[nodiscard]] CampaignState state() const { return state_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] std::uint64_t batches() const { return batches_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Held {
    RangeKey key;
    std::int64_t epoch;
    RangeWork work;
    std::size_t groups;
    std::size_t left;  // number of batches
  };

  // Called on the link's thread.
  /// The thread's function. Catches everything; error() then has the cause.
  void run();
  /// Acts until the link ends: commits, renews, claims.
  void serve();
  /// Ends the worker in the database, within the time that finish() allows.
  void hand_back();
  /// Commits the first finished batch and removes it; on a temporary error it stays.
  void bring_batch(const FinishedBatch& batch);
  void claim();
  void renew();
  /// Adds a claimed range to the job.
  void take(const ClaimedRange& claimed);
  /// Ends the counting if the campaign is not running any more.
  void heed(CampaignState state);
  /// Returns false if `error` is permanent.
  bool recover(const Error& error);
  /// Waits after a temporary error, twice as long each time; finish() interrupts it.
  void pause();
  /// Returns whether the threads need another range soon.
  [[nodiscard]] bool wants_range();
  [[nodiscard]] std::chrono::milliseconds about(std::chrono::milliseconds time);

  // Called on the counting workers.
  /// Queues a counted batch.
  void finished(const std::shared_ptr<Held>& held, std::size_t part);

  const Parts parts_;
  UnitSource source_;
  std::stop_source stop_counting_;
  std::stop_source abandon_;  // cancels the current work of the thread

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<FinishedBatch> finished_ MANYPLY_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<Held>> held_ MANYPLY_GUARDED_BY(mutex_);
  std::uint64_t visited_ MANYPLY_GUARDED_BY(mutex_) = 0;  // already reported in batches
  double seconds_ MANYPLY_GUARDED_BY(mutex_) = 0;
  bool ending_ MANYPLY_GUARDED_BY(mutex_) = false;
  bool ended_ MANYPLY_GUARDED_BY(mutex_) = false;
  double false_matches_ MANYPLY_GUARDED_BY(mutex_) = 0;
  Clock::time_point goodbye_by_ MANYPLY_GUARDED_BY(mutex_);

  // Used by the thread; read after it has ended.
  const Stopwatch watch_;
  std::mt19937_64 random_;
  std::optional<RangeKey> last_;
  Clock::time_point next_claim_;
  Clock::time_point next_renewal_;
  std::chrono::milliseconds poll_;
  std::chrono::milliseconds retry_;
  CampaignState state_ = CampaignState::kRunning;
  std::optional<Error> error_;
  std::uint64_t batches_ = 0;

  std::jthread thread_;
};

}  // namespace manyply

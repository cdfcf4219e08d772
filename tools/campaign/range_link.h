// Between the threads that count and the database: ranges in, batches out.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>

#include "parallel/jobs/range_job.h"
#include "parallel/mutex.h"
#include "parallel/stopwatch.h"
#include "tools/campaign/campaign_store.h"

namespace manyply {

/// What a claimed range still needs: batches, as RangeJob::add takes them.
struct RangeWork {
  std::vector<UnitSpan> parts;
  std::vector<std::uint32_t> batches;  ///< by part
};
[[nodiscard]] RangeWork work_of(const ClaimedRange& claimed);

/// Feeds a job with ranges and brings what it counts, on a thread of its own, which alone uses the
/// store. A database that is away is waited for. Any thread may call anything but the constructor.
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

  /// Begins at once. What `parts` refer to must outlive it; the job's count() takes source() and
  /// stop_counting().
  explicit RangeLink(const Parts& parts);
  /// Whoever did not call finish() leaves it to others to find that out.
  ~RangeLink();
  RangeLink(const RangeLink&) = delete;
  RangeLink& operator=(const RangeLink&) = delete;

  [[nodiscard]] UnitSource& source() { return source_; }
  /// Requested once nothing more shall be counted.
  [[nodiscard]] std::stop_source& stop_counting() { return stop_counting_; }

  /// Nobody counts any more: brings what is finished, hands back the rest, as far as that can be
  /// done in `patience`. Once.
  void finish(double false_matches, std::chrono::milliseconds patience);

  /// After finish(): why it ended. The campaign's state is kRunning if it was not the campaign that
  /// ended it.
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
    std::size_t left;  // batches
  };

  // On the thread.
  void run();
  void serve();
  void hand_back();
  void bring_batch(const FinishedBatch& batch);
  void claim();
  void renew();
  void take(const ClaimedRange& claimed);
  void heed(CampaignState state);
  /// False if `error` is no reason to try again.
  bool recover(const Error& error);
  void pause();
  [[nodiscard]] bool wants_range();
  [[nodiscard]] std::chrono::milliseconds about(std::chrono::milliseconds time);

  // On the workers that count.
  void finished(const std::shared_ptr<Held>& held, std::size_t part);

  const Parts parts_;
  UnitSource source_;
  std::stop_source stop_counting_;
  std::stop_source abandon_;  // whatever the thread does

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<FinishedBatch> finished_ MANYPLY_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<Held>> held_ MANYPLY_GUARDED_BY(mutex_);
  std::uint64_t visited_ MANYPLY_GUARDED_BY(mutex_) = 0;  // told of in batches
  double seconds_ MANYPLY_GUARDED_BY(mutex_) = 0;
  bool ending_ MANYPLY_GUARDED_BY(mutex_) = false;
  bool ended_ MANYPLY_GUARDED_BY(mutex_) = false;
  double false_matches_ MANYPLY_GUARDED_BY(mutex_) = 0;
  Clock::time_point goodbye_by_ MANYPLY_GUARDED_BY(mutex_);

  // The thread's own; read when it has ended.
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

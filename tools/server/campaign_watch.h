// A recent snapshot of all campaigns. A separate thread reads the campaigns, so requests never wait
// for the campaign database.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/base/mutex.h"
#include "tools/report/campaign_view.h"

namespace manyply {

/// Reads campaigns in the background. look() may be called from any thread.
class CampaignWatch {
 public:
  /// Intervals between reads. The first read starts at once. After each read, the thread waits for
  /// `every` or for ten times the duration of that read, whichever is longer. The next read starts
  /// after this wait if look() was called within the last `interest`. Otherwise it starts when
  /// look() is called, or when `idle` has passed since the previous read.
  struct Pace {
    std::chrono::milliseconds every{1'000};
    std::chrono::milliseconds interest{15'000};
    std::chrono::milliseconds idle{60'000};
  };
  /// The reading thread calls this function after the first read, and later whenever reading starts
  /// to fail or works again. `problem` is the error of the read; nullopt if the read succeeded. A
  /// read that throws counts as failed. The function itself must not throw.
  using Changed = std::function<void(const std::optional<Error>& problem)>;

  /// Starts the reading thread. `changed` may be empty.
  explicit CampaignWatch(std::unique_ptr<CampaignReader> reader, Changed changed = {});
  CampaignWatch(std::unique_ptr<CampaignReader> reader, Changed changed, Pace pace);

  /// A snapshot of all campaigns.
  struct Picture {
    std::shared_ptr<const std::vector<CampaignView>> campaigns;  ///< never null
    /// Seconds since the start of the read that returned the snapshot.
    double age_seconds = 0;
    bool away = false;  ///< the last attempt to read a newer snapshot failed
  };
  /// Returns the latest snapshot; nullopt if no read has succeeded yet. Does not block. Causes the
  /// thread to read again as soon as Pace permits.
  std::optional<Picture> look();

 private:
  using Clock = std::chrono::steady_clock;
  void run(const std::stop_token& stop);
  void rest(Clock::time_point began, const std::stop_token& stop);

  const std::unique_ptr<CampaignReader> reader_;
  const Changed changed_;
  const Pace pace_;

  Mutex mutex_;  // a thread that holds it takes no other lock
  std::condition_variable_any looked_;
  std::shared_ptr<const std::vector<CampaignView>> campaigns_ MANYPLY_GUARDED_BY(mutex_);
  Clock::time_point read_ MANYPLY_GUARDED_BY(mutex_);  // start of the last successful read
  bool away_ MANYPLY_GUARDED_BY(mutex_) = false;
  std::optional<Clock::time_point> looked_at_ MANYPLY_GUARDED_BY(mutex_);

  std::jthread thread_;  // last member, because the thread uses all others
};

}  // namespace manyply

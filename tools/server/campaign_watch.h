// Campaigns as they were a moment ago: a thread of its own reads them, so that no request ever
// waits for their database.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "parallel/mutex.h"
#include "tools/report/campaign_view.h"

namespace manyply {

/// Thread safety: look() from any thread.
class CampaignWatch {
 public:
  /// How often is read: at once; then `every`, while somebody has looked within `interest`; and
  /// else at every `idle`, so that nobody is shown what is much older. After each reading it rests
  /// for ten times as long as that took.
  struct Pace {
    std::chrono::milliseconds every{1'000};
    std::chrono::milliseconds interest{15'000};
    std::chrono::milliseconds idle{60'000};
  };
  /// Whether campaigns can be read: why not, or null. Called whenever that changes, by the thread.
  using Changed = std::function<void(const std::optional<Error>& problem)>;

  explicit CampaignWatch(std::unique_ptr<CampaignReader> reader, Changed changed = {});
  CampaignWatch(std::unique_ptr<CampaignReader> reader, Changed changed, Pace pace);

  struct Picture {
    std::shared_ptr<const std::vector<CampaignView>> campaigns;  ///< never null
    double age_seconds = 0;
    bool away = false;  ///< the last attempt to read something newer failed
  };
  /// What was read last; none if nothing ever was. Waits for nothing, and has it read anew soon.
  std::optional<Picture> look();

 private:
  using Clock = std::chrono::steady_clock;
  void run(const std::stop_token& stop);
  void rest(Clock::time_point began, const std::stop_token& stop);

  const std::unique_ptr<CampaignReader> reader_;
  const Changed changed_;
  const Pace pace_;

  Mutex mutex_;  // a leaf
  std::condition_variable_any looked_;
  std::shared_ptr<const std::vector<CampaignView>> campaigns_ MANYPLY_GUARDED_BY(mutex_);
  Clock::time_point read_ MANYPLY_GUARDED_BY(mutex_);  // when that was begun
  bool away_ MANYPLY_GUARDED_BY(mutex_) = false;
  std::optional<Clock::time_point> looked_at_ MANYPLY_GUARDED_BY(mutex_);

  std::jthread thread_;  // the last member: it uses all others
};

}  // namespace manyply

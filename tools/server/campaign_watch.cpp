#include "tools/server/campaign_watch.h"

#include <algorithm>
#include <utility>

#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

using Campaigns = std::shared_ptr<const std::vector<CampaignView>>;

/// Reads all campaigns. Converts exceptions to errors, because an exception would end the process.
Result<Campaigns> read_all(CampaignReader& reader, const std::stop_token& stop) try {
  auto campaigns = reader.read(stop);
  if (!campaigns) return campaigns.error();
  return Campaigns(std::make_shared<const std::vector<CampaignView>>(std::move(campaigns).value()));
} catch (...) {
  return current_exception_as_error();
}

}  // namespace

CampaignWatch::CampaignWatch(std::unique_ptr<CampaignReader> reader, Changed changed)
    : CampaignWatch(std::move(reader), std::move(changed), Pace{}) {}

CampaignWatch::CampaignWatch(std::unique_ptr<CampaignReader> reader, Changed changed, Pace pace)
    : reader_(std::move(reader)),
      changed_(std::move(changed)),
      pace_(pace),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

std::optional<CampaignWatch::Picture> CampaignWatch::look() {
  const MutexLock lock(mutex_);
  looked_at_ = Clock::now();
  looked_.notify_one();
  if (!campaigns_) return std::nullopt;
  return Picture{campaigns_, std::chrono::duration<double>(*looked_at_ - read_).count(), away_};
}

void CampaignWatch::run(const std::stop_token& stop) {
  std::optional<bool> told;  // the state that was last reported: true = readable
  while (!stop.stop_requested()) {
    const Clock::time_point began = Clock::now();
    const Result<Campaigns> campaigns = read_all(*reader_, stop);
    if (stop.stop_requested()) return;
    const bool here = campaigns.ok();
    const std::optional<Error> problem = here ? std::nullopt : std::optional(campaigns.error());
    {
      const MutexLock lock(mutex_);
      away_ = !here;
      if (here) {
        campaigns_ = *campaigns;
        read_ = began;
      }
    }
    if (changed_ && told != here) changed_(problem);
    told = here;
    rest(began, stop);
  }
}

void CampaignWatch::rest(Clock::time_point began, const std::stop_token& stop) {
  constexpr int kShare = 10;
  const Clock::time_point end = Clock::now();
  const Clock::time_point due =
      end + std::max<Clock::duration>(pace_.every, kShare * (end - began));
  const MutexLock lock(mutex_);
  looked_.wait_until(mutex_, stop, due, [] { return false; });
  looked_.wait_until(mutex_, stop, std::max(due, end + pace_.idle), [&]() MANYPLY_REQUIRES(mutex_) {
    return looked_at_ && *looked_at_ + pace_.interest > Clock::now();
  });
}

}  // namespace manyply

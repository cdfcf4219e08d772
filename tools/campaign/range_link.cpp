#include "tools/campaign/range_link.h"

#include <algorithm>
#include <utility>

namespace manyply {
namespace {

using namespace std::chrono_literals;

/// Number of ranges that are held at a time: the current one and the next. If ranges have too few
/// groups to keep all threads busy, more are held, up to a limit, so that other workers get some.
constexpr std::size_t kFewestHeld = 2;
constexpr std::size_t kMostHeld = 16;
constexpr int kGroupsPerThread = 2;

constexpr auto kFirstPause = 100ms;  // before a retry
constexpr auto kLongestPause = 5'000ms;
constexpr int kRenewalsPerLease = 6;

}  // namespace

// Batches that are already stored are left out.
RangeWork work_of(const ClaimedRange& claimed) {
  RangeWork work;
  for (std::uint32_t batch = 0; batch < claimed.range.batches; ++batch) {
    if ((claimed.batches_there >> batch & 1) != 0) continue;
    work.parts.push_back(claimed.range.batch_span(batch));
    work.batches.push_back(batch);
  }
  return work;
}

RangeLink::RangeLink(const Parts& parts)
    : parts_(parts),
      visited_(parts.progress.snapshot().visited),
      random_(std::random_device{}()),
      next_claim_(Clock::now()),
      next_renewal_(Clock::now()),
      poll_(kFirstPause),
      retry_(kFirstPause),
      thread_([this] { run(); }) {}

RangeLink::~RangeLink() {
  if (thread_.joinable()) finish(0, 0ms);
}

void RangeLink::finish(double false_matches, std::chrono::milliseconds patience) {
  const Clock::time_point end = Clock::now() + patience;
  {
    const MutexLock lock(mutex_);
    false_matches_ = false_matches;
    goodbye_by_ = end;
    ending_ = true;
    changed_.notify_all();
    while (!ended_ && changed_.wait_until(mutex_, end) == std::cv_status::no_timeout) {
    }
  }
  abandon_.request_stop();
  thread_.join();
}

void RangeLink::run() {
  try {
    serve();
    hand_back();
  } catch (...) {
    error_ = current_exception_as_error();
    stop_counting_.request_stop();
  }
  const MutexLock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

// One action at a time, by urgency: commit a batch, end, renew the leases, claim a range.
void RangeLink::serve() {
  const auto renewal = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(parts_.campaign.lease_seconds / kRenewalsPerLease));
  next_renewal_ = Clock::now() + renewal;
  for (bool over = false; !over && !abandon_.stop_requested();) {
    std::optional<FinishedBatch> batch;
    bool ending = false;
    const bool wanting = wants_range();
    {
      const MutexLock lock(mutex_);
      const Clock::time_point due = wanting ? std::min(next_claim_, next_renewal_) : next_renewal_;
      if (finished_.empty() && !ending_) changed_.wait_until(mutex_, due);
      if (!finished_.empty()) batch = finished_.front();
      ending = ending_;
    }
    if (batch && (!ending || !error_)) {
      bring_batch(*batch);
      over = ending && error_;
    } else if (ending) {
      over = true;
    } else if (Clock::now() >= next_renewal_) {
      next_renewal_ = Clock::now() + renewal;
      renew();
    } else if (wanting && Clock::now() >= next_claim_) {
      claim();
    }
  }
}

void RangeLink::hand_back() {
  double false_matches = 0;
  Clock::time_point end;
  {
    const MutexLock lock(mutex_);
    false_matches = false_matches_;
    end = goodbye_by_;
  }
  // No time is left for the call, so the leases expire instead.
  if (abandon_.stop_requested()) return;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  static_cast<void>(parts_.store.hand_back(parts_.worker, false_matches, std::max(left, 0ms)));
}

bool RangeLink::wants_range() {
  if (state_ != CampaignState::kRunning || error_) return false;
  const MutexLock lock(mutex_);
  if (ending_ || held_.size() >= kMostHeld) return false;
  std::size_t groups = 0;
  for (const auto& held : held_) groups += held->groups;
  return held_.size() < kFewestHeld ||
         groups < static_cast<std::size_t>(kGroupsPerThread * parts_.threads);
}

void RangeLink::bring_batch(const FinishedBatch& batch) {
  const Result<CommitAnswer> answer =
      parts_.store.commit(parts_.worker, parts_.campaign, batch, abandon_.get_token());
  if (!answer) {
    if (!recover(answer.error())) {
      // The error is permanent, so the batches after this one would fail, too.
      const MutexLock lock(mutex_);
      finished_.clear();
    }
    return;
  }
  retry_ = kFirstPause;
  ++batches_;
  {
    const MutexLock lock(mutex_);
    finished_.pop_front();
  }
  // A lost lease needs no action: the rest of the range is counted anyway, which may be double work
  // but does no harm.
  heed(answer->state);
}

void RangeLink::claim() {
  const Result<Claim> claim =
      parts_.store.claim(parts_.worker, parts_.campaign.id, last_, abandon_.get_token());
  if (!claim) {
    static_cast<void>(recover(claim.error()));
    return;
  }
  retry_ = kFirstPause;
  heed(claim->state);
  if (claim->range) {
    poll_ = kFirstPause;
    next_claim_ = Clock::now();
    take(*claim->range);
  } else {
    next_claim_ = Clock::now() + about(poll_);
    poll_ = std::min(2 * poll_, parts_.longest_poll);
  }
}

void RangeLink::renew() {
  const Result<CampaignState> state = parts_.store.renew(parts_.worker, abandon_.get_token());
  if (!state) {
    static_cast<void>(recover(state.error()));
    return;
  }
  retry_ = kFirstPause;
  heed(*state);
}

void RangeLink::take(const ClaimedRange& claimed) {
  last_ = claimed.key;
  const PlannedRange& range = claimed.range;
  const std::size_t units = parts_.job.units().size();
  if (range.batches == 0 || range.first > units || range.units > units - range.first) {
    error_ =
        campaign_damage("range " + std::to_string(claimed.key.number) + " is not of this split");
    stop_counting_.request_stop();
    return;
  }
  RangeWork work = work_of(claimed);
  if (work.parts.empty()) return;  // all batches are already stored
  const auto held = std::make_shared<Held>(Held{
      .key = claimed.key,
      .epoch = claimed.epoch,
      .work = work,
      .groups = parts_.job.units().groups_in({work.parts.front().begin, work.parts.back().end}),
      .left = work.parts.size()});
  {
    const MutexLock lock(mutex_);
    held_.push_back(held);
  }
  parts_.job.add(
      source_, std::move(work.parts), [this, held](std::size_t part) { finished(held, part); },
      stop_counting_.get_token());
}

void RangeLink::finished(const std::shared_ptr<Held>& held, std::size_t part) {
  FinishedBatch batch;
  batch.range = held->key;
  batch.number = held->work.batches[part];
  batch.epoch = held->epoch;
  const UnitSpan units = held->work.parts[part];
  batch.counts.reserve(units.size());
  for (std::size_t unit = units.begin; unit < units.end; ++unit)
    batch.counts.push_back(parts_.job.count_of(unit));
  batch.sums = parts_.job.sum(units);

  const MutexLock lock(mutex_);
  // The threads count several batches at once. Each batch reports what all of them visited since
  // the previous batch, so only the sum over batches is meaningful.
  const std::uint64_t visited = parts_.progress.snapshot().visited;
  const double seconds = watch_.seconds();
  batch.visited = visited - visited_;
  batch.seconds = seconds - seconds_;
  visited_ = visited;
  seconds_ = seconds;
  finished_.push_back(std::move(batch));
  if (--held->left == 0) std::erase(held_, held);
  changed_.notify_all();
}

// The first state that is not running is final: counting ends and no range is claimed.
void RangeLink::heed(CampaignState state) {
  if (state == CampaignState::kRunning || state_ != CampaignState::kRunning) return;
  state_ = state;
  stop_counting_.request_stop();
}

// Waits after a temporary error. After a permanent one, or cancellation, ends the counting.
bool RangeLink::recover(const Error& error) {
  if (error.code == ErrorCode::kUnavailable) {
    bool ending = false;
    {
      const MutexLock lock(mutex_);
      ending = ending_;
    }
    if (ending) {
      error_ = error;  // no time to wait
    } else {
      pause();
    }
    return true;
  }
  if (error.code != ErrorCode::kCancelled) error_ = error;
  stop_counting_.request_stop();
  return false;
}

void RangeLink::pause() {
  const Clock::time_point end = Clock::now() + about(retry_);
  retry_ = std::min(2 * retry_, std::chrono::milliseconds(kLongestPause));
  const MutexLock lock(mutex_);
  while (!ending_ && changed_.wait_until(mutex_, end) == std::cv_status::no_timeout) {
  }
}

// Returns 50 to 150 % of `time`, so that many workers do not call the database at the same moment.
std::chrono::milliseconds RangeLink::about(std::chrono::milliseconds time) {
  return time * std::uniform_int_distribution<int>(50, 150)(random_) / 100;
}

}  // namespace manyply

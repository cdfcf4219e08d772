#include "tools/campaign/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "core/base/stopwatch.h"
#include "core/signature.h"
#include "tools/campaign/campaign_store.h"
#include "tools/report/spec.h"

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

namespace {

using namespace std::chrono_literals;

/// Time between attempts to register while the database is unavailable.
constexpr auto kComeBack = 1s;

std::uint64_t new_seed() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

/// Returns the spec of this worker's counts, with a new random key seed unless the user gave one.
Result<JobSpec> spec_of(const Campaign& campaign, const WorkSpec& work) {
  const Result<NamedPosition> root = parse_position(campaign.fen);
  if (!root) return root.error();
  Result<JobSpec> spec = job_spec(question_of(*root, campaign.depth), work.limits);
  if (!spec) return spec;
  JobSpec seeded = std::move(spec).value();
  if (seeded.hash && !work.limits.key_seed) seeded.hash->keys.seed = new_seed();
  return seeded;
}

/// Describes this worker for its registration. The caller adds signature and identity.
NewWorker worker_of(const WorkSpec& work, const JobSpec& spec, const RangeJob& job,
                    const Workforce& by) {
  NewWorker worker;
  worker.host = work.host;
  worker.label = work.label;
  worker.version = work.version;
  worker.kernel = by.kernel().name;
  worker.threads = by.count();
  // A worker without a table has no keys, but the seed must still be unique per worker.
  worker.key_seed = spec.hash ? spec.hash->keys.seed : new_seed();
  worker.key_bits = spec.hash ? spec.hash->keys.bits : 0;
  worker.process = new_seed();
  if (const auto hash = job.hash_report()) worker.hash_bytes = hash->bytes;
  return worker;
}

/// Registers the worker and returns its number. Waits while the database is unavailable, because it
/// answered a moment ago. Errors: kCancelled, and those of register_worker().
Result<std::int64_t> let_in(CampaignStore& store, std::int64_t campaign, const NewWorker& worker,
                            const std::stop_token& stop) {
  for (;;) {
    Result<std::int64_t> number = store.register_worker(campaign, worker, stop);
    if (number || number.error().code != ErrorCode::kUnavailable) return number;
    const auto end = std::chrono::steady_clock::now() + kComeBack;
    while (std::chrono::steady_clock::now() < end) {
      if (stop.stop_requested()) return cancelled();
      std::this_thread::sleep_for(20ms);
    }
  }
}

/// Does what work() promises, for a campaign that is running. May throw.
Result<WorkEnd> work_on(CampaignStore& store, const Campaign& campaign, const WorkSpec& work,
                        const std::stop_token& stop, Progress& progress,
                        const std::function<void(const WorkStart&)>& on_start) {
  const Stopwatch watch;
  const Result<std::uint64_t> signature = count_signature(work.limits, stop);
  if (!signature) return signature.error();
  const double signature_seconds = watch.seconds();

  const Result<JobSpec> spec = spec_of(campaign, work);
  if (!spec) return spec.error();
  const Result<Workforce> by = Workforce::of(*spec, stop, &progress);
  if (!by) return by.error();
  const int threads = by->count();
  const Result<JobUnits> units = units_of(campaign, spec->root.position, work.limits, stop);
  if (!units) return units.error();
  const auto prepared = RangeJob::prepare(*spec, *by, *units);
  if (!prepared) return prepared.error();
  RangeJob& job = **prepared;

  NewWorker as = worker_of(work, *spec, job, *by);
  as.signature = *signature;
  as.identity = plan_identity(spec->root.position, campaign.depth, *units);
  const Result<std::int64_t> number = let_in(store, campaign.id, as, stop);
  if (!number) return number.error();
  // The database has compared the identity. Compare again here, where the units are used.
  if (as.identity != campaign.identity || units->size() != campaign.units ||
      units->root_moves().size() != campaign.root_moves)
    return campaign_refusal("is split in another way here than where it was made");
  on_start(
      {.campaign = campaign, .worker = *number, .as = as, .signature_seconds = signature_seconds});

  RangeLink link({.store = store,
                  .campaign = campaign,
                  .worker = *number,
                  .job = job,
                  .progress = progress,
                  .threads = threads,
                  .longest_poll = work.longest_poll});
  Result<double> counted = 0.0;
  {
    const std::stop_callback on_stop(stop, [&link] { link.stop_counting().request_stop(); });
    counted = job.count(link.source(), link.stop_counting().get_token());
  }
  const auto hash = job.hash_report();
  link.finish(hash ? hash->expected_false_matches : 0,
              stop.stop_requested() ? work.stop_patience : work.end_patience);

  const bool failed = !counted && counted.error().code != ErrorCode::kCancelled;
  if (failed) return counted.error();
  if (link.state() == CampaignState::kRunning) {
    if (stop.stop_requested()) return cancelled();
    if (link.error()) return *link.error();
  }
  return WorkEnd{.state = link.state(), .batches = link.batches()};
}

}  // namespace

Result<std::uint64_t> count_signature(const Limits& limits, const std::stop_token& stop) {
  Limits own = limits;
  own.method = Method::kHashed;  // the method that counts ranges
  own.key_bits.reset();
  own.key_seed.reset();
  // Let each count choose its size: making a large table would take longer than these small counts.
  if (own.table_bytes != 0) own.table_bytes.reset();
  NodeCount sum;
  for (const SignatureItem& item : kSignatureItems) {
    const Result<NamedPosition> root = parse_position(item.fen);
    if (!root) return root.error();
    const Result<JobSpec> spec = job_spec(question_of(*root, Depth(item.depth)), own);
    if (!spec) return spec.error();
    const Result<Report> report = run_job(*spec, stop);
    if (!report) return report.error();
    // Return the first wrong count, because two errors could cancel out in the sum.
    if (report->nodes != NodeCount(item.nodes)) return report->nodes.low();
    sum += report->nodes;
  }
  return sum.low();
}

Result<WorkEnd> work(const WorkSpec& spec, const std::stop_token& stop, Progress& progress,
                     const std::function<void(const WorkStart&)>& on_start) try {
  CampaignStore store(spec.database);
  const Result<Campaign> campaign = store.find(spec.campaign, stop);
  if (!campaign) return campaign.error();
  if (campaign->state != CampaignState::kRunning) return WorkEnd{.state = campaign->state};
  return work_on(store, *campaign, spec, stop, progress, on_start);
} catch (...) {
  return current_exception_as_error();
}

}  // namespace manyply

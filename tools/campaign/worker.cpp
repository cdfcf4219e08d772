#include "tools/campaign/worker.h"

#include <fmt/format.h>

#include <random>
#include <thread>
#include <utility>

#include "core/base/stopwatch.h"
#include "core/signature.h"
#include "tools/campaign/campaign_store.h"
#include "tools/campaign/range_link.h"
#include "tools/report/spec.h"

namespace manyply {
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

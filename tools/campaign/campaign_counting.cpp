#include "tools/campaign/campaign_counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "core/base/check.h"
#include "core/base/stopped_within.h"
#include "core/base/stopwatch.h"
#include "core/known_values.h"
#include "parallel/jobs/job.h"
#include "parallel/units/unit_runner.h"
#include "tools/report/answer.h"

namespace manyply {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kFirstPause = 100ms;  // pause before the first retry
constexpr Milliseconds kLongestPause = 5'000ms;
constexpr int kRenewalsPerLease = 6;

/// Pauses between attempts. The usual length doubles after each pause, up to a limit. A pause lasts
/// 50 to 150 % of the usual length, at random, so that many workers do not call the database at the
/// same moment.
class Pauses {
 public:
  explicit Pauses(Milliseconds longest) : longest_(longest) {}
  /// Returns false if `stop` ended the pause.
  bool rest(const std::stop_token& stop) {
    const Milliseconds pause = next_ * std::uniform_int_distribution<int>(50, 150)(random_) / 100;
    next_ = std::min(2 * next_, longest_);
    return !stopped_within(pause, stop);
  }
  void begin_anew() { next_ = std::min(kFirstPause, longest_); }

 private:
  const Milliseconds longest_;
  Milliseconds next_ = kFirstPause;
  std::mt19937_64 random_{std::random_device{}()};
};

std::uint64_t random_word() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

/// One worker of a running campaign. Use it from one thread.
class CampaignWork {
 public:
  CampaignWork(CampaignStore& store, const Campaign& campaign, const WorkSpec& work,
               const std::stop_token& stop)
      : store_(store), campaign_(campaign), work_(work), stop_(stop), on_stop_(stop, [this] {
          stop_counting_.request_stop();
        }) {}

  Result<WorkEnd> run(Progress& progress, const std::function<void(const WorkStart&)>& on_start) {
    const Stopwatch watch;
    const Result<std::uint64_t> signature = count_signature(work_.count_options, stop_);
    if (!signature) return signature.error();
    const double signature_seconds = watch.seconds();
    const Result<NamedPosition> root = parse_position(campaign_.fen);
    if (!root) return root.error();
    const Board& board = root->position.board();
    const Result<Workforce> by = Workforce::of(
        work_.count_options.threads, work_.count_options.kernel,
        {.pin_workers = work_.count_options.pin_workers}, stop_counting_.get_token(), &progress);
    if (!by) return by.error();
    const auto plan = patiently([&] { return store_.plan_of(campaign_, board, stop_); });
    if (!plan) return plan.error();

    const std::uint64_t memory = work_.count_options.memory_bytes;
    const NewWorker as{.host = work_.host,
                       .label = work_.label,
                       .version = work_.version,
                       .kernel = std::string(by->kernel().name),
                       .signature = *signature,
                       .identity = parts_identity(board, campaign_.depth.plies(), *plan),
                       .process = random_word(),
                       .threads = by->count(),
                       .memory_bytes = memory > 0 ? memory : process_bytes(matrix_bytes(0))};
    const auto number = patiently([&] { return store_.register_worker(campaign_.id, as, stop_); });
    if (!number) return number.error();
    worker_ = *number;
    on_start({.campaign = campaign_,
              .worker = worker_,
              .as = as,
              .signature_seconds = signature_seconds});

    PartCounter counter({.root = root->position,
                         .depth = campaign_.depth.plies(),
                         .most_bytes = matrix_bytes(as.memory_bytes),
                         .device = work_.device},
                        *by);
    const std::optional<Error> error = count_all(counter, *plan);
    // If hand_back() reaches its time limit, the lease expires instead.
    static_cast<void>(store_.hand_back(
        worker_, stop_.stop_requested() ? work_.stop_patience : work_.end_patience));
    if (state_ != CampaignState::kRunning) return WorkEnd{.state = state_, .parts = parts_};
    return error ? *error : cancelled();
  }

 private:
  /// Calls the database until it answers. Waits while the database is unavailable. Returns
  /// kCancelled after a stop request.
  template <typename Call>
  auto patiently(const Call& call) -> decltype(call()) {
    for (Pauses pauses(kLongestPause);;) {
      auto answer = call();
      if (answer || answer.error().code != ErrorCode::kUnavailable) return answer;
      if (!pauses.rest(stop_)) return cancelled();
    }
  }

  /// Calls `count` on another thread. Renews the lease during the count. If `count` throws, stores
  /// the error in error_.
  template <typename Count>
  void while_renewing(const Count& count) {
    const auto every = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(campaign_.lease_seconds / kRenewalsPerLease));
    std::future<void> counted = std::async(std::launch::async, [&] { count(); });
    while (counted.wait_for(every) != std::future_status::ready) renew();
    try {
      counted.get();
    } catch (...) {
      error_ = current_exception_as_error();
    }
  }
  /// Renews the lease. An error is ignored: the next call that needs an answer will report it.
  void renew() {
    if (stop_counting_.stop_requested()) return;
    const Result<CampaignState> state = store_.renew(worker_, stop_counting_.get_token());
    if (state) heed(*state);
  }
  /// If `state` is not kRunning, ends counting. Stores the first such state; ignores later ones.
  void heed(CampaignState state) {
    if (state == CampaignState::kRunning || state_ != CampaignState::kRunning) return;
    state_ = state;
    stop_counting_.request_stop();
  }

  /// Counts parts until the campaign or this worker ends. Returns the error that ended the worker,
  /// if any.
  std::optional<Error> count_all(PartCounter& counter, const std::string& plan) {
    while_renewing([&] { error_ = counter.prepare(plan); });
    Pauses polls(work_.longest_poll);
    while (!error_ && !stop_counting_.stop_requested()) {
      const auto claim = patiently([&] { return store_.claim(worker_, campaign_.id, stop_); });
      if (!claim) return claim.error();
      heed(claim->state);
      if (state_ != CampaignState::kRunning) break;
      if (!claim->part) {
        polls.rest(stop_);
        continue;
      }
      polls.begin_anew();
      if (claim->part->key.number >= static_cast<std::int64_t>(counter.shares().size()))
        return campaign_damage("has parts that are not in its plan");
      const Stopwatch watch;
      FinishedPart finished{.part = *claim->part, .count = {}};
      while_renewing([&] {
        const auto count = counter.count(static_cast<std::size_t>(finished.part.key.number));
        if (count) {
          finished.count = *count;
        } else {
          error_ = count.error();
        }
      });
      finished.seconds = watch.seconds();
      if (error_) break;
      if (auto error = commit(finished)) return error;
    }
    return error_;
  }

  /// Commits a part. Waits while the database is unavailable. After a stop request, tries once
  /// more.
  std::optional<Error> commit(const FinishedPart& finished) {
    for (Pauses pauses(kLongestPause);;) {
      const bool last = stop_.stop_requested();
      const auto answer = last
                              ? store_.commit(worker_, campaign_, finished, {}, work_.stop_patience)
                              : store_.commit(worker_, campaign_, finished, stop_);
      if (answer) {
        ++parts_;
        // A lost lease needs no action: the database has compared this count with all stored counts
        // of the part, and a difference is a dispute.
        heed(answer->state);
        return std::nullopt;
      }
      const ErrorCode code = answer.error().code;
      if (last || (code != ErrorCode::kUnavailable && code != ErrorCode::kCancelled))
        return answer.error();
      pauses.rest(stop_);
    }
  }

  CampaignStore& store_;
  const Campaign& campaign_;
  const WorkSpec& work_;
  const std::stop_token stop_;
  std::stop_source stop_counting_;
  const std::stop_callback<std::function<void()>> on_stop_;
  std::int64_t worker_ = 0;
  CampaignState state_ = CampaignState::kRunning;
  std::optional<Error> error_;  // error of the counting thread
  std::uint64_t parts_ = 0;
};

}  // namespace

Result<std::uint64_t> count_signature(const CountOptions& count_options,
                                      const std::stop_token& stop) {
  CountOptions own{.threads = count_options.threads, .kernel = count_options.kernel};
  own.method = Method::kConfigurations;
  NodeCount sum;
  for (const SignatureItem& item : kSignatureItems) {
    const Result<NamedPosition> root = parse_position(item.fen);
    if (!root) return root.error();
    const Result<JobSpec> spec = job_spec(question_of(*root, Depth(item.depth)), own);
    if (!spec) return spec.error();
    const Result<Report> report = run_job(*spec, stop);
    if (!report) return report.error();
    // Return the first wrong count, because two errors could cancel in the sum.
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
  return CampaignWork(store, *campaign, spec, stop).run(progress, on_start);
} catch (...) {
  return current_exception_as_error();
}

namespace {

/// Counts the disputed parts. Errors: those of explain_campaign().
Result<std::map<std::int64_t, NodeCount>> count_disputed(
    CampaignStore& store, const Campaign& campaign, const std::vector<CampaignDispute>& disputes,
    const CountOptions& count_options, const std::stop_token& stop) {
  const Result<std::uint64_t> signature = count_signature(count_options, stop);
  if (!signature) return signature.error();
  if (*signature != kSignature) {
    return Error{
        ErrorCode::kInternal, "signature", 0,
        fmt::format("is {} here, but {} in every correct build, so this build cannot decide "
                    "which worker was wrong",
                    *signature, kSignature)};
  }
  const Result<NamedPosition> root = parse_position(campaign.fen);
  if (!root) return root.error();
  const Result<std::string> plan = store.plan_of(campaign, root->position.board(), stop);
  if (!plan) return plan.error();
  const Result<Workforce> by = Workforce::of(count_options.threads, count_options.kernel, {}, stop);
  if (!by) return by.error();
  PartCounter counter({.root = root->position,
                       .depth = campaign.depth.plies(),
                       .most_bytes = matrix_bytes(count_options.memory_bytes)},
                      *by);
  if (auto error = counter.prepare(*plan)) return *std::move(error);
  std::map<std::int64_t, NodeCount> counts;
  for (const CampaignDispute& dispute : disputes) {
    if (counts.contains(dispute.part)) continue;
    if (dispute.part >= static_cast<std::int64_t>(counter.shares().size()))
      return campaign_damage("has a dispute about a part that does not exist");
    const Result<PartCount> count = counter.count(static_cast<std::size_t>(dispute.part));
    if (!count) return count.error();
    counts[dispute.part] = count->nodes;
  }
  return counts;
}

}  // namespace

Result<CampaignExplanation> explain_campaign(CampaignStore& store, const Campaign& campaign,
                                             const CountOptions& count_options,
                                             const std::stop_token& stop) {
  CampaignExplanation explanation;
  const auto disputes = store.disputes(campaign.name, stop);
  if (!disputes) return disputes.error();
  const auto workers = store.workers(campaign.name, stop);
  if (!workers) return workers.error();
  auto damaged = store.damage(campaign.name, stop);
  if (!damaged) return damaged.error();
  explanation.damaged = std::move(damaged).value();
  if (disputes->empty()) return explanation;

  const auto counts = count_disputed(store, campaign, *disputes, count_options, stop);
  if (!counts) return counts.error();
  for (const CampaignDispute& dispute : *disputes) {
    ExaminedDispute& examined = explanation.disputes.emplace_back();
    examined.dispute = dispute;
    examined.nodes = counts->at(dispute.part);
    if (std::ranges::any_of(explanation.damaged, [&](const DamagedPart& part) {
          return part.key.number == dispute.part;
        }))
      continue;
    for (const auto& [nodes, id] :
         {std::pair(dispute.nodes0, dispute.worker0), std::pair(dispute.nodes1, dispute.worker1)}) {
      if (nodes == examined.nodes.to_string()) continue;
      examined.wrong.push_back(id);
      if (std::ranges::find(explanation.wrong, id, &CampaignWorker::id) != explanation.wrong.end())
        continue;
      const auto worker = std::ranges::find(*workers, id, &CampaignWorker::id);
      MANYPLY_CHECK(worker != workers->end());  // a foreign key of the database ensures this
      explanation.wrong.push_back(*worker);
    }
  }
  return explanation;
}

}  // namespace manyply

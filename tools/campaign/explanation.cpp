#include "tools/campaign/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/signature.h"
#include "parallel/jobs/range_job.h"
#include "tools/campaign/worker.h"
#include "tools/report/spec.h"

namespace manyply {
namespace {

/// Upper limit for the table that recounts one range. Workers have larger tables, for many ranges.
constexpr std::uint64_t kMostTableBytes = std::uint64_t{1} << 30;

/// Examines disputes with the plan of one campaign. Used by one thread; counts on all its threads.
class Explainer {
 public:
  Explainer(const CampaignPlan& plan, const Limits& limits, const std::stop_token& stop)
      : plan_(plan), limits_(limits), stop_(stop) {}

  /// Counts the disputed unit without a table, so without false matches, and names the workers
  /// whose counts differ. Names no worker if the stored batch is damaged. Errors: run_job()'s.
  Result<ExaminedDispute> judge(const CampaignDispute& dispute,
                                const std::vector<DamagedBatch>& damaged) const {
    ExaminedDispute examined{.dispute = dispute, .unit = {}, .nodes = {}, .wrong = {}};
    const bool is_damaged = std::ranges::any_of(damaged, [&](const DamagedBatch& batch) {
      return batch.range.number == dispute.range && batch.number == dispute.batch;
    });
    if (dispute.unit < 0) {
      // The stored batch (of worker0) was checked against its own sums. If it is undamaged, worker1
      // added up wrong.
      if (!is_damaged) examined.wrong.push_back(dispute.worker1);
      return examined;
    }
    examined.unit = position_unchecked(plan_.units.board(unit_of(dispute)));
    Limits without = limits_;
    without.table_bytes = 0;
    const Result<JobSpec> spec = unit_spec(dispute, without);
    if (!spec) return spec.error();
    const Result<Report> report = run_job(*spec, stop_);
    if (!report) return report.error();
    examined.nodes = report->nodes;
    if (is_damaged) return examined;
    for (const auto& [count, worker] :
         {std::pair(dispute.count0, dispute.worker0), std::pair(dispute.count1, dispute.worker1)}) {
      if (count != examined.nodes.to_string()) examined.wrong.push_back(worker);
    }
    return examined;
  }

  /// Repeats the count with the worker's keys and table size, and returns the cause if the error
  /// shows again, else what to suspect. Errors: verify_job()'s and run_job()'s.
  Result<WrongWorker> find_cause(const ExaminedDispute& examined, CampaignWorker worker) const {
    WrongWorker wrong{
        .worker = std::move(worker), .unit = examined.unit, .cause = {}, .report = {}, .again = {}};
    if (!examined.unit) {
      wrong.cause = "added its counts up wrongly: suspect its build or its memory";
      return wrong;
    }
    if (wrong.worker.key_bits == 0) {
      wrong.cause = "counted without a table: suspect its build, its memory or its processor";
      return wrong;
    }
    Limits theirs = limits_;
    theirs.table_bytes = std::clamp(wrong.worker.hash_bytes, kMinHashBytes, kMostTableBytes);
    theirs.key_seed = wrong.worker.key_seed;
    theirs.key_bits = wrong.worker.key_bits;
    if (auto error = verify_unit(examined, theirs, wrong)) return *std::move(error);
    if (!wrong.report) {
      if (auto error = count_range(examined, theirs, wrong)) return *std::move(error);
    }
    wrong.cause = cause_of(wrong, examined.dispute.range);
    return wrong;
  }

 private:
  [[nodiscard]] static std::size_t unit_of(const CampaignDispute& dispute) {
    return static_cast<std::size_t>(dispute.unit);
  }
  [[nodiscard]] Result<JobSpec> unit_spec(const CampaignDispute& dispute,
                                          const Limits& limits) const {
    const NamedPosition unit{position_unchecked(plan_.units.board(unit_of(dispute))),
                             plan_.root.notation};
    return job_spec(question_of(unit, Depth(plan_.depth.plies() - plan_.units.ply())), limits);
  }

  /// Verifies only the unit, with the worker's keys. Sets wrong.report if that shows an error.
  std::optional<Error> verify_unit(const ExaminedDispute& examined, const Limits& theirs,
                                   WrongWorker& wrong) const {
    const Result<JobSpec> spec = unit_spec(examined.dispute, theirs);
    if (!spec) return spec.error();
    Result<VerifyReport> report = verify_job(*spec, {}, stop_);
    if (!report) return report.error();
    if (!report->agrees()) wrong.report = std::move(report).value();
    return std::nullopt;
  }

  /// Counts the whole range with the worker's keys, and sets wrong.again if the unit is wrong
  /// again. A false match needs two positions in one table, and the other one may be below another
  /// unit.
  std::optional<Error> count_range(const ExaminedDispute& examined, const Limits& theirs,
                                   WrongWorker& wrong) const {
    const Result<JobSpec> spec = job_spec(question_of(plan_.root, plan_.depth), theirs);
    if (!spec) return spec.error();
    const Result<Workforce> by = Workforce::of(*spec, stop_);
    if (!by) return by.error();
    const auto job = RangeJob::prepare(*spec, *by, plan_.units);
    if (!job) return job.error();
    const PlannedRange& range = examined.dispute.planned;
    NodeCount again;
    UnitSource source;
    (*job)->add(source, {{range.first, range.first + range.units}},
                [&](std::size_t /*part*/) { again = (*job)->count_of(unit_of(examined.dispute)); });
    source.close();
    const Result<double> counted = (*job)->count(source, stop_);
    if (!counted) return counted.error();
    if (again != examined.nodes) wrong.again = again;
    return std::nullopt;
  }

  /// Returns the cause as one line for the user.
  static std::string cause_of(const WrongWorker& wrong, std::int64_t range) {
    const int bits = wrong.worker.key_bits;
    const bool weak = bits < KeySpec::kMaxBits;
    if (wrong.report) {
      const AuditFindings& findings = wrong.report->runs.front().explanation->findings;
      if (findings.key_fault) return "an incremental key is not the key from scratch";
      if (findings.kernel_fault) return "two kernels disagree";
      if (findings.false_match)
        return fmt::format("two different positions have one key of {} bits", bits);
      return "the unit is wrong again with its keys, for no reason that was found";
    }
    if (wrong.again) {
      return fmt::format("range {}, counted again with its keys of {} bits, is wrong again: {}",
                         range, bits, "different positions have one key");
    }
    if (weak) return fmt::format("its keys have {} bits: different positions have one key", bits);
    return "does not show again with its keys: suspect its memory, its processor or its build";
  }

  const CampaignPlan& plan_;
  const Limits& limits_;
  const std::stop_token stop_;
};

/// Returns the worker with this id. Precondition: it exists; the database's foreign keys ensure
/// that.
CampaignWorker worker_of(const std::vector<CampaignWorker>& workers, std::int64_t id) {
  const auto at = std::ranges::find(workers, id, &CampaignWorker::id);
  MANYPLY_CHECK(at != workers.end());
  return *at;
}

}  // namespace

Result<CampaignExplanation> explain_campaign(CampaignStore& store, const Campaign& campaign,
                                             const CampaignPlan& plan, const Limits& limits,
                                             const std::stop_token& stop) {
  CampaignExplanation explanation;
  const auto disputes = store.disputes(campaign.name, stop);
  if (!disputes) return disputes.error();
  const auto workers = store.workers(campaign.name, stop);
  if (!workers) return workers.error();
  auto damaged = store.damage(campaign.name, plan.units, stop);
  if (!damaged) return damaged.error();
  explanation.damaged = std::move(damaged).value();
  if (disputes->empty()) return explanation;

  const Result<std::uint64_t> signature = count_signature(limits, stop);
  if (!signature) return signature.error();
  if (*signature != kSignature) {
    return Error{ErrorCode::kInternal, "signature", 0,
                 fmt::format("{} here; every correct build has {}: this one cannot judge",
                             *signature, kSignature)};
  }
  const Explainer explainer(plan, limits, stop);
  for (const CampaignDispute& dispute : *disputes) {
    if (dispute.unit >= static_cast<std::int64_t>(campaign.units))
      return campaign_damage("has a dispute about a unit that it does not have");
    Result<ExaminedDispute> examined = explainer.judge(dispute, explanation.damaged);
    if (!examined) return examined.error();
    for (const std::int64_t id : examined->wrong) {
      const bool known = std::ranges::any_of(
          explanation.wrong, [&](const WrongWorker& wrong) { return wrong.worker.id == id; });
      if (known) continue;
      Result<WrongWorker> wrong = explainer.find_cause(*examined, worker_of(*workers, id));
      if (!wrong) return wrong.error();
      explanation.wrong.push_back(std::move(wrong).value());
    }
    explanation.disputes.push_back(std::move(examined).value());
  }
  return explanation;
}

}  // namespace manyply

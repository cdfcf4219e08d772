#include "tools/server/jobs/job_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <system_error>
#include <utility>

#include "core/known_values.h"
#include "parallel/many_counts.h"
#include "parallel/verify.h"
#include "tools/question/estimate_format.h"
#include "tools/question/report_format.h"
#include "tools/question/spec.h"
#include "tools/question/stats_format.h"
#include "tools/question/suite_format.h"
#include "tools/question/unique_format.h"
#include "tools/question/verify_format.h"

namespace manyply {
namespace {

void add_table_figures(const Report& report, JobOutcome& outcome) {
  if (!report.hash) return;
  const HashStats::PerDepth total = report.hash->stats.total();
  outcome.table_probes += total.probes;
  outcome.table_hits += total.hits;
}

/// Whoever knows the seed can look for positions whose keys collide, and have later jobs count
/// them.
void keep_secret(Report& report) {
  if (report.hash) report.hash->secret_seed = true;
}

Result<JobOutcome> run_count(const JobRequest& request, const JobResources& resources,
                             const std::stop_token& stop) {
  Result<JobSpec> asked = job_spec(request, resources.means);
  if (!asked) return asked.error();
  JobSpec spec = std::move(asked).value();
  if (spec.hash) spec.keeper = resources.tables;
  spec.store = resources.units;
  spec.one_of_many = true;
  Result<Report> counted = run_job(spec, stop, resources.progress->start_phase(""));
  if (!counted) return counted.error();
  Report report = std::move(counted).value();
  keep_secret(report);
  JobOutcome outcome;
  outcome.nodes = report.nodes;
  outcome.verdict = to_string(report.known);
  outcome.report = format_report({report, request.line, request.depth}, Format::kJson);
  add_table_figures(report, outcome);
  return outcome;
}

/// With tables of its own: what it judges is one hashed run, from its start.
Result<JobOutcome> run_verify(const JobRequest& request, const JobResources& resources,
                              const std::stop_token& stop) {
  resources.tables->release();
  const Result<JobSpec> spec = job_spec(request, resources.means);
  if (!spec) return spec.error();
  Result<VerifyReport> verified = verify_job(*spec, {}, stop, [&resources](std::string_view phase) {
    return resources.progress->start_phase(phase);
  });
  if (!verified) return verified.error();
  VerifyReport report = std::move(verified).value();
  for (VerifiedRun& run : report.runs) keep_secret(run.report);
  JobOutcome outcome;
  outcome.nodes = report.recount.nodes;  // where both differ, the one counted without a table
  outcome.verdict = report.agrees() ? "agree" : "differ";
  outcome.report = format_verify_report(report, request.line, request.depth, Format::kJson);
  for (const VerifiedRun& run : report.runs) add_table_figures(run.report, outcome);
  return outcome;
}

Result<JobOutcome> run_stats(const JobRequest& request, const JobResources& resources,
                             const std::stop_token& stop) {
  Result<StatisticsSpec> asked = statistics_spec(request, resources.means);
  if (!asked) return asked.error();
  StatisticsSpec spec = std::move(asked).value();
  spec.store = resources.units;
  spec.keeper = resources.tables;
  const auto report = run_statistics(spec, stop, resources.progress->start_phase(""));
  if (!report) return report.error();
  JobOutcome outcome;
  outcome.nodes = report->totals[Statistic::kNodes];
  outcome.verdict = to_string(report->known);
  outcome.report = format_statistics({*report, request.line, request.depth}, Format::kJson);
  outcome.table_probes = report->probes;
  outcome.table_hits = report->hits;
  return outcome;
}

Result<JobOutcome> run_estimate(const JobRequest& request, const JobResources& resources,
                                const std::stop_token& stop) {
  const EstimateSpec spec = estimate_spec(request, resources.means);
  const auto report = estimate_nodes(spec, stop, resources.progress->start_phase(""));
  if (!report) return report.error();
  const auto published = known_value(spec.root.position, request.depth);
  const KnownVerdict verdict = judge_estimate(*report, published);
  JobOutcome outcome;
  if (report->exact) {
    outcome.nodes = NodeCount(static_cast<std::uint64_t>(report->estimate));
    outcome.verdict = to_string(verdict);
  } else {
    outcome.estimate = report->estimate;
    outcome.verdict = verdict == KnownVerdict::kMatch      ? "inside"
                      : verdict == KnownVerdict::kMismatch ? "outside"
                                                           : to_string(verdict);
  }
  outcome.report =
      format_estimate({*report, request.line, request.depth, spec.seed}, Format::kJson);
  return outcome;
}

/// Of the directory's free bytes half stay free: the database may lie beside it.
std::uint64_t most_scratch_bytes(const Scratch& scratch) {
  std::error_code unknown;
  const auto space = std::filesystem::space(scratch.directory, unknown);
  return unknown ? scratch.most_bytes : std::min(scratch.most_bytes, space.available / 2);
}

Result<JobOutcome> run_unique(const JobRequest& request, const JobResources& resources,
                              const std::stop_token& stop) {
  resources.tables->release();  // it takes their place
  const auto tables = resources.means.table_bytes;
  UniqueSpec spec = unique_spec(request, resources.means,
                                tables ? std::max(*tables, UniqueSpec::kMinMemoryBytes) : 0,
                                resources.scratch.directory);
  spec.most_file_bytes = most_scratch_bytes(resources.scratch);
  std::vector<UniquePly> plies;
  const UniqueObserver observer{
      .on_start =
          [&](int ply) { return resources.progress->start_phase(fmt::format("ply {}", ply)); },
      .on_ply = [&](const UniquePly& ply) -> std::optional<Error> {
        plies.push_back(ply);
        return std::nullopt;
      }};
  if (const auto error = find_unique(spec, observer, stop)) return *error;
  JobOutcome outcome;
  outcome.nodes = plies.back().paths;
  outcome.distinct = plies.back().distinct;
  outcome.verdict = to_string(unique_verdict(plies, spec.root.position));
  outcome.report = unique_json(plies, spec.root);
  return outcome;
}

/// The counts of a batch, in its order.
using BatchCounts = std::vector<std::pair<const SuiteLine*, EpdCount>>;

BatchCounts counts_of(const Batch& batch) {
  BatchCounts counts;
  for (const SuiteLine& line : batch.lines) {
    for (const EpdCount& count : line.record.counts) counts.emplace_back(&line, count);
  }
  return counts;
}

/// Counts each of `missing`, stores what comes of it and puts it into `nodes`.
std::optional<Error> count_missing(const BatchCounts& counts, std::span<const std::size_t> missing,
                                   CountMode mode, const JobResources& resources,
                                   const std::stop_token& stop, std::vector<NodeCount>& nodes) {
  std::vector<JobSpec> jobs;
  for (const std::size_t i : missing) {
    const auto& [line, count] = counts[i];
    Question question = question_of(line->record.root, count.depth);
    question.mode = mode;
    Result<JobSpec> job = job_spec(question, resources.means);
    if (!job) return job.error();
    jobs.push_back(std::move(job).value());
  }
  std::optional<Error> unstored;
  const auto take = [&](const ManyCounted& counted) {
    const std::size_t i = missing[counted.job];
    nodes[i] = counted.nodes;
    unstored = resources.units->record(i, to_words(counted.nodes));
    return !unstored;
  };
  auto error = count_many(jobs, stop, resources.progress->start_phase(""), take);
  return error ? error : unstored;
}

SuiteReport compared(const BatchCounts& counts, std::span<const NodeCount> nodes) {
  SuiteReport report;
  report.file = "batch";
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto& [line, count] = counts[i];
    if (nodes[i] == count.nodes) {
      ++report.matches;
    } else {
      report.differences.push_back(
          {line->number, line->record.fen, count.depth, count.nodes, nodes[i]});
    }
  }
  return report;
}

Result<JobOutcome> run_batch(const JobRequest& request, const JobResources& resources,
                             const std::stop_token& stop) {
  const auto begin = std::chrono::steady_clock::now();
  const auto counts = counts_of(*request.suite);
  const auto known = resources.units->open({request.identity, counts.size(), 2, "a batch"});
  if (!known) return known.error();
  std::vector<NodeCount> nodes(counts.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (known->knows(i)) {
      nodes[i] = to_count(known->of(i));
    } else {
      missing.push_back(i);
    }
  }
  resources.tables->release();  // the counts share tables of their own
  const auto error = count_missing(counts, missing, request.mode, resources, stop, nodes);
  const auto lost = resources.units->flush();
  if (error) return *error;
  if (lost) return *lost;

  JobOutcome outcome;
  try {
    outcome.nodes = std::accumulate(nodes.begin(), nodes.end(), NodeCount());
  } catch (const CountOverflow&) {
    return Error{ErrorCode::kOverflow, "nodes", 0, "all counts together do not fit 128 bits"};
  }
  SuiteReport report = compared(counts, nodes);
  report.positions = request.suite->lines.size();
  report.refused = request.suite->refused;
  report.read_as = request.suite->read_as;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.verdict = !report.differences.empty() ? "mismatch"
                    : report.refused.any()      ? "refused"
                                                : "match";
  outcome.report = suite_json(report);
  return outcome;
}

constexpr JobModeInfo kBatch{CountMode::kHashed, "each count of a suite", true, run_batch};
constexpr std::array<JobModeInfo, 6> kModes{{
    {CountMode::kHashed, "with a transposition table", true, run_count},
    {CountMode::kUnhashed, "every path, without a table", true, run_count},
    {CountMode::kVerify, "hashed, then every subtree again without a table", false, run_verify},
    {CountMode::kStatistics, "captures, checks, mates … of the last ply", true, run_stats},
    {CountMode::kEstimate, "from samples, with a 99 % interval", false, run_estimate},
    {CountMode::kUnique, "distinct positions of each ply", false, run_unique},
}};

}  // namespace

Progress* LiveProgress::start_phase(std::string_view name) {
  const MutexLock lock(mutex_);
  phase_ = name;
  return phases_.emplace_back(std::make_unique<Progress>()).get();
}

LiveProgress::Reading LiveProgress::read() const {
  const MutexLock lock(mutex_);
  Reading reading;
  reading.phase = phase_;
  for (const auto& phase : phases_) {
    reading.earlier_leaves += reading.snapshot.leaves;
    reading.earlier_visited += reading.snapshot.visited;
    reading.snapshot = phase->snapshot();
  }
  return reading;
}

std::span<const JobModeInfo> job_modes() { return kModes; }
const JobModeInfo& info(const JobRequest& request) {
  return request.kind() == JobKind::kBatch ? kBatch
                                           : kModes[static_cast<std::size_t>(request.mode)];
}

}  // namespace manyply

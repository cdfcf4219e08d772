#include "tools/server/job_modes.h"

#include <array>
#include <utility>

#include "parallel/verify.h"
#include "tools/cli/report_format.h"
#include "tools/cli/verify_format.h"

namespace manyply {
namespace {

JobSpec spec_for(const JobRequest& request, const JobResources& resources) {
  JobSpec spec;
  spec.root = request.root.named;
  spec.depth = request.depth;
  spec.threads = resources.threads;
  spec.kernel = resources.kernel;
  spec.placement = resources.placement;
  return spec;
}

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

Result<JobOutcome> count(const JobSpec& spec, const JobRequest& request,
                         const JobResources& resources, const std::stop_token& stop) {
  const Result<Report> counted = run_job(spec, stop, resources.progress->start_phase(""));
  if (!counted) return counted.error();
  Report report = *counted;
  keep_secret(report);
  JobOutcome outcome;
  outcome.nodes = report.nodes;
  outcome.verdict = to_string(report.known);
  outcome.report = format_report({report, request.root, request.depth}, Format::kJson);
  add_table_figures(report, outcome);
  return outcome;
}

Result<JobOutcome> run_hashed(const JobRequest& request, const JobResources& resources,
                              const std::stop_token& stop) {
  JobSpec spec = spec_for(request, resources);
  spec.hash = resources.hash;
  spec.keeper = resources.tables;
  spec.store = resources.units;
  return count(spec, request, resources, stop);
}

Result<JobOutcome> run_unhashed(const JobRequest& request, const JobResources& resources,
                                const std::stop_token& stop) {
  JobSpec spec = spec_for(request, resources);
  spec.store = resources.units;
  return count(spec, request, resources, stop);
}

/// With tables of its own: what it judges is one hashed run, from its start.
Result<JobOutcome> run_verify(const JobRequest& request, const JobResources& resources,
                              const std::stop_token& stop) {
  resources.tables->release();
  JobSpec spec = spec_for(request, resources);
  spec.hash = resources.hash;
  Result<VerifyReport> verified = verify_job(spec, {}, stop, [&resources](std::string_view phase) {
    return resources.progress->start_phase(phase);
  });
  if (!verified) return verified.error();
  VerifyReport report = std::move(verified).value();
  for (VerifiedRun& run : report.runs) keep_secret(run.report);
  JobOutcome outcome;
  outcome.nodes = report.recount.nodes;  // where both differ, the one counted without a table
  outcome.verdict = report.agrees() ? "agree" : "differ";
  outcome.report = format_verify_report(report, request.root, request.depth, Format::kJson);
  for (const VerifiedRun& run : report.runs) add_table_figures(run.report, outcome);
  return outcome;
}

constexpr std::array<JobModeInfo, 3> kModes{{
    {JobMode::kHashed, "hashed", "with a transposition table", true, run_hashed},
    {JobMode::kUnhashed, "unhashed", "every path, without a table", true, run_unhashed},
    {JobMode::kVerify, "verify", "hashed, then every subtree again without a table", false,
     run_verify},
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
const JobModeInfo& info(JobMode mode) { return kModes[static_cast<std::size_t>(mode)]; }

}  // namespace manyply

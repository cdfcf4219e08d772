#include "parallel/job.h"

#include <utility>

#include "parallel/range_job.h"
#include "parallel/root_splitter.h"
#include "parallel/stopwatch.h"
#include "parallel/unit_runner.h"

namespace manyply {
namespace {

/// Counts all units of `spec` as one range.
std::optional<Error> count_all(const JobSpec& spec, Workers workers, const std::stop_token& stop,
                               Progress& progress, Report& report) {
  const auto prepared = RangeJob::prepare(spec, std::move(workers), stop, progress);
  if (!prepared) return prepared.error();
  RangeJob& job = **prepared;
  UnitSource all;
  all.add(job.order());
  all.close();
  const Result<double> idle_seconds = job.count(all, stop);
  if (!idle_seconds) return idle_seconds.error();

  report.divide = sum_by_root_move(job.split(), job.counts());
  for (const DivideEntry& entry : report.divide) report.nodes += entry.nodes;
  report.visited = progress.snapshot().visited;
  report.units = job.split().size();
  report.resumed_units = job.resumed_units();
  report.resumed_leaves = job.resumed_leaves();
  report.setup_seconds = job.setup_seconds();
  report.idle_seconds = *idle_seconds;
  report.hash = job.hash_report();
  if (spec.trace != nullptr) {
    JobTrace& trace = *spec.trace;
    trace.split = job.split();
    trace.unit_depth = job.unit_depth();
    trace.counts = job.counts();
    trace.tables = job.take_tables();
  }
  return std::nullopt;
}

void add_paths(const RootSplit& split, const std::vector<NodeCount>& counts, std::size_t unit,
               std::vector<DivideEntry>& divide) {
  for (const auto& [root_move, paths] : split.shares_of(unit)) {
    divide[root_move].nodes += paths * counts[unit];
  }
}

std::vector<DivideEntry> empty_divide(const RootSplit& split) {
  std::vector<DivideEntry> divide;
  for (const Move move : split.root_moves) divide.push_back({move, 0});
  return divide;
}

}  // namespace

std::vector<DivideEntry> sum_by_root_move(const RootSplit& split,
                                          const std::vector<NodeCount>& counts) {
  std::vector<DivideEntry> divide = empty_divide(split);
  for (std::size_t unit = 0; unit < split.size(); ++unit) add_paths(split, counts, unit, divide);
  return divide;
}

std::vector<DivideEntry> sum_by_root_move(const RootSplit& split,
                                          const std::vector<NodeCount>& counts,
                                          std::span<const std::uint32_t> units) {
  std::vector<DivideEntry> divide = empty_divide(split);
  for (const std::uint32_t unit : units) add_paths(split, counts, unit, divide);
  return divide;
}

double Report::leaves_per_second() const {
  return seconds > 0 ? (nodes.approximate() - resumed_leaves) / seconds : 0;
}

double Report::visited_per_second() const {
  return seconds > 0 ? static_cast<double>(visited) / seconds : 0;
}

Result<Report> run_job(const JobSpec& spec, const std::stop_token& stop, Progress* progress) try {
  MANYPLY_CHECK(spec.keeper == nullptr || spec.trace == nullptr);
  auto workers = Workers::of(spec.threads, spec.placement);
  if (!workers) return workers.error();
  Report report;
  report.threads = workers->count();
  report.kernel = (spec.kernel != nullptr ? *spec.kernel : best_kernel()).name;

  const Stopwatch watch;
  if (spec.depth.plies() == 0) {
    report.nodes = 1;
  } else {
    Progress unwatched;
    if (auto error = count_all(spec, std::move(workers).value(), stop,
                               progress != nullptr ? *progress : unwatched, report))
      return *std::move(error);
  }
  report.seconds = watch.seconds() - report.setup_seconds;

  report.known_nodes = known_value(spec.root.position, spec.depth);
  report.known = compare_with_known(report.known_nodes, report.nodes);
  return report;
} catch (...) {
  return current_exception_as_error();
}

}  // namespace manyply

#include "parallel/job.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "parallel/root_splitter.h"
#include "parallel/unit_scheduler.h"

namespace manyply {
namespace {

/// More than any machine has; a larger number is a typing error.
constexpr int kMaxThreads = 1024;

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The divide: the units' counts, each as often as paths lead to it.
std::vector<DivideEntry> sum_by_root_move(const RootSplit& split,
                                          const std::vector<NodeCount>& counts) {
  std::vector<DivideEntry> divide;
  for (const Move move : split.root_moves) divide.push_back({move, 0});
  for (std::size_t unit = 0; unit < split.size(); ++unit) {
    for (const auto& [root_move, paths] : split.shares_of(unit)) {
      divide[root_move].nodes += paths * counts[unit];
    }
  }
  return divide;
}

NodeCount total_paths(std::span<const RootSplit::Share> shares) {
  NodeCount paths;
  for (const RootSplit::Share& share : shares) paths += share.paths;
  return paths;
}

/// Fills nodes, divide, and what the way there cost. Throws what its parts throw.
std::optional<Error> count(const JobSpec& spec, const Kernel& kernel, const std::stop_token& stop,
                           Progress& progress, Report& report) {
  const RootSplit split = split_root(spec.root.position, spec.depth, kernel, {}, stop);
  const std::vector<std::uint32_t> order = biggest_first(split, kernel);
  const Depth unit_depth(spec.depth.plies() - split.ply);

  progress.start(report.threads, split.size());
  progress.worker(0).visited.add(split.generated);
  const auto counted = count_units(
      order, report.threads, stop,
      [&](int worker, std::size_t unit, const std::stop_token& halt) -> Result<NodeCount> {
        CountStats stats;
        auto nodes = count_nodes(PositionAccess::wrap_unchecked(split.boards[unit]), unit_depth,
                                 kernel, halt, stats);
        Progress::Worker& own = progress.worker(worker);
        own.visited.add(stats.visited);
        if (nodes.ok()) {
          own.leaves.add(nodes->approximate() * total_paths(split.shares_of(unit)).approximate());
          own.units_done.add(1);
        }
        return nodes;
      });
  if (!counted.ok()) return counted.error();

  report.divide = sum_by_root_move(split, counted->counts);
  for (const DivideEntry& entry : report.divide) report.nodes += entry.nodes;
  report.visited = progress.snapshot().visited;
  report.units = split.size();
  report.idle_seconds = counted->idle_seconds;
  return std::nullopt;
}

}  // namespace

double Report::leaves_per_second() const { return seconds > 0 ? nodes.approximate() / seconds : 0; }

double Report::visited_per_second() const {
  return seconds > 0 ? static_cast<double>(visited) / seconds : 0;
}

Result<Report> run_job(const JobSpec& spec, const std::stop_token& stop, Progress* progress) try {
  if (spec.threads < 0 || spec.threads > kMaxThreads) {
    return Error{ErrorCode::kInvalidInput, "threads", 0,
                 std::to_string(spec.threads) + " is not between 0 and " +
                     std::to_string(kMaxThreads)};
  }
  const Kernel& kernel = spec.kernel != nullptr ? *spec.kernel : best_kernel();
  Report report;
  report.threads = spec.threads > 0 ? spec.threads : available_threads();
  report.kernel = kernel.name;

  const Stopwatch watch;
  if (spec.depth.plies() == 0) {
    report.nodes = 1;
  } else {
    Progress unwatched;
    if (auto error = count(spec, kernel, stop, progress ? *progress : unwatched, report)) {
      return *std::move(error);
    }
  }
  report.seconds = watch.seconds();

  report.known_nodes = known_value(spec.root.position, spec.depth);
  if (report.known_nodes) {
    report.known =
        *report.known_nodes == report.nodes ? KnownVerdict::kMatch : KnownVerdict::kMismatch;
  }
  return report;
} catch (...) {
  return current_exception_as_error();
}

}  // namespace manyply

#include "parallel/statistics_job.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "hash/memory.h"
#include "hash/statistics_search.h"
#include "parallel/job.h"
#include "parallel/root_splitter.h"
#include "parallel/unit_order.h"
#include "parallel/unit_scheduler.h"
#include "parallel/worker_arena.h"

namespace manyply {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Error cancelled() { return {ErrorCode::kCancelled, "", 0, "cancelled"}; }

/// Room for about all positions with two plies left, as the split grew on its way.
std::uint64_t useful_bytes(const RootSplit& split, int unit_depth) {
  const double growth = std::max(1.0, split.growth);
  const double positions =
      static_cast<double>(split.size()) * std::pow(growth, std::max(0, unit_depth - 2));
  return static_cast<std::uint64_t>(std::clamp(positions * 1.5 * 64, 1e6, 1e15));
}

class StatisticsRun {
 public:
  StatisticsRun(const StatisticsSpec& spec, const Kernel& kernel, const std::stop_token& stop,
                Progress& progress, StatisticsReport& report)
      : spec_(spec),
        kernel_(kernel),
        stop_(stop),
        progress_(progress),
        report_(report),
        keys_(spec.hash ? spec.hash->keys : KeySpec{}),
        split_(split_root(spec.root.position, spec.depth, kernel, {}, stop, report.threads)),
        unit_depth_(spec.depth.plies() - split_.ply) {}

  std::optional<Error> run() {
    if (spec_.hash && unit_depth_ > StatisticsTable::kMinDepth && split_.size() > 0) {
      if (auto error = allocate_table()) return error;
    }
    progress_.start(report_.threads, split_.size());
    progress_.worker(0).visited.add(split_.generated);
    if (stop_.stop_requested()) return cancelled();
    for (int worker = 0; worker < report_.threads; ++worker) {
      searches_.emplace_back(kernel_, keys_, table_.get());
    }
    units_.resize(split_.size());
    const auto counted =
        count_units(biggest_first(split_, kernel_), report_.threads, stop_,
                    [this](int worker, std::size_t unit, const std::stop_token& halt) {
                      return count_unit(worker, unit, halt);
                    });
    if (!counted) return counted.error();
    sum_up();
    return std::nullopt;
  }

 private:
  std::optional<Error> allocate_table() {
    const double start = now();
    std::uint64_t bytes = spec_.hash->bytes;
    if (bytes == 0) {
      bytes = std::min(useful_bytes(split_, unit_depth_), available_memory_bytes() / 2);
    }
    auto memory = TableMemory::allocate(std::max(bytes, StatisticsTable::kMinBytes));
    if (!memory) return memory.error();
    table_ = std::make_unique<StatisticsTable>(std::move(memory).value());
    run_workers(report_.threads,
                [this](int worker) { table_->memory().touch(worker, report_.threads, stop_); });
    report_.setup_seconds = now() - start;
    return std::nullopt;
  }

  Result<NodeCount> count_unit(int worker, std::size_t unit, const std::stop_token& halt) {
    StatisticsSearch& search = searches_[static_cast<std::size_t>(worker)];
    const std::uint64_t visited_before = search.visited();
    search.add(split_.boards[unit], unit_depth_, halt, units_[unit]);
    if (halt.stop_requested()) return cancelled();
    const NodeCount nodes = units_[unit][Statistic::kNodes];
    NodeCount paths;
    for (const RootSplit::Share& share : split_.shares_of(unit)) paths += share.paths;
    Progress::Worker& own = progress_.worker(worker);
    own.visited.add(search.visited() - visited_before);
    own.leaves.add(nodes.approximate() * paths.approximate());
    own.units_done.add(1);
    return nodes;
  }

  void sum_up() {
    for (const Move move : split_.root_moves) report_.divide.push_back({move, {}});
    for (std::size_t unit = 0; unit < split_.size(); ++unit) {
      for (const auto& [root_move, paths] : split_.shares_of(unit)) {
        add_multiple(report_.divide[root_move].totals, units_[unit], paths);
      }
    }
    report_.units = split_.size();
    report_.visited = progress_.snapshot().visited;
    for (const StatisticsSearch& search : searches_) {
      report_.probes += search.probes();
      report_.hits += search.hits();
    }
    if (table_) {
      report_.table_bytes = table_->bytes();
      report_.expected_false_matches =
          static_cast<double>(report_.probes - report_.hits) * StatisticsTable::kWays *
          std::exp2(-std::min(StatisticsTable::kTagBits, keys_.spec().bits));
    }
  }

  const StatisticsSpec& spec_;
  const Kernel& kernel_;
  const std::stop_token& stop_;
  Progress& progress_;
  StatisticsReport& report_;
  const KeySet keys_;
  const RootSplit split_;
  const int unit_depth_;
  std::unique_ptr<StatisticsTable> table_;
  std::vector<StatisticsSearch> searches_;  // by worker
  std::vector<MoveStatistics> units_;       // each written by the worker that counts it
};

}  // namespace

Result<StatisticsReport> run_statistics(const StatisticsSpec& spec, const std::stop_token& stop,
                                        Progress* progress) try {
  if (auto error = thread_count_error(spec.threads)) return *std::move(error);
  const Kernel& kernel = spec.kernel != nullptr ? *spec.kernel : best_kernel();
  StatisticsReport report;
  report.threads = spec.threads > 0 ? spec.threads : available_threads();
  report.kernel = statistics_kernel_for(kernel).name;

  const double start = now();
  if (spec.depth.plies() == 0) {
    report.totals[Statistic::kNodes] = 1;
  } else if (spec.depth.plies() == 1) {
    for (const Move move : legal_moves(spec.root.position)) {
      report.divide.push_back({move, {}});
      add_multiple(report.divide.back().totals, statistics_of(spec.root.position.board(), move), 1);
    }
  } else {
    Progress unwatched;
    StatisticsRun run(spec, kernel, stop, progress != nullptr ? *progress : unwatched, report);
    if (auto error = run.run()) return *std::move(error);
  }
  for (const StatisticsDivideEntry& entry : report.divide) {
    for (std::size_t i = 0; i < kStatistics; ++i) {
      report.totals.counts[i] += entry.totals.counts[i];
    }
  }
  report.seconds = now() - start - report.setup_seconds;

  report.known_nodes = known_value(spec.root.position, spec.depth);
  if (report.known_nodes) {
    report.known = *report.known_nodes == report.totals[Statistic::kNodes]
                       ? KnownVerdict::kMatch
                       : KnownVerdict::kMismatch;
  }
  return report;
} catch (...) {
  return current_exception_as_error();
}

}  // namespace manyply

#include "parallel/statistics_job.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "hash/memory.h"
#include "hash/statistics_search.h"
#include "parallel/job.h"
#include "parallel/root_splitter.h"
#include "parallel/stopwatch.h"
#include "parallel/unit_order.h"
#include "parallel/unit_scheduler.h"
#include "parallel/worker_arena.h"

namespace manyply {
namespace {

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
    if (stop_.stop_requested()) return cancelled();
    for (int worker = 0; worker < report_.threads; ++worker) {
      searches_.emplace_back(kernel_, keys_, table_.get());
    }
    units_.resize(split_.size());
    if (auto error = open_store()) return error;
    progress_.start(report_.threads, split_.size(), report_.resumed_units);
    progress_.worker(0).visited.add(split_.generated);
    const auto counted =
        count_units(biggest_first(split_, kernel_), report_.threads, stop_,
                    [this](int worker, std::size_t unit, const std::stop_token& halt) {
                      return count_unit(worker, unit, halt);
                    });
    if (spec_.store != nullptr) {
      if (auto error = spec_.store->flush(); error && counted.ok()) return error;
    }
    if (!counted) return counted.error();
    sum_up();
    return std::nullopt;
  }

 private:
  std::optional<Error> allocate_table() {
    const Stopwatch watch;
    std::uint64_t bytes = spec_.hash->bytes;
    if (bytes == 0) {
      bytes = std::min(useful_bytes(split_, unit_depth_), available_memory_bytes() / 2);
    }
    auto memory = TableMemory::allocate(std::max(bytes, StatisticsTable::kMinBytes));
    if (!memory) return memory.error();
    table_ = std::make_unique<StatisticsTable>(std::move(memory).value());
    run_workers(report_.threads,
                [this](int worker) { table_->memory().touch(worker, report_.threads, stop_); });
    report_.setup_seconds = watch.seconds();
    return std::nullopt;
  }

  std::optional<Error> open_store() {
    if (spec_.store == nullptr) return std::nullopt;
    const Hash128 units = job_identity(spec_.root.position, spec_.depth, split_, keys_.spec().bits);
    const std::array<std::uint64_t, 3> words{kStatistics, units.low, units.high};
    const Hash128 identity = xxh3_128(std::as_bytes(std::span(words)));
    auto known =
        spec_.store->open({.identity = identity, .units = split_.size(), .words = kStatistics});
    if (!known) return known.error();
    resumed_ = std::move(known).value();
    report_.resumed_units = resumed_->known();
    for (std::size_t unit = 0; unit < split_.size(); ++unit) {
      if (!resumed_->knows(unit)) continue;
      std::ranges::copy(resumed_->of(unit), units_[unit].counts.begin());
      report_.resumed_leaves += leaves_below(unit);
    }
    return std::nullopt;
  }

  [[nodiscard]] double leaves_below(std::size_t unit) const {
    return static_cast<double>(units_[unit][Statistic::kNodes]) *
           split_.paths_to(unit).approximate();
  }

  Result<NodeCount> count_unit(int worker, std::size_t unit, const std::stop_token& halt) {
    if (resumed_ && resumed_->knows(unit)) return NodeCount(units_[unit][Statistic::kNodes]);
    StatisticsSearch& search = searches_[static_cast<std::size_t>(worker)];
    const std::uint64_t visited_before = search.stats().visited;
    search.add(split_.boards[unit], unit_depth_, halt, units_[unit]);
    if (halt.stop_requested()) return cancelled();
    if (spec_.store != nullptr) {
      if (auto error = spec_.store->record(unit, units_[unit].counts)) return *std::move(error);
    }
    Progress::Worker& own = progress_.worker(worker);
    own.visited.add(search.stats().visited - visited_before);
    own.leaves.add(leaves_below(unit));
    own.units_done.add(1);
    return NodeCount(units_[unit][Statistic::kNodes]);
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
    HashStats lookups;
    for (const StatisticsSearch& search : searches_) lookups += search.stats();
    report_.probes = lookups.total().probes;
    report_.hits = lookups.total().hits;
    if (table_) {
      report_.table_bytes = table_->bytes();
      report_.expected_false_matches = table_->expected_false_matches(lookups, keys_.spec().bits);
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
  std::optional<UnitPayloads> resumed_;     // if there is a store
};

}  // namespace

Result<StatisticsReport> run_statistics(const StatisticsSpec& spec, const std::stop_token& stop,
                                        Progress* progress) try {
  if (auto error = thread_count_error(spec.threads)) return *std::move(error);
  const Kernel& kernel = spec.kernel != nullptr ? *spec.kernel : best_kernel();
  StatisticsReport report;
  report.threads = spec.threads > 0 ? spec.threads : available_threads();
  report.kernel = statistics_kernel_for(kernel).name;

  const Stopwatch watch;
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
  report.seconds = watch.seconds() - report.setup_seconds;

  report.known_nodes = known_value(spec.root.position, spec.depth);
  report.known = compare_with_known(report.known_nodes, report.totals[Statistic::kNodes]);
  return report;
} catch (...) {
  return current_exception_as_error();
}

}  // namespace manyply

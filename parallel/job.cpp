#include "parallel/job.h"

#include <algorithm>
#include <utility>

#include "parallel/root_splitter.h"
#include "parallel/stopwatch.h"
#include "parallel/unit_order.h"
#include "parallel/unit_scheduler.h"

namespace manyply {
namespace {

/// Below this depth a table would cost more than it saves.
constexpr int kMinHashedDepth = 5;

/// One run of a job: split, allocate, count, sum. Its steps throw what their parts throw.
class JobRun {
 public:
  JobRun(const JobSpec& spec, const Kernel& kernel, const std::stop_token& stop, Progress& progress,
         Report& report)
      : spec_(spec),
        kernel_(kernel),
        stop_(stop),
        progress_(progress),
        report_(report),
        split_(split_root(spec.root.position, spec.depth, kernel, {}, stop, report.threads)),
        unit_depth_(spec.depth.plies() - split_.ply) {}

  std::optional<Error> run() {
    if (spec_.placement != Placement{}) {
      auto topology = Topology::load();
      if (!topology) return topology.error();
      topology_.emplace(std::move(topology).value());
    }
    const bool hashed = spec_.hash && spec_.depth.plies() >= kMinHashedDepth &&
                        unit_depth_ >= HashedKernel::kMinDepth && split_.size() > 0;
    if (hashed) {
      if (auto error = allocate_tables()) return error;
    }
    const bool grouped = tables_ && tables_->plan().private_windows;
    const UnitOrder order = grouped   ? grouped_for_window(split_, unit_depth_)
                            : tables_ ? in_split_order(split_)
                                      : biggest_first(split_, kernel_);
    worker_stats_.resize(static_cast<std::size_t>(report_.threads));
    // A split that was stopped is another job's split: nothing may be stored under it.
    if (stop_.stop_requested()) return cancelled();
    if (auto error = open_store()) return error;
    progress_.start(report_.threads, split_.size(), report_.resumed_units);
    progress_.worker(0).visited.add(split_.generated);
    auto counted = count_units(
        order, report_.threads, stop_,
        [this](int worker, std::size_t unit, const std::stop_token& halt) {
          return count_unit(worker, unit, halt);
        },
        spec_.placement.pin_workers ? topology() : nullptr);
    if (spec_.store != nullptr) {
      if (auto error = spec_.store->flush(); error && counted.ok()) return error;
    }
    if (tables_) false_matches_ += expected_of_this_job();
    if (!counted.ok()) {
      // What a stopped job has stored is true; after any other failure nobody shall rely on it.
      if (counted.error().code == ErrorCode::kCancelled) keep_tables();
      return counted.error();
    }

    report_.divide = sum_by_root_move(split_, counted->counts);
    for (const DivideEntry& entry : report_.divide) report_.nodes += entry.nodes;
    report_.visited = progress_.snapshot().visited;
    report_.units = split_.size();
    report_.idle_seconds = counted->idle_seconds;
    if (tables_) report_.hash = hash_report();
    if (spec_.trace != nullptr) {
      JobTrace& trace = *spec_.trace;
      trace.split = split_;
      trace.unit_depth = unit_depth_;
      trace.counts = std::move(counted).value().counts;
      trace.tables = std::move(tables_);
    }
    keep_tables();
    return std::nullopt;
  }

 private:
  std::optional<Error> allocate_tables() {
    const Stopwatch watch;
    const TablePlan plan =
        plan_tables(*spec_.hash, split_, unit_depth_, report_.threads, available_memory_bytes());
    if (spec_.keeper != nullptr) {
      TableKeeper::Kept kept =
          spec_.keeper->take(plan, *spec_.hash, report_.threads, spec_.placement);
      if (kept.tables) {
        tables_ = std::move(kept.tables);
        false_matches_ = kept.expected_false_matches;
        reused_ = true;
        return std::nullopt;
      }
    }
    auto tables =
        JobTables::allocate(plan, *spec_.hash, report_.threads, spec_.placement, topology(), stop_);
    if (!tables) return tables.error();
    tables_ = std::move(tables).value();
    if (spec_.trace != nullptr && spec_.trace->on_tables_for_testing)
      spec_.trace->on_tables_for_testing(*tables_);
    report_.setup_seconds = watch.seconds();
    return std::nullopt;
  }

  void keep_tables() {
    if (spec_.keeper != nullptr && tables_) spec_.keeper->put({std::move(tables_), false_matches_});
  }

  [[nodiscard]] double expected_of_this_job() const {
    HashStats stats;
    for (const HashStats& worker : worker_stats_) stats += worker;
    return expected_false_matches(stats, spec_.hash->keys.bits, tables_->index_bits());
  }

  [[nodiscard]] const Topology* topology() const { return topology_ ? &*topology_ : nullptr; }

  std::optional<Error> open_store() {
    if (spec_.store == nullptr) return std::nullopt;
    const int key_bits = spec_.hash ? spec_.hash->keys.bits : KeySpec::kMaxBits;
    auto known = spec_.store->open(
        {.identity = job_identity(spec_.root.position, spec_.depth, split_, key_bits),
         .units = split_.size()});
    if (!known) return known.error();
    resumed_ = std::move(known).value();
    report_.resumed_units = resumed_->known();
    for (std::size_t unit = 0; unit < split_.size(); ++unit) {
      if (!resumed_->knows(unit)) continue;
      report_.resumed_leaves += resumed(unit).approximate() * split_.paths_to(unit).approximate();
    }
    return std::nullopt;
  }

  [[nodiscard]] NodeCount resumed(std::size_t unit) const { return to_count(resumed_->of(unit)); }

  Result<NodeCount> count_unit(int worker, std::size_t unit, const std::stop_token& halt) {
    if (resumed_ && resumed_->knows(unit)) return resumed(unit);
    HashStats stats;
    NodeCount nodes;
    if (tables_) {
      nodes = tables_->count(split_.boards[unit], unit_depth_, kernel_, worker, halt, stats);
      worker_stats_[static_cast<std::size_t>(worker)] += stats;
      if (halt.stop_requested()) return cancelled();
    } else {
      CountStats plain;
      const auto counted = count_nodes(PositionAccess::wrap_unchecked(split_.boards[unit]),
                                       Depth(unit_depth_), kernel_, halt, plain);
      stats.visited = plain.visited;
      if (!counted) return counted;
      nodes = *counted;
    }
    if (spec_.store != nullptr) {
      if (auto error = spec_.store->record(unit, to_words(nodes))) return *std::move(error);
    }
    Progress::Worker& own = progress_.worker(worker);
    own.visited.add(stats.visited);
    own.leaves.add(nodes.approximate() * split_.paths_to(unit).approximate());
    own.units_done.add(1);
    return nodes;
  }

  HashReport hash_report() {
    HashReport hash;
    hash.plan = tables_->plan();
    hash.bytes = hash.plan.total_bytes(report_.threads);
    hash.stripes = spec_.hash->stripes;
    hash.keys = spec_.hash->keys;
    hash.effective_deep_bits = tables_->effective_deep_bits();
    hash.effective_window_bits = tables_->effective_window_bits();
    hash.deep_fill = tables_->deep().fill();
    for (const HashStats& stats : worker_stats_) hash.stats += stats;
    hash.expected_false_matches = false_matches_;
    hash.reused = reused_;
    return hash;
  }

  const JobSpec& spec_;
  const Kernel& kernel_;
  const std::stop_token& stop_;
  Progress& progress_;
  Report& report_;
  const RootSplit split_;
  const int unit_depth_;
  std::optional<Topology> topology_;  // if placement wants anything
  std::unique_ptr<JobTables> tables_;
  double false_matches_ = 0;  // expected of all that was counted into tables_
  bool reused_ = false;
  std::optional<UnitPayloads> resumed_;  // if there is a store
  std::vector<HashStats> worker_stats_;  // by worker, written by it alone until all have returned
};

}  // namespace

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

double Report::leaves_per_second() const {
  return seconds > 0 ? (nodes.approximate() - resumed_leaves) / seconds : 0;
}

double Report::visited_per_second() const {
  return seconds > 0 ? static_cast<double>(visited) / seconds : 0;
}

std::optional<Error> thread_count_error(int threads) {
  if (threads >= 0 && threads <= kMaxThreads) return std::nullopt;
  return Error{ErrorCode::kInvalidInput, "threads", 0,
               std::to_string(threads) + " is not between 0 and " + std::to_string(kMaxThreads)};
}

Result<Report> run_job(const JobSpec& spec, const std::stop_token& stop, Progress* progress) try {
  MANYPLY_CHECK(spec.keeper == nullptr || spec.trace == nullptr);
  if (auto error = thread_count_error(spec.threads)) return *std::move(error);
  const Kernel& kernel = spec.kernel != nullptr ? *spec.kernel : best_kernel();
  Report report;
  report.threads = spec.threads > 0 ? spec.threads : available_threads();
  report.kernel = kernel.name;

  const Stopwatch watch;
  if (spec.depth.plies() == 0) {
    report.nodes = 1;
  } else {
    Progress unwatched;
    JobRun run(spec, kernel, stop, progress ? *progress : unwatched, report);
    if (auto error = run.run()) return *std::move(error);
  }
  report.seconds = watch.seconds() - report.setup_seconds;

  report.known_nodes = known_value(spec.root.position, spec.depth);
  report.known = compare_with_known(report.known_nodes, report.nodes);
  return report;
} catch (...) {
  return current_exception_as_error();
}

}  // namespace manyply

#include "parallel/range_job.h"

#include <utility>

#include "core/counting.h"
#include "parallel/range_plan.h"
#include "parallel/stopwatch.h"
#include "parallel/unit_order.h"

namespace manyply {

Result<std::unique_ptr<RangeJob>> RangeJob::prepare(const JobSpec& spec, Workers workers,
                                                    const std::stop_token& stop, Progress& progress,
                                                    std::optional<int> split_ply) {
  std::unique_ptr<RangeJob> job(new RangeJob(spec, std::move(workers), stop, progress, split_ply));
  if (auto error = job->prepare(stop, split_ply.has_value())) return *std::move(error);
  return job;
}

RangeJob::RangeJob(const JobSpec& spec, Workers workers, const std::stop_token& stop,
                   Progress& progress, std::optional<int> split_ply)
    : spec_(spec),
      kernels_(spec.kernel != nullptr ? *spec.kernel : best_kernel()),
      workers_(std::move(workers)),
      progress_(progress),
      split_(split_root(spec.root.position, spec.depth, kernels_.plain,
                        split_ply ? split_at(spec.depth, *split_ply) : SplitLimits(), stop,
                        workers_.count())),
      unit_depth_(spec.depth.plies() - split_.ply),
      counts_(split_.size()),
      worker_stats_(static_cast<std::size_t>(workers_.count())) {}

RangeJob::~RangeJob() {
  if (spec_.keeper == nullptr || !tables_ || failed_) return;
  const double false_matches = false_matches_so_far();
  spec_.keeper->put({std::move(tables_), false_matches});
}

std::optional<Error> RangeJob::prepare(const std::stop_token& stop, bool for_ranges) {
  const bool hashed = spec_.hash && spec_.depth.plies() >= kMinHashedDepth &&
                      unit_depth_ >= HashedKernel::kMinDepth && split_.size() > 0;
  if (hashed) {
    if (auto error = allocate_tables(stop)) return error;
  }
  order_ = for_ranges ? order_for_ranges(split_, spec_.depth) : order_for_one_count();
  // A split that was stopped is another job's split: nothing may be stored under it.
  if (stop.stop_requested()) return cancelled();
  if (auto error = open_store()) return error;
  progress_.start(workers_.count(), split_.size(), resumed_units());
  progress_.worker(0).visited.add(split_.generated);
  return std::nullopt;
}

UnitOrder RangeJob::order_for_one_count() const {
  if (!tables_) return biggest_first(split_, kernels_.plain);
  return tables_->plan().private_windows ? grouped_for_window(split_, unit_depth_)
                                         : ascending_order(split_.size());
}

std::optional<Error> RangeJob::allocate_tables(const std::stop_token& stop) {
  const Stopwatch watch;
  const TablePlan plan =
      plan_tables(*spec_.hash, split_, unit_depth_, workers_.count(), available_memory_bytes());
  if (spec_.keeper != nullptr) {
    TableKeeper::Kept kept = spec_.keeper->take(plan, *spec_.hash, workers_);
    if (kept.tables) {
      tables_ = std::move(kept.tables);
      false_matches_before_ = kept.expected_false_matches;
      reused_ = true;
      return std::nullopt;
    }
  }
  auto tables = JobTables::allocate(plan, *spec_.hash, workers_, stop);
  if (!tables) return tables.error();
  tables_ = std::move(tables).value();
  if (spec_.trace != nullptr && spec_.trace->on_tables_for_testing)
    spec_.trace->on_tables_for_testing(*tables_);
  setup_seconds_ = watch.seconds();
  return std::nullopt;
}

std::optional<Error> RangeJob::open_store() {
  if (spec_.store == nullptr) return std::nullopt;
  const int key_bits = spec_.hash ? spec_.hash->keys.bits : KeySpec::kMaxBits;
  auto kept = KeptUnits::open(
      *spec_.store,
      {.identity = job_identity(spec_.root.position, spec_.depth, split_, key_bits),
       .units = split_.size(),
       .what = job_text(spec_.root, spec_.depth, key_bits)},
      [this](std::size_t unit, std::span<const std::uint64_t> payload) {
        counts_[unit] = to_count(payload);
        resumed_leaves_ += counts_[unit].approximate() * split_.paths_to(unit).approximate();
      },
      [this](std::size_t unit) {
        const auto words = to_words(counts_[unit]);
        return std::vector(words.begin(), words.end());
      });
  if (!kept) return kept.error();
  kept_ = std::move(kept).value();
  return std::nullopt;
}

Result<double> RangeJob::count(UnitSource& source, const std::stop_token& stop) {
  auto idle_seconds = for_each_unit(
      source,
      {.workers = workers_, .stop = stop, .progress = progress_, .kept = kept_ ? &*kept_ : nullptr},
      [this](std::size_t unit, const UnitWorker& worker) { return count_unit(unit, worker); });
  // What a stopped job has stored is true; after any other failure nobody shall rely on it.
  if (!idle_seconds && idle_seconds.error().code != ErrorCode::kCancelled) failed_ = true;
  return idle_seconds;
}

std::optional<Error> RangeJob::count_unit(std::size_t unit, const UnitWorker& worker) {
  const Board& board = split_.boards[unit];
  NodeCount nodes;
  std::uint64_t visited = 0;
  if (tables_) {
    HashStats& stats = worker_stats_[static_cast<std::size_t>(worker.number)].stats;
    const std::uint64_t visited_before = stats.visited;
    nodes = tables_->count(board, unit_depth_, kernels_, worker.number, worker.stop, stats);
    visited = stats.visited - visited_before;
  } else {
    CountStats stats;
    nodes = count_board(board, unit_depth_, kernels_.plain, worker.stop, stats);
    visited = stats.visited;
  }
  if (worker.stop.stop_requested()) return cancelled();
  counts_[unit] = nodes;
  worker.progress.visited.add(visited);
  worker.progress.leaves.add(nodes.approximate() * split_.paths_to(unit).approximate());
  return std::nullopt;
}

std::vector<DivideEntry> RangeJob::sum(std::span<const std::uint32_t> units) const {
  return sum_by_root_move(split_, counts_, units);
}

HashStats RangeJob::stats() const {
  HashStats stats;
  for (const WorkerStats& worker : worker_stats_) stats += worker.stats;
  return stats;
}

double RangeJob::false_matches_so_far() const {
  return false_matches_before_ +
         expected_false_matches(stats(), spec_.hash->keys.bits, tables_->index_bits());
}

std::optional<HashReport> RangeJob::hash_report() const {
  if (!tables_) return std::nullopt;
  HashReport hash;
  hash.plan = tables_->plan();
  hash.bytes = hash.plan.total_bytes(workers_.count());
  hash.stripes = spec_.hash->stripes;
  hash.keys = spec_.hash->keys;
  hash.effective_deep_bits = tables_->effective_deep_bits();
  hash.effective_window_bits = tables_->effective_window_bits();
  hash.deep_fill = tables_->deep().fill();
  hash.stats = stats();
  hash.expected_false_matches = false_matches_so_far();
  hash.reused = reused_;
  return hash;
}

}  // namespace manyply

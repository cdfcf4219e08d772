#include "parallel/range_job.h"

#include <utility>

#include "core/counting.h"
#include "parallel/stopwatch.h"

namespace manyply {

Result<std::unique_ptr<RangeJob>> RangeJob::prepare(const JobSpec& spec, Workers workers,
                                                    const JobUnits& units,
                                                    const std::stop_token& stop,
                                                    Progress& progress) {
  std::unique_ptr<RangeJob> job(new RangeJob(spec, std::move(workers), units, progress));
  if (auto error = job->prepare(stop)) return *std::move(error);
  return job;
}

RangeJob::RangeJob(const JobSpec& spec, Workers workers, const JobUnits& units, Progress& progress)
    : spec_(spec),
      kernels_(spec.kernel != nullptr ? *spec.kernel : best_kernel()),
      workers_(std::move(workers)),
      progress_(progress),
      units_(units),
      unit_depth_(spec.depth.plies() - units.ply()),
      counts_(units.size()),
      worker_stats_(static_cast<std::size_t>(workers_.count())) {}

RangeJob::~RangeJob() {
  if (spec_.keeper == nullptr || !tables_ || failed_) return;
  const double false_matches = false_matches_so_far();
  spec_.keeper->put({std::move(tables_), false_matches});
}

std::optional<Error> RangeJob::prepare(const std::stop_token& stop) {
  const bool hashed = spec_.hash && spec_.depth.plies() >= kMinHashedDepth &&
                      unit_depth_ >= HashedKernel::kMinDepth && units_.size() > 0;
  if (hashed) {
    if (auto error = allocate_tables(stop)) return error;
  }
  // A split that was stopped is another job's split: nothing may be stored under it.
  if (stop.stop_requested()) return cancelled();
  if (auto error = open_store()) return error;
  progress_.start(workers_.count(), units_.size(), resumed_units());
  progress_.worker(0).visited.add(units_.generated());
  return std::nullopt;
}

std::optional<Error> RangeJob::allocate_tables(const std::stop_token& stop) {
  const Stopwatch watch;
  const TablePlan plan = plan_tables(*spec_.hash, units_.shape(), unit_depth_, workers_.count(),
                                     available_memory_bytes());
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
  hold_all();
  const int key_bits = spec_.hash ? spec_.hash->keys.bits : KeySpec::kMaxBits;
  auto kept = KeptUnits::open(
      *spec_.store,
      {.identity = job_identity(spec_.root.position, spec_.depth, *units_.root_split(), key_bits),
       .units = units_.size(),
       .what = job_text(spec_.root, spec_.depth, key_bits)},
      [this](std::size_t unit, std::span<const std::uint64_t> payload) {
        counts_[unit] = to_count(payload);
        resumed_leaves_ += counts_[unit].approximate() * units_.paths_to(unit).approximate();
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
  const Board board = units_.board(unit);
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
  worker.progress.leaves.add(nodes.approximate() * units_.paths_to(unit).approximate());
  return std::nullopt;
}

void RangeJob::add(UnitSource& source, std::vector<UnitSpan> parts, UnitSource::OnPart on_part) {
  UnitOrder order;
  std::vector<std::size_t> part_end;
  for (std::size_t part = 0; part < parts.size();) {
    UnitSpan piece{.begin = parts[part].begin, .end = parts[part].begin};
    const std::size_t before = order.units.size();
    for (; part < parts.size() && parts[part].begin == piece.end; ++part) {
      piece.end = parts[part].end;
      part_end.push_back(before + piece.size());
    }
    units_.append_to(order, piece);
  }
  for (const UnitSpan& part : parts) counts_.hold(part);
  source.add(std::move(order), std::move(part_end),
             [this, parts = std::move(parts), on_part = std::move(on_part)](std::size_t part) {
               on_part(part);
               counts_.release(parts[part]);
             });
}

std::vector<NodeCount> RangeJob::sum(const UnitSpan& units) const {
  std::vector<NodeCount> sums(units_.sums());
  for (std::size_t unit = units.begin; unit < units.end; ++unit)
    units_.add_paths(unit, counts_[unit], sums);
  return sums;
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

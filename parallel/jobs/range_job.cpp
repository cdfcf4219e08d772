#include "parallel/jobs/range_job.h"

#include <utility>

#include "core/base/stopwatch.h"
#include "core/counting.h"

namespace manyply {
Result<std::unique_ptr<RangeJob>> RangeJob::prepare(const JobSpec& spec, Workforce by,
                                                    const JobUnits& units) {
  std::unique_ptr<RangeJob> job(new RangeJob(spec, std::move(by), units));
  if (auto error = job->prepare()) return *std::move(error);
  return job;
}

RangeJob::RangeJob(const JobSpec& spec, Workforce by, const JobUnits& units)
    : spec_(spec),
      by_(std::move(by)),
      kernels_(by_.kernel()),
      units_(units),
      unit_depth_(spec.depth.plies() - units.ply()),
      counts_(units.size()),
      worker_stats_(static_cast<std::size_t>(by_.count())) {}

RangeJob::~RangeJob() {
  if (spec_.keeper == nullptr || !tables_ || failed_) return;
  const double false_matches = false_matches_so_far();
  spec_.keeper->put({std::move(tables_), false_matches});
}

std::optional<Error> RangeJob::prepare() {
  const bool hashed = spec_.hash && spec_.depth.plies() >= kMinHashedDepth &&
                      unit_depth_ >= HashedKernel::kMinDepth && units_.size() > 0;
  if (hashed && !by_.stopped()) {
    if (auto error = allocate_tables()) return error;
  }
  // A stopped split may be too shallow. Do not open the store with the units of such a split,
  // because the job will be resumed with other units.
  if (by_.stopped()) return cancelled();
  if (auto error = open_store()) return error;
  by_.progress().start(by_.count(), units_.size(), resumed_units(),
                       tables_ ? kHashedSpeedUp : kBiggestFirstSpeedUp);
  by_.progress().worker(0).visited.add(units_.generated());
  return std::nullopt;
}

std::optional<Error> RangeJob::allocate_tables() {
  const Stopwatch watch;
  const int workers = by_.count();
  const TablePlan plan = plan_tables(*spec_.hash, units_.shape(), unit_depth_, workers,
                                     machine_for(*spec_.hash, workers));
  if (spec_.keeper != nullptr) {
    TableKeeper::Kept kept = spec_.keeper->take(plan, *spec_.hash, by_.workers());
    if (kept.tables) {
      tables_ = std::move(kept.tables);
      false_matches_before_ = kept.expected_false_matches;
      reused_ = true;
      return std::nullopt;
    }
  }
  by_.progress().enter(Step::kSettingUp, plan.touched_bytes(workers));
  auto tables = JobTables::allocate(plan, *spec_.hash, by_.workers(), by_.stop(),
                                    &by_.progress().bytes_set_up());
  if (!tables) return tables.error();
  tables_ = std::move(tables).value();
  if (spec_.trace != nullptr && spec_.trace->on_tables) spec_.trace->on_tables(*tables_);
  setup_seconds_ = watch.seconds();
  return std::nullopt;
}

std::optional<Error> RangeJob::open_store() {
  if (spec_.store == nullptr) return std::nullopt;
  const int key_bits = spec_.hash ? spec_.hash->keys.bits : KeySpec::kMaxBits;
  auto kept = KeptUnits::open(
      *spec_.store,
      {.identity = job_identity(spec_.root.position, spec_.depth, units_.root_split(), key_bits),
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

std::optional<Error> RangeJob::count(const UnitOrder& order, const std::stop_token& stop,
                                     bool alone) {
  const Workforce by = by_.stopped_by(stop);
  const UnitRun run{.by = by,
                    .teams = tables_ ? tables_->plan().windows_of(by_.count()) : 0,
                    .kept = kept_ ? &*kept_ : nullptr,
                    .alone = alone};
  auto error = for_each_unit(order, run, [this](std::size_t unit, const UnitWorker& worker) {
    return count_unit(unit, worker);
  });
  // Entries that a cancelled job has stored are correct. After any other error, the tables must not
  // be used again.
  if (error && error->code != ErrorCode::kCancelled) failed_ = true;
  return error;
}

Result<NodeCount> RangeJob::count_at(const Board& board, int depth, const UnitWorker& worker) {
  NodeCount nodes;
  std::uint64_t visited = 0;
  if (tables_) {
    HashStats& stats = worker_stats_[static_cast<std::size_t>(worker.number)].stats;
    const std::uint64_t visited_before = stats.visited;
    nodes = tables_->count(board, depth, kernels_, worker.number, worker.stop, stats);
    visited = stats.visited - visited_before;
  } else {
    CountStats stats;
    nodes = count_board(board, depth, kernels_.plain, worker.stop, stats);
    visited = stats.visited;
  }
  if (worker.stop.stop_requested()) return cancelled();
  worker.progress.visited.add(visited);
  return nodes;
}

std::optional<Error> RangeJob::count_unit(std::size_t unit, const UnitWorker& worker) {
  const Result<NodeCount> nodes = count_at(units_.board(unit), unit_depth_, worker);
  if (!nodes) return nodes.error();
  counts_[unit] = *nodes;
  worker.progress.leaves.add(nodes->approximate() * units_.paths_to(unit).approximate());
  return std::nullopt;
}

std::vector<NodeCount> RangeJob::sum(const UnitSpan& units) const {
  std::vector<NodeCount> sums(units_.root_moves().size());
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
  hash.bytes = hash.plan.total_bytes(by_.count());
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

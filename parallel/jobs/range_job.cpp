#include "parallel/jobs/range_job.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "core/base/stopwatch.h"
#include "core/counting.h"

namespace manyply {
namespace {

constexpr int kMinUnitDepth = 3;
/// Neighbouring units are similar, so this number of evenly spread units represents all units.
constexpr std::size_t kWeighedUnits = 65'536;

/// Makes the units of one root, at any ply.
struct UnitMaker {
  const Position& root;
  const Depth depth;
  const Workforce& by;

  [[nodiscard]] Result<JobUnits> at(int ply) const {
    RootSplit split =
        split_root(root, depth, by.kernel(), split_at(depth, ply), by.stop(), by.workers());
    if (by.stopped()) return cancelled();  // a stopped split may be too shallow
    UnitOrder order = grouped_for_window(split, depth.plies() - split.ply);
    return JobUnits(std::move(split), std::move(order));
  }
};

/// Cumulative weights of the units.
class WeightSums {
 public:
  explicit WeightSums(const UnitWeights& weights) : weights_(weights) {
    MANYPLY_CHECK(weights.of_step.size() == (weights.units + weights.step - 1) / weights.step);
    double sum = 0;
    for (std::size_t i = 0; i < weights.of_step.size(); ++i) {
      before_.push_back(sum);
      const std::size_t units = std::min(weights.step, weights.units - i * weights.step);
      sum += static_cast<double>(weights.of_step[i]) * static_cast<double>(units);
    }
    before_.push_back(sum);
  }

  /// Returns the weight of all units before `unit`.
  [[nodiscard]] double before(std::size_t unit) const {
    if (unit >= weights_.units) return before_.back();
    const std::size_t step = unit / weights_.step;
    return before_[step] +
           static_cast<double>(unit % weights_.step) * static_cast<double>(weights_.of_step[step]);
  }
  /// Returns the first unit for which the weight of all earlier units is at least `weight`.
  [[nodiscard]] std::size_t unit_at(double weight) const {
    const auto after = std::ranges::lower_bound(before_, weight);
    if (after == before_.begin()) return 0;
    const auto step = static_cast<std::size_t>(after - before_.begin()) - 1;
    if (step >= weights_.of_step.size()) return weights_.units;
    const double more = (weight - before_[step]) / static_cast<double>(weights_.of_step[step]);
    return std::min(weights_.units,
                    step * weights_.step + static_cast<std::size_t>(std::ceil(more)));
  }

 private:
  const UnitWeights& weights_;
  std::vector<double> before_;  // one for each step, and the total
};

/// Looks at the units between `low` and `high` that begin a group. Returns the one nearest to
/// `unit`, or `unit` itself if no unit there begins a group.
std::size_t nearest_group(const JobUnits& units, std::size_t unit, std::size_t low,
                          std::size_t high) {
  if (unit >= units.size()) return unit;
  const std::size_t group = units.group_of(unit);
  const std::size_t before = units.group_begin(group);
  if (before == unit) return unit;
  const std::size_t after = group + 1 < units.groups() ? units.group_begin(group + 1) : high;
  const bool early = before > low;
  const bool late = after < high;
  if (early && (!late || unit - before < after - unit)) return before;
  return late ? after : unit;
}

}  // namespace

JobUnits::JobUnits(RootSplit split, UnitOrder order)
    : split_(std::move(split)), order_(std::move(order)) {
  MANYPLY_CHECK(order_.units.size() == split_.size());
}

std::size_t JobUnits::group_of(std::size_t unit) const {
  const std::vector<std::size_t>& begins = order_.group_begin;
  return static_cast<std::size_t>(std::ranges::upper_bound(begins, unit) - begins.begin()) - 1;
}

void JobUnits::add_paths(std::size_t unit, NodeCount count, std::span<NodeCount> sums) const {
  for (const auto& [root_move, paths] : split_.shares_of(order_.units[unit]))
    sums[root_move] += paths * count;
}

UnitOrder JobUnits::order_of(const UnitSpan& units) const {
  UnitOrder range = range_of(order_, units.begin, units.end);
  std::iota(range.units.begin(), range.units.end(), static_cast<std::uint32_t>(units.begin));
  return range;
}

SplitLimits split_at(Depth depth, int ply) {
  constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  return {.enough_units = kNever,
          .good_unit_depth = 0,
          .most_units = kNever,
          .min_unit_depth = depth.plies() - ply};
}

Result<JobUnits> units_for_ranges(const Position& root, Depth depth, const PlannedUnits& units,
                                  const Workforce& by) {
  MANYPLY_CHECK(depth.plies() >= kMinPlannedDepth);
  const UnitMaker maker{root, depth, by};
  const int first = depth.plies() % 2 == 0 ? 1 : 2;  // an odd number of plies is left below units
  Result<JobUnits> made = maker.at(first);
  if (!made) return made;
  const auto enough = [&] {
    const int unit_depth = depth.plies() - made->ply();
    return made->size() == 0 || unit_depth - 2 < kMinUnitDepth ||
           (unit_depth <= kGoodUnitDepth && made->size() >= units.enough);
  };
  double growth = made->shape().growth * made->shape().growth;  // over two plies
  while (!enough()) {
    // The next two plies grow about as much as the last two plies. Skip a split that would clearly
    // be too large. A split that is not skipped may still turn out too large.
    const auto size = static_cast<double>(made->size());
    if (size * growth > 2 * static_cast<double>(units.most)) break;
    Result<JobUnits> deeper = maker.at(made->ply() + 2);
    if (!deeper) return deeper;
    if (deeper->size() > units.most) break;
    growth = deeper->shape().growth * deeper->shape().growth;
    made = std::move(deeper);
  }
  return made;
}

Result<UnitWeights> unit_weights(const JobUnits& units, Depth depth, const Workforce& by) {
  const int plies = std::min(3, depth.plies() - units.ply());
  UnitWeights weights{.units = units.size(), .step = units.size() / kWeighedUnits + 1};
  CountStats unused;
  for (std::size_t unit = 0; unit < units.size(); unit += weights.step) {
    if (by.stopped()) return cancelled();
    // Even a unit without paths takes some time.
    const std::uint64_t paths = by.kernel().count(units.board(unit), plies, {}, unused);
    weights.of_step.push_back(std::max(static_cast<float>(paths), 1.0F));
  }
  return weights;
}

std::vector<PlannedRange> cut_into_ranges(const JobUnits& units, const UnitWeights& weights,
                                          std::size_t ranges) {
  MANYPLY_CHECK(ranges >= 1 && weights.units == units.size());
  const WeightSums sums(weights);
  const std::size_t wanted = std::min(ranges, units.size());
  std::vector<PlannedRange> cut;
  const auto ideal = [&](double range) {  // the beginning of `range` if all ranges had equal weight
    return sums.unit_at(sums.before(units.size()) * range / static_cast<double>(wanted));
  };
  for (std::size_t range = 0, begin = 0; range < wanted; ++range) {
    const auto number = static_cast<double>(range);
    std::size_t end = units.size();
    if (range + 1 < wanted) {
      end = nearest_group(units, ideal(number + 1), ideal(number + 0.5), ideal(number + 1.5));
      // Each range needs at least one unit.
      end = std::clamp(end, begin + 1, units.size() - (wanted - range - 1));
    }
    cut.push_back({.first = begin,
                   .units = static_cast<std::uint32_t>(end - begin),
                   .weight = sums.before(end) - sums.before(begin)});
    begin = end;
  }
  return cut;
}

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
      [this](std::size_t unit) { return to_words(counts_[unit]); });
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

std::optional<Error> RangeJob::count_unit(std::size_t unit, const UnitWorker& worker) {
  const Board& board = units_.board(unit);
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

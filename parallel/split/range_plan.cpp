#include "parallel/split/range_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "parallel/units/unit_queue.h"

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
  const int first = depth.plies() % 2 == 0 ? 1 : 2;  // leaves units an odd number of plies
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

}  // namespace manyply

#include "parallel/range_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/known_values.h"
#include "parallel/unit_order.h"
#include "parallel/unit_runner.h"
#include "parallel/unit_store.h"

namespace manyply {
namespace {

constexpr int kMinUnitDepth = 3;
/// A window works inside units of so many plies. Making units of fewer costs more than they save
/// where few ranges are cut (README.md, "Ranges").
constexpr int kGoodUnitDepth = 5;
/// Neighbours are alike: so many of them, evenly spread, tell enough of all.
constexpr std::size_t kWeighedUnits = 65'536;

/// perft(8) visits 10.6 million positions, perft(9), of 28.7 times as many leaves, 113.7 million.
constexpr double kVisitedOfPerft9 = 113.7e6;
constexpr double kLeavesOfPerft9 = 2'439'530'234'167;
constexpr double kVisitedByLeaves = 0.7;

std::uint64_t paths_below(const Board& board, int depth, const Kernel& kernel) {
  CountStats unused;
  return kernel.count(board, depth, {}, unused);
}

}  // namespace

SplitLimits split_at(Depth depth, int ply) {
  constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  return {.enough_units = kNever,
          .good_unit_depth = 0,
          .most_units = kNever,
          .min_unit_depth = depth.plies() - ply};
}

RootSplit split_for_ranges(const Position& root, Depth depth, const Kernel& kernel,
                           const PlannedUnits& units, int workers, const std::stop_token& stop) {
  MANYPLY_CHECK(depth.plies() >= kMinPlannedDepth);
  const auto split_to = [&](int ply) {
    return split_root(root, depth, kernel, split_at(depth, ply), stop, workers);
  };
  const int first = depth.plies() % 2 == 0 ? 1 : 2;  // leaves an odd number
  RootSplit split = split_to(first);
  const auto enough = [&] {
    const int unit_depth = depth.plies() - split.ply;
    return split.size() == 0 || unit_depth - 2 < kMinUnitDepth ||
           (unit_depth <= kGoodUnitDepth && split.size() >= units.enough);
  };
  while (!stop.stop_requested() && !enough()) {
    // Two plies more grow about as the last one did, twice. What that says is too much must not be
    // made, and what is made may still be.
    const double guess = static_cast<double>(split.size()) * split.growth * split.growth;
    if (guess > 2 * static_cast<double>(units.most)) break;
    RootSplit deeper = split_to(split.ply + 2);
    if (deeper.size() > units.most) break;
    split = std::move(deeper);
  }
  return split;
}

UnitOrder order_for_ranges(const RootSplit& split, Depth depth) {
  return grouped_for_window(split, depth.plies() - split.ply);
}

Hash128 plan_identity(const Position& root, Depth depth, const RootSplit& split,
                      const UnitOrder& order) {
  constexpr std::uint64_t kVersion = 1;
  Hash128 print = job_identity(root, depth, split, 0);
  // Block by block, each with the print of those before it: all of it at once may be gigabytes.
  constexpr std::size_t kUnitsInBlock = 4'096;
  std::vector<std::uint64_t> words;
  for (std::size_t place = 0; place < order.units.size(); place += kUnitsInBlock) {
    words.assign({kVersion, print.low, print.high});
    for (std::size_t i = place; i < std::min(place + kUnitsInBlock, order.units.size()); ++i) {
      words.push_back(order.units[i]);
      for (const RootSplit::Share& share : split.shares_of(order.units[i])) {
        words.insert(words.end(), {share.root_move, share.paths.low(), share.paths.high()});
      }
    }
    print = xxh3_128(std::as_bytes(std::span(words)));
  }
  return print;
}

Result<std::vector<float>> unit_weights(const RootSplit& split, const UnitOrder& order, Depth depth,
                                        const Kernel& kernel, const std::stop_token& stop) {
  const int plies = std::min(3, depth.plies() - split.ply);
  const std::size_t step = order.units.size() / kWeighedUnits + 1;
  std::vector<float> weights(order.units.size());
  for (std::size_t place = 0; place < weights.size(); place += step) {
    if (stop.stop_requested()) return cancelled();
    const auto weight =
        static_cast<float>(paths_below(split.boards[order.units[place]], plies, kernel));
    // Even a unit without a path takes its time.
    std::fill_n(weights.begin() + static_cast<std::ptrdiff_t>(place),
                std::min(step, weights.size() - place), std::max(weight, 1.0F));
  }
  return weights;
}

std::vector<PlannedRange> cut_into_ranges(const UnitOrder& order, const std::vector<float>& weights,
                                          std::size_t ranges) {
  MANYPLY_CHECK(weights.size() == order.units.size() && ranges >= 1);
  const std::size_t units = order.units.size();
  std::vector<double> before(units + 1);  // the weight of the places before each
  for (std::size_t place = 0; place < units; ++place)
    before[place + 1] = before[place] + weights[place];

  const std::size_t wanted = std::min(ranges, units);
  std::vector<PlannedRange> cut;
  const auto ideal = [&](double range) {  // where it would begin if all were equal
    const double weight = before[units] * range / static_cast<double>(wanted);
    return static_cast<std::size_t>(std::ranges::lower_bound(before, weight) - before.begin());
  };
  for (std::size_t range = 0, begin = 0; range < wanted; ++range) {
    const auto number = static_cast<double>(range);
    std::size_t end = range + 1 == wanted ? units : ideal(number + 1);
    if (range + 1 < wanted) {
      // The nearest place where a group ends, if that is nearer than half a range.
      const std::size_t low = ideal(number + 0.5);
      const std::size_t high = ideal(number + 1.5);
      const auto after = std::ranges::lower_bound(order.group_begin, end);
      std::optional<std::size_t> nearest;
      if (after != order.group_begin.end() && *after < high) nearest = *after;
      if (after != order.group_begin.begin()) {
        const std::size_t earlier = *std::prev(after);
        if (earlier > low && (!nearest || end - earlier < *nearest - end)) nearest = earlier;
      }
      end = nearest.value_or(end);
      // Each range has a unit, and leaves one to each that comes after it.
      end = std::clamp(end, begin + 1, units - (wanted - range - 1));
    }
    const auto size = static_cast<std::uint32_t>(end - begin);
    cut.push_back({.first = begin,
                   .units = size,
                   .batches = std::clamp(size / kUnitsWorthABatch, 1U, kMostBatches),
                   .weight = before[end] - before[begin]});
    begin = end;
  }
  return cut;
}

Result<SplitCheck> check_split(const RootSplit& split, const Position& root, const Kernel& kernel,
                               const Workers& workers, const std::stop_token& stop) {
  const auto count = static_cast<std::size_t>(workers.count());
  std::vector<SplitCheck> sums(count);  // by worker
  Progress unwatched;
  unwatched.start(workers.count(), split.size());
  const Result<double> done = for_each_unit(
      ascending_order(split.size()), {.workers = workers, .stop = stop, .progress = unwatched},
      [&](std::size_t unit, const UnitWorker& worker) -> std::optional<Error> {
        SplitCheck& sum = sums[static_cast<std::size_t>(worker.number)];
        const NodeCount paths = split.paths_to(unit);
        sum.paths += paths;
        sum.deeper += paths * NodeCount(paths_below(split.boards[unit], 2, kernel));
        return std::nullopt;
      });
  if (!done) return done.error();
  SplitCheck check;
  for (const SplitCheck& sum : sums) {
    check.paths += sum.paths;
    check.deeper += sum.deeper;
  }
  check.known = known_value(root, Depth(split.ply));
  if (split.ply + 2 <= Depth::kMax) check.known_deeper = known_value(root, Depth(split.ply + 2));
  return check;
}

double expected_visited(const SplitCheck& check, int split_ply, Depth depth) {
  const double deeper = check.deeper.approximate();
  const double growth = std::sqrt(deeper / std::max(check.paths.approximate(), 1.0));
  const double leaves = deeper * std::pow(growth, depth.plies() - split_ply - 2);
  return kVisitedOfPerft9 * std::pow(leaves / kLeavesOfPerft9, kVisitedByLeaves);
}

}  // namespace manyply

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/fen.h"
#include "core/known_values.h"
#include "parallel/jobs/range_job.h"
#include "parallel/units/unit_runner.h"
#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"
#include "tests/support/kernels_here.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

Position position(std::string_view fen) { return parse_position(fen).value().position; }

JobUnits units_of(std::string_view fen, int depth, const PlannedUnits& units) {
  return units_for_ranges(position(fen), Depth(depth), units, Workforce(Workers(2))).value();
}

JobUnits units_of(std::string_view fen, int depth, std::size_t most_units) {
  return units_of(fen, depth, {.enough = most_units, .most = most_units});
}

TEST(RangePlan, IsNotSplitFurtherWhereUnitsOfFivePliesAreEnough) {
  const auto ply = [&](int depth, const PlannedUnits& units) {
    return units_of(kStartFen, depth, units).ply();
  };
  EXPECT_EQ(ply(7, {.enough = 400}), 2);
  EXPECT_EQ(ply(7, {.enough = 401}), 4);
  EXPECT_EQ(ply(7, {.enough = 401, .most = 5'000}), 2);
  EXPECT_EQ(ply(8, {.enough = 20}), 3);  // seven plies would be too many
  EXPECT_EQ(ply(8, {.enough = 20, .most = 100}), 1);
}

TEST(RangePlan, ManyAreSplitAtTheDeepestPlyThatLeavesAnOddNumberAndIsNotTooMany) {
  const auto units = [&](int depth, std::size_t most) { return units_of(kStartFen, depth, most); };
  EXPECT_EQ(units(4, 1'000'000).ply(), 1);
  EXPECT_EQ(units(6, 1'000'000).ply(), 3);
  EXPECT_EQ(units(6, 5'362).size(), 5'362U);
  EXPECT_EQ(units(6, 5'361).ply(), 1);
  EXPECT_EQ(units(7, 1'000'000).ply(), 4);
  EXPECT_EQ(units(7, 72'077).ply(), 2);
  EXPECT_EQ(units(7, 1).ply(), 2);  // and never none
  EXPECT_EQ(units_of("8/8/8/8/8/4k3/8/4K3 w - - 0 1", 20, 1'000'000).ply(), 17);
  EXPECT_EQ(units_of("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 5, 1'000'000).size(), 0U);
  EXPECT_THROW((void)units(3, 1), BugError);
}

TEST(RangePlan, IsTheSameForEveryThreadCountAndKernel) {
  const Position root = position(kKiwipeteFen);
  constexpr Depth kPlannedDepth(5);
  const JobUnits first = units_for_ranges(root, kPlannedDepth, {}, Workforce(Workers(2))).value();
  for (const Kernel* kernel : kernels_here()) {
    for (const int threads : {1, 3}) {
      const JobUnits units =
          units_for_ranges(root, kPlannedDepth, {}, Workforce(Workers(threads), kernel)).value();
      ASSERT_EQ(units.size(), first.size()) << kernel->name;
      for (std::size_t unit = 0; unit < units.size(); ++unit) {
        ASSERT_EQ(units.board(unit), first.board(unit)) << kernel->name;
        ASSERT_EQ(units.paths_to(unit), first.paths_to(unit)) << kernel->name;
      }
    }
  }
  const Workforce stopped(Workers(1), nullptr, stopped_before());
  EXPECT_EQ(units_for_ranges(root, kPlannedDepth, {}, stopped).error().code, ErrorCode::kCancelled);
}

/// Returns groups with these numbers of units. The units have no other content.
JobUnits groups_of(const std::vector<std::size_t>& sizes) {
  RootSplit split;
  split.boards.resize(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  UnitOrder order = ascending_order(split.boards.size());
  order.group_begin.resize(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), order.group_begin.begin(), std::size_t{0});
  return {std::move(split), std::move(order)};
}

void expect_whole(const std::vector<PlannedRange>& ranges, std::size_t units) {
  std::uint64_t next = 0;
  for (const PlannedRange& range : ranges) {
    EXPECT_EQ(range.first, next);
    ASSERT_GT(range.units, 0U);
    next += range.units;
  }
  EXPECT_EQ(next, units);
}

TEST(RangePlan, CutsWhereGroupsEnd) {
  const JobUnits groups = groups_of({30, 28, 33, 29, 31, 29});
  const UnitWeights by_sample{.units = 180, .step = 7, .of_step = std::vector<float>(26, 1.0F)};
  for (const UnitWeights& weights : {equal_weights(180), by_sample}) {
    const auto ranges = cut_into_ranges(groups, weights, 3);
    expect_whole(ranges, 180);
    ASSERT_EQ(ranges.size(), 3U);
    EXPECT_EQ(ranges[1].first, 58U);
    EXPECT_EQ(ranges[2].first, 120U);
    EXPECT_DOUBLE_EQ(ranges[1].weight, 62);
  }
}

TEST(RangePlan, CutsGroupsThatAreLargerThanRanges) {
  const auto ranges = cut_into_ranges(groups_of({1'000}), equal_weights(1'000, 2), 4);
  expect_whole(ranges, 1'000);
  ASSERT_EQ(ranges.size(), 4U);
  for (const PlannedRange& range : ranges) {
    EXPECT_EQ(range.units, 250U);
    EXPECT_DOUBLE_EQ(range.weight, 500);
  }
}

TEST(RangePlan, CutsByWeight) {
  UnitWeights weights = equal_weights(1'000);
  std::fill_n(weights.of_step.begin(), 100, 9.0F);
  const auto ranges = cut_into_ranges(groups_of(std::vector<std::size_t>(1'000, 1)), weights, 18);
  expect_whole(ranges, 1'000);
  for (const PlannedRange& range : ranges) EXPECT_NEAR(range.weight, 100, 10);
}

TEST(RangePlan, EveryRangeHasAUnitHoweverManyAreWanted) {
  for (const std::size_t units : {1U, 2U, 7U, 100U}) {
    for (const std::size_t wanted : {1U, 2U, 6U, 7U, 99U, 1'000U}) {
      UnitWeights weights = equal_weights(units);
      weights.of_step.front() = 1e6F;  // all the weight in one place
      const auto ranges = cut_into_ranges(groups_of({units}), weights, wanted);
      expect_whole(ranges, units);
      EXPECT_EQ(ranges.size(), std::min(units, wanted));
    }
  }
}

TEST(RangePlan, WeightsOfASampleAreThoseOfAllAbout) {
  const JobUnits units = units_of(kStartFen, 7, 1'000'000);
  const UnitWeights weights = unit_weights(units, Depth(7), Workforce(Workers(1))).value();
  ASSERT_EQ(weights.units, units.size());
  ASSERT_EQ(weights.of_step.size(), (units.size() + weights.step - 1) / weights.step);
  ASSERT_GT(weights.step, 1U);
  NodeCount paths;
  CountStats unused;
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    paths += best_kernel().count(units.board(unit), 3, {}, unused);
  const auto whole = cut_into_ranges(units, weights, 1);
  EXPECT_NEAR(whole.at(0).weight / paths.approximate(), 1, 0.05);
  const Workforce stopped(Workers(1), nullptr, stopped_before());
  EXPECT_EQ(unit_weights(units, Depth(7), stopped).error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace manyply

#include "parallel/split/range_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/fen.h"
#include "core/known_values.h"
#include "parallel/units/unit_source.h"
#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"

namespace manyply {
namespace {

Position position(std::string_view fen) { return parse_position(fen).value().position; }

JobUnits units_of(std::string_view fen, int depth, const PlannedUnits& units) {
  return units_for_ranges(position(fen), Depth(depth), units, Workforce(Workers(2))).value();
}

JobUnits units_of(std::string_view fen, int depth, std::size_t most_units,
                  UnitStorage storage = UnitStorage::kByRootMove) {
  return units_of(fen, depth, {.enough = most_units, .most = most_units, .storage = storage});
}

TEST(RangePlan, IsNotSplitFurtherWhereUnitsOfFivePliesAreEnough) {
  for (const UnitStorage storage : kStorages) {
    const auto ply = [&](int depth, PlannedUnits units) {
      units.storage = storage;
      return units_of(kStartFen, depth, units).ply();
    };
    EXPECT_EQ(ply(7, {.enough = 400}), 2);
    EXPECT_EQ(ply(7, {.enough = 401}), 4);
    EXPECT_EQ(ply(7, {.enough = 401, .most = 5'000}), 2);
    EXPECT_EQ(ply(8, {.enough = 20}), 3);  // seven plies are too many
    EXPECT_EQ(ply(8, {.enough = 20, .most = 100}), 1);
  }
}

TEST(RangePlan, ManyAreSplitAtTheDeepestPlyThatLeavesAnOddNumberAndIsNotTooMany) {
  for (const UnitStorage storage : kStorages) {
    const auto units = [&](int depth, std::size_t most) {
      return units_of(kStartFen, depth, most, storage);
    };
    EXPECT_EQ(units(4, 1'000'000).ply(), 1);
    EXPECT_EQ(units(6, 1'000'000).ply(), 3);
    EXPECT_EQ(units(6, 5'362).size(), 5'362U);
    EXPECT_EQ(units(6, 5'361).ply(), 1);
    EXPECT_EQ(units(7, 1'000'000).ply(), 4);
    EXPECT_EQ(units(7, 72'077).ply(), 2);
    EXPECT_EQ(units(7, 1).ply(), 2);  // and never none
    EXPECT_EQ(units_of("8/8/8/8/8/4k3/8/4K3 w - - 0 1", 20, 1'000'000, storage).ply(), 17);
    EXPECT_EQ(units_of("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 5, 1'000'000, storage).size(), 0U);
    EXPECT_THROW((void)units(3, 1), BugError);
  }
}

TEST(RangePlan, IsTheSameForEveryThreadCountAndKernel) {
  const Position root = position(kKiwipeteFen);
  constexpr Depth kDepth(5);
  for (const UnitStorage storage : kStorages) {
    std::optional<Hash128> identity;
    for (const Kernel& kernel : all_kernels()) {
      if (!runs_here(kernel)) continue;
      for (const int threads : {1, 3}) {
        const JobUnits units = units_for_ranges(root, kDepth, {.storage = storage},
                                                Workforce(Workers(threads), &kernel))
                                   .value();
        const Hash128 print = plan_identity(root, kDepth, units);
        EXPECT_EQ(print, identity.value_or(print)) << kernel.name;
        identity = print;
      }
    }
  }
}

TEST(RangePlan, IdentityKnowsDepthOrderAndPaths) {
  const Position root = position(kKiwipeteFen);
  const JobUnits made = units_of(kKiwipeteFen, 5, 1'000'000);
  RootSplit split = *made.root_split();
  UnitOrder order = grouped_for_window(split, 3);
  const auto print_of = [&](int depth) {
    return plan_identity(root, Depth(depth), JobUnits(split, order));
  };
  const Hash128 print = print_of(5);
  EXPECT_EQ(plan_identity(root, Depth(5), made), print);
  EXPECT_NE(print_of(7), print);
  std::swap(order.units[3], order.units[1'000]);
  EXPECT_NE(print_of(5), print);
  std::swap(order.units[3], order.units[1'000]);
  EXPECT_EQ(print_of(5), print);
  split.shares.back().paths += 1;
  EXPECT_NE(print_of(5), print);
}

// The same positions and paths, in an order that windows like, whether they are packed or not.
TEST(RangePlan, PackedUnitsAreThoseOfASplitByRootMove) {
  constexpr Depth kDepth(5);
  for (const std::string_view fen : {kStartFen, kKiwipeteFen}) {
    const JobUnits units = units_of(fen, kDepth.plies(), 1'000'000);
    const JobUnits packed = units_of(fen, kDepth.plies(), 1'000'000, UnitStorage::kPacked);
    ASSERT_EQ(packed.ply(), units.ply());
    ASSERT_EQ(packed.size(), units.size());
    EXPECT_EQ(packed.sums(), 1U);
    EXPECT_TRUE(packed.root_moves().empty());
    EXPECT_NE(plan_identity(position(fen), kDepth, packed),
              plan_identity(position(fen), kDepth, units));
    std::map<Board, NodeCount> paths;
    for (std::size_t unit = 0; unit < units.size(); ++unit)
      paths[units.board(unit)] = units.paths_to(unit);
    std::set<Pieces> seen;
    const auto waiting = [&](std::size_t unit) {
      const Board board = packed.board(unit);
      return board.of(~board.side_to_move);
    };
    std::size_t groups = 0;
    for (std::size_t unit = 0; unit < packed.size(); ++unit) {
      ASSERT_EQ(packed.paths_to(unit), paths.at(packed.board(unit)));
      if (unit > 0 && waiting(unit) == waiting(unit - 1)) continue;
      ASSERT_EQ(packed.group_begin(groups), unit);
      EXPECT_EQ(packed.group_of(unit), groups++);
      EXPECT_TRUE(seen.insert(waiting(unit)).second);  // each group once
    }
    EXPECT_EQ(packed.groups(), groups);
    EXPECT_TRUE(
        units_at(position(fen), kDepth, units.ply(), UnitStorage::kPacked, Workforce(Workers(1)))
            .ok());
    std::stop_source stop;
    stop.request_stop();
    for (const UnitStorage storage : kStorages) {
      EXPECT_EQ(units_at(position(fen), kDepth, units.ply(), storage,
                         Workforce(Workers(1), nullptr, stop.get_token()))
                    .error()
                    .code,
                ErrorCode::kCancelled);
    }
  }
}

/// Groups of these sizes, of units that are nothing else.
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
    ASSERT_GE(range.batches, 1U);
    EXPECT_LE(range.batches, kMostBatches);
    EXPECT_EQ(range.batch_begin(0), 0U);
    EXPECT_EQ(range.batch_begin(range.batches), range.units);
    for (std::uint32_t batch = 0; batch < range.batches; ++batch)
      EXPECT_LT(range.batch_begin(batch), range.batch_begin(batch + 1));
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
    EXPECT_EQ(range.batches, 3U);
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
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(
      unit_weights(units, Depth(7), Workforce(Workers(1), nullptr, stop.get_token())).error().code,
      ErrorCode::kCancelled);
}

TEST(RangePlan, TheSplitIsComparedWithPublishedValues) {
  const auto check_of = [](const JobUnits& units) {
    return check_split(units, position(kStartFen), Workforce(Workers(2))).value();
  };
  for (const UnitStorage storage : kStorages) {
    const JobUnits units = units_of(kStartFen, kIsFastBuild ? 7 : 6, 1'000'000, storage);
    const SplitCheck check = check_of(units);
    EXPECT_TRUE(check.known && check.known_deeper && check.agrees());
    EXPECT_EQ(check.deeper, known_value(position(kStartFen), Depth(units.ply() + 2)));
  }
  // What perft(8) and perft(9) visit, and what a prototype took for perft(13).
  const SplitCheck four{.paths = 197'281, .known = {}, .deeper = 119'060'324, .known_deeper = {}};
  for (const auto& [depth, visited] :
       {std::pair(8, 10.6e6), std::pair(9, 113.7e6), std::pair(13, 1.4e12)}) {
    const double factor = expected_visited(four, 4, Depth(depth)) / visited;
    EXPECT_GT(factor, 0.4) << depth;
    EXPECT_LT(factor, 2.5) << depth;
  }
  RootSplit split = *units_of(kStartFen, 6, 1'000'000).root_split();
  split.shares.front().paths += 1;
  const std::size_t units = split.size();
  EXPECT_FALSE(check_of(JobUnits(std::move(split), ascending_order(units))).agrees());
}

}  // namespace
}  // namespace manyply

#include "parallel/range_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "core/fen.h"
#include "core/known_values.h"
#include "parallel/range_job.h"
#include "tests/support/budget.h"

namespace manyply {
namespace {

Position position(std::string_view fen) { return parse_position(fen).value().position; }

RootSplit split_of(std::string_view fen, int depth, const PlannedUnits& units) {
  return split_for_ranges(position(fen), Depth(depth), best_kernel(), units, 2, {});
}

RootSplit split_of(std::string_view fen, int depth, std::size_t most_units) {
  return split_of(fen, depth, {.enough = most_units, .most = most_units});
}

TEST(RangePlan, IsNotSplitFurtherWhereUnitsOfFivePliesAreEnough) {
  EXPECT_EQ(split_of(kStartFen, 7, {.enough = 400}).ply, 2);
  EXPECT_EQ(split_of(kStartFen, 7, {.enough = 401}).ply, 4);
  EXPECT_EQ(split_of(kStartFen, 7, {.enough = 401, .most = 5'000}).ply, 2);
  EXPECT_EQ(split_of(kStartFen, 8, {.enough = 20}).ply, 3);  // seven plies are too many
  EXPECT_EQ(split_of(kStartFen, 8, {.enough = 20, .most = 100}).ply, 1);
}

TEST(RangePlan, ManyAreSplitAtTheDeepestPlyThatLeavesAnOddNumberAndIsNotTooMany) {
  EXPECT_EQ(split_of(kStartFen, 4, 1'000'000).ply, 1);
  EXPECT_EQ(split_of(kStartFen, 6, 1'000'000).ply, 3);
  EXPECT_EQ(split_of(kStartFen, 6, 5'362).size(), 5'362U);
  EXPECT_EQ(split_of(kStartFen, 6, 5'361).ply, 1);
  EXPECT_EQ(split_of(kStartFen, 7, 1'000'000).ply, 4);
  EXPECT_EQ(split_of(kStartFen, 7, 72'077).ply, 2);
  EXPECT_EQ(split_of(kStartFen, 7, 1).ply, 2);  // and never none
  EXPECT_EQ(split_of("8/8/8/8/8/4k3/8/4K3 w - - 0 1", 20, 1'000'000).ply, 17);
  EXPECT_EQ(split_of("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 5, 1'000'000).size(), 0U);
  EXPECT_THROW((void)split_of(kStartFen, 3, 1), BugError);
}

TEST(RangePlan, IsTheSameForEveryThreadCountAndKernel) {
  const Position root = position(kKiwipeteFen);
  constexpr Depth kDepth(5);
  std::optional<Hash128> identity;
  for (const Kernel& kernel : all_kernels()) {
    if (!runs_here(kernel)) continue;
    for (const int threads : {1, 3}) {
      const RootSplit split = split_for_ranges(root, kDepth, kernel, {}, threads, {});
      const Hash128 print = plan_identity(root, kDepth, split, order_for_ranges(split, kDepth));
      EXPECT_EQ(print, identity.value_or(print)) << kernel.name;
      identity = print;
    }
  }
}

TEST(RangePlan, IdentityKnowsDepthOrderAndPaths) {
  const Position root = position(kKiwipeteFen);
  RootSplit split = split_of(kKiwipeteFen, 5, 1'000'000);
  UnitOrder order = order_for_ranges(split, Depth(5));
  const Hash128 print = plan_identity(root, Depth(5), split, order);
  EXPECT_NE(plan_identity(root, Depth(7), split, order), print);
  std::swap(order.units[3], order.units[1'000]);
  EXPECT_NE(plan_identity(root, Depth(5), split, order), print);
  std::swap(order.units[3], order.units[1'000]);
  EXPECT_EQ(plan_identity(root, Depth(5), split, order), print);
  split.shares.back().paths += 1;
  EXPECT_NE(plan_identity(root, Depth(5), split, order), print);
}

// Whoever prepares a job at a campaign's ply has the campaign's units, whatever its table.
TEST(RangePlan, AJobSplitsWhereItIsTold) {
  JobSpec spec;
  spec.root = parse_position(kStartFen).value();
  spec.depth = Depth(7);
  for (const std::uint64_t bytes : {std::uint64_t{0}, kMinHashBytes}) {
    spec.hash.reset();
    if (bytes != 0) spec.hash = HashSpec{.bytes = bytes};
    Progress progress;
    const auto job = RangeJob::prepare(spec, Workers(2), {}, progress, 2).value();
    EXPECT_EQ(job->split().ply, 2);
    EXPECT_EQ(job->split().size(), 400U);
    EXPECT_EQ(job->unit_depth(), 5);
    EXPECT_EQ(job->order().units, order_for_ranges(job->split(), spec.depth).units);
    EXPECT_EQ(job->order().group_begin, order_for_ranges(job->split(), spec.depth).group_begin);
  }
}

/// Groups of these sizes.
UnitOrder groups_of(const std::vector<std::size_t>& sizes) {
  UnitOrder order = ascending_order(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  order.group_begin.clear();
  std::size_t begin = 0;
  for (const std::size_t size : sizes) {
    order.group_begin.push_back(begin);
    begin += size;
  }
  return order;
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
  const UnitOrder order = groups_of({30, 28, 33, 29, 31, 29});
  const auto ranges = cut_into_ranges(order, std::vector<float>(180, 1.0F), 3);
  expect_whole(ranges, 180);
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[1].first, 58U);
  EXPECT_EQ(ranges[2].first, 120U);
}

TEST(RangePlan, CutsGroupsThatAreLargerThanRanges) {
  const auto ranges = cut_into_ranges(groups_of({1'000}), std::vector<float>(1'000, 2.0F), 4);
  expect_whole(ranges, 1'000);
  ASSERT_EQ(ranges.size(), 4U);
  for (const PlannedRange& range : ranges) {
    EXPECT_EQ(range.units, 250U);
    EXPECT_EQ(range.batches, 3U);
    EXPECT_DOUBLE_EQ(range.weight, 500);
  }
}

TEST(RangePlan, CutsByWeight) {
  std::vector<float> weights(1'000, 1.0F);
  std::fill(weights.begin(), weights.begin() + 100, 9.0F);
  const auto ranges = cut_into_ranges(groups_of(std::vector<std::size_t>(1'000, 1)), weights, 18);
  expect_whole(ranges, 1'000);
  for (const PlannedRange& range : ranges) EXPECT_NEAR(range.weight, 100, 10);
}

TEST(RangePlan, EveryRangeHasAUnitHoweverManyAreWanted) {
  for (const std::size_t units : {1U, 2U, 7U, 100U}) {
    for (const std::size_t wanted : {1U, 2U, 6U, 7U, 99U, 1'000U}) {
      std::vector<float> weights(units, 1.0F);
      weights.front() = 1e6F;  // all the weight in one place
      const auto ranges = cut_into_ranges(groups_of({units}), weights, wanted);
      expect_whole(ranges, units);
      EXPECT_EQ(ranges.size(), std::min(units, wanted));
    }
  }
}

TEST(RangePlan, WeightsOfASampleAreThoseOfAllAbout) {
  const RootSplit split = split_of(kKiwipeteFen, 6, 1'000'000);
  const UnitOrder order = order_for_ranges(split, Depth(6));
  const auto weights = unit_weights(split, order, Depth(6), best_kernel(), {}).value();
  ASSERT_EQ(weights.size(), split.size());
  double sum = 0;
  for (const float weight : weights) sum += weight;
  NodeCount paths;
  CountStats unused;
  for (const Board& board : split.boards) paths += best_kernel().count(board, 3, {}, unused);
  EXPECT_NEAR(sum / paths.approximate(), 1, 0.05);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(unit_weights(split, order, Depth(6), best_kernel(), stop.get_token()).error().code,
            ErrorCode::kCancelled);
}

TEST(RangePlan, TheSplitIsComparedWithPublishedValues) {
  RootSplit split = split_of(kStartFen, kIsFastBuild ? 7 : 6, 1'000'000);
  const SplitCheck check =
      check_split(split, position(kStartFen), best_kernel(), Workers(2), {}).value();
  EXPECT_TRUE(check.known && check.known_deeper && check.agrees());
  EXPECT_EQ(check.deeper, known_value(position(kStartFen), Depth(split.ply + 2)));
  // What perft(8) and perft(9) visit, and what a prototype took for perft(13).
  const SplitCheck four{.paths = 197'281, .known = {}, .deeper = 119'060'324, .known_deeper = {}};
  for (const auto& [depth, visited] :
       {std::pair(8, 10.6e6), std::pair(9, 113.7e6), std::pair(13, 1.4e12)}) {
    const double factor = expected_visited(four, 4, Depth(depth)) / visited;
    EXPECT_GT(factor, 0.4) << depth;
    EXPECT_LT(factor, 2.5) << depth;
  }
  split.shares.front().paths += 1;
  EXPECT_FALSE(check_split(split, position(kStartFen), best_kernel(), Workers(2), {})->agrees());
}

}  // namespace
}  // namespace manyply

// Tests the split of a count into units, plans of ranges, and counts in ranges.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "core/counting.h"
#include "core/fen.h"
#include "core/known_values.h"
#include "parallel/jobs/range_job.h"
#include "parallel/units/root_splitter.h"
#include "parallel/units/unit_runner.h"
#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"
#include "tests/support/kernels_here.h"
#include "tests/support/positions.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using testing::IsEmpty;

// With these limits, a split reaches exactly the requested ply.
constexpr SplitLimits kToTheLeaves{.enough_units = SIZE_MAX, .min_unit_depth = 0};

RootSplit split_at(const Position& root, int ply) {
  return split_root(root, Depth(ply), best_kernel(), kToTheLeaves);
}

NodeCount paths_to_all_units(const RootSplit& split) {
  NodeCount paths;
  for (const RootSplit::Share& share : split.shares) paths += share.paths;
  return paths;
}

/// Returns the divide that a split implies: the count of each unit times its paths.
std::vector<DivideEntry> divide_by_units(const RootSplit& split, int unit_depth) {
  std::vector<DivideEntry> divide;
  for (const Move move : split.root_moves) divide.push_back({move, 0});
  for (std::size_t unit = 0; unit < split.size(); ++unit) {
    const Position board = position_unchecked(split.boards[unit]);
    const NodeCount nodes = *count_nodes(board, Depth(unit_depth));
    for (const auto& [move, paths] : split.shares_of(unit)) divide[move].nodes += paths * nodes;
  }
  return divide;
}

constexpr std::string_view kPositions[] = {
    kStartFen,
    kKiwipeteFen,
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1",
    "7k/8/8/8/8/8/1p5r/K7 w - - 0 1",                                  // two root moves
    "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5P2/PPPP2PP/RNBQKBNR w KQkq - 1 3",  // in check, two root moves
    "8/8/8/8/8/5k2/7p/7K w - - 0 1",                                   // one root move
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
};

TEST(RootSplitter, DeepJobsAreSplitFurtherWhileThatIsNotTooMany) {
  SplitLimits limits{.enough_units = 20, .good_unit_depth = 3};
  EXPECT_EQ(split_root(Position(), Depth(6), best_kernel(), limits).ply, 3);
  limits.most_units = 6'000;  // ply 2: 400 units, 20 per unit of ply 1
  EXPECT_EQ(split_root(Position(), Depth(6), best_kernel(), limits).ply, 2);
}

TEST(RootSplitter, FindsTheKnownDistinctPositionsFromTheStart) {
  constexpr std::size_t kDistinct[] = {20, 400, 5'362, 72'078};
  constexpr std::uint64_t kPaths[] = {20, 400, 8'902, 197'281};
  for (int ply = 1; ply <= 4; ++ply) {
    const RootSplit split = split_at(Position(), ply);
    EXPECT_EQ(split.ply, ply);
    EXPECT_EQ(split.size(), kDistinct[ply - 1]);
    EXPECT_EQ(paths_to_all_units(split), kPaths[ply - 1]);
  }
}

TEST(RootSplitter, KeepsBoardsAndSharesInOrderWithoutRepeats) {
  for (const std::string_view fen : kPositions) {
    const RootSplit split = split_at(position_at(fen), 3);
    EXPECT_THAT(split.boards, testing::Not(IsEmpty()));
    EXPECT_EQ(std::ranges::adjacent_find(split.boards, std::ranges::greater_equal{}),
              split.boards.end());
    for (std::size_t unit = 0; unit < split.size(); ++unit) {
      const auto shares = split.shares_of(unit);
      ASSERT_FALSE(shares.empty());
      EXPECT_EQ(std::ranges::adjacent_find(shares, std::ranges::greater_equal{},
                                           &RootSplit::Share::root_move),
                shares.end());
    }
  }
}

TEST(RootSplitter, UnitsTimesPathsAreTheDivideAtEveryPly) {
  constexpr int kDepth = 3;
  for (const std::string_view fen : kPositions) {
    const Position root = position_at(fen);
    const std::vector<DivideEntry> expected = *divide(root, Depth(kDepth));
    for (int ply = 1; ply <= kDepth; ++ply) {
      EXPECT_EQ(divide_by_units(split_at(root, ply), kDepth - ply), expected) << fen << ' ' << ply;
    }
  }
}

TEST(RootSplitter, WorkersChangeNothing) {
  for (const std::string_view fen : {kPositions[0], kPositions[2], kPositions[6]}) {
    const Position root = position_at(fen);
    const RootSplit one = split_root(root, Depth(8), best_kernel());
    for (const int workers : {2, 3, 8}) {
      const RootSplit several = split_root(root, Depth(8), best_kernel(), {}, {}, Workers(workers));
      EXPECT_EQ(several.ply, one.ply);
      EXPECT_EQ(several.root_moves, one.root_moves);
      EXPECT_TRUE(several.boards == one.boards) << fen;
      EXPECT_EQ(several.share_begin, one.share_begin);
      EXPECT_TRUE(several.shares == one.shares) << fen;
      EXPECT_EQ(several.generated, one.generated);
    }
  }
}

TEST(RootSplitter, CountsGeneratedPositionsBeforeMerging) {
  EXPECT_EQ(split_at(Position(), 1).generated, 20U);
  EXPECT_EQ(split_at(Position(), 2).generated, 20U + 400U);
  EXPECT_EQ(split_at(Position(), 3).generated, 20U + 400U + 8'902U);
}

TEST(RootSplitter, MatedAndStalematedRootsHaveNoUnits) {
  for (const std::string_view fen :
       {"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "7k/5Q2/8/8/8/8/8/K7 b - - 0 1"}) {
    const RootSplit split = split_at(position_at(fen), 5);
    EXPECT_EQ(split.size(), 0U) << fen;
    EXPECT_THAT(split.root_moves, IsEmpty());
  }
}

TEST(RootSplitter, LinesThatEndVanish) {
  const Position root = position_at("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
  const RootSplit split = split_at(root, 2);
  const Move mate = *parse_uci(root, "a1a8", CastlingNotation::kStandard);
  EXPECT_THAT(split.root_moves, testing::Contains(mate));
  for (const auto& share : split.shares) EXPECT_NE(split.root_moves[share.root_move], mate);
  EXPECT_EQ(divide_by_units(split, 1), *divide(root, Depth(3)));
}

TEST(RootSplitter, StopsWhenThereAreEnoughUnits) {
  const SplitLimits limits{.enough_units = 400, .good_unit_depth = 7, .min_unit_depth = 0};
  EXPECT_EQ(split_root(Position(), Depth(9), best_kernel(), limits).ply, 2);
  EXPECT_EQ(split_root(Position(), Depth(10), best_kernel(), limits).ply, 3);
}

TEST(RootSplitter, LeavesUnitsWorthScheduling) {
  const SplitLimits limits{.enough_units = SIZE_MAX, .min_unit_depth = 3};
  EXPECT_EQ(split_root(Position(), Depth(6), best_kernel(), limits).ply, 3);
  EXPECT_EQ(split_root(Position(), Depth(2), best_kernel(), limits).ply, 1);
}

TEST(RootSplitter, FewRootMovesGiveAsManyUnits) {
  const RootSplit one_move = split_root(position_at("8/8/8/8/2p5/1p1k4/1P6/K7 w - - 0 1"),
                                        Depth(20), best_kernel(), {.most_units = 30'000});
  EXPECT_EQ(one_move.root_moves.size(), 1U);
  EXPECT_GE(one_move.size(), SplitLimits{}.enough_units);
}

TEST(RootSplitter, StopsEarlyOnRequest) {
  EXPECT_EQ(split_root(Position(), Depth(9), best_kernel(), {}, stopped_before()).ply, 1);
}

TEST(RootSplitter, MoreThan128BitsOfPathsAreAnOverflow) {
  const Position kings = position_at(kWalledKings);
  EXPECT_THROW(split_root(kings, Depth(64), best_kernel()), CountOverflow);
  EXPECT_THROW(split_root(kings, Depth(64), best_kernel(), {}, {}, Workers(3)), CountOverflow);
}

TEST(RootSplitter, AStopEndsItWithinAPly) {
  static std::stop_source stop;
  static int generated = 0;  // by one worker
  constexpr int kAsked = 1'000;
  Kernel kernel = best_kernel();
  kernel.generate = [](const Board& board, MoveList& moves) {
    if (++generated == kAsked) stop.request_stop();
    best_kernel().generate(board, moves);
  };
  const RootSplit split = split_root(parse_position(kStartFen).value().position, Depth(12), kernel,
                                     kToTheLeaves, stop.get_token());
  EXPECT_EQ(generated, kAsked);
  EXPECT_EQ(split.ply, 3) << "of which there is all or nothing";
  EXPECT_EQ(split.size(), 5'362u);
  EXPECT_EQ(paths_to_all_units(split), NodeCount(8'902));
}

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
  EXPECT_EQ(ply(8, {.enough = 20}), 3);  // units of seven plies would be too deep
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
  EXPECT_EQ(units(7, 1).ply(), 2);  // the first possible ply, even if it has more than one unit
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

constexpr int kThreads[] = {1, 3};

JobSpec spec_of(std::string_view fen, int depth, std::uint64_t hash_bytes) {
  JobSpec spec = job_spec(fen, depth, 0);
  if (hash_bytes > 0) spec.hash = HashSpec{.bytes = hash_bytes};
  return spec;
}

/// Returns all units of a job, from which ranges are cut.
JobUnits units_of(const JobSpec& spec) {
  return units_for_ranges(spec.root.position, spec.depth, {.enough = 100'000, .most = 100'000},
                          Workforce(Workers(2)))
      .value();
}

/// A job that is counted in ranges, and the results of the ranges.
struct Ranges {
  Ranges(const JobSpec& the_spec, int threads)
      : spec(the_spec),
        units(units_of(the_spec)),
        job(RangeJob::prepare(spec, Workforce(Workers(threads), spec.kernel, {}, &progress), units)
                .value()),
        sums(units.root_moves().size()) {}

  std::optional<Error> count(const UnitSpan& range, const std::stop_token& stop = {}) {
    return job->count(units.order_of(range), stop);
  }
  void count_alone(const UnitSpan& range) {
    ASSERT_EQ(count(range), std::nullopt);
    const auto some = job->sum(range);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += some[i];
  }

  /// Compares the sums with the results of run_job().
  void expect_sums_of(const Report& whole) const {
    NodeCount nodes;
    for (const NodeCount sum : sums) nodes += sum;
    EXPECT_EQ(nodes, whole.nodes);
    for (std::size_t i = 0; i < units.root_moves().size(); ++i)
      EXPECT_EQ(sums[i], whole.divide.at(i).nodes);
  }

  const JobSpec spec;
  const JobUnits units;
  Progress progress;
  std::unique_ptr<RangeJob> job;
  std::vector<NodeCount> sums;
};

/// Returns random borders of ranges from 0 to `units`, some of them equal.
std::vector<std::size_t> random_cuts(std::size_t units, std::size_t ranges,
                                     std::mt19937_64& random) {
  std::vector<std::size_t> cuts{0, units};
  while (cuts.size() < ranges + 1) cuts.push_back(random() % (units + 1));
  std::ranges::sort(cuts);
  return cuts;
}

struct RangeCase {
  std::string_view fen;
  int depth;
  std::uint64_t hash_bytes;
};

// With private windows, with a shared window, without a table; and a case with few root moves.
const RangeCase kRangeCases[] = {
    {kStartFen, kIsFastBuild ? 6 : 5, std::uint64_t{64} << 20},
    {kKiwipeteFen, kIsFastBuild ? 5 : 4, kMinHashBytes},
    {kKiwipeteFen, kIsFastBuild ? 5 : 4, 0},
    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", kIsFastBuild ? 7 : 6, std::uint64_t{16} << 20},
};

TEST(RangeJob, RangesAddUpToTheWholeWhereverTheyAreCut) {
  std::mt19937_64 random(7);
  for (const auto& [fen, depth, hash_bytes] : kRangeCases) {
    const JobSpec spec = spec_of(fen, depth, hash_bytes);
    const Report whole = run_job(spec, {}).value();
    ASSERT_EQ(whole.known, KnownVerdict::kMatch);
    for (const int threads : kThreads) {
      for (const std::size_t count : {2U, 25U}) {
        Ranges ranges(spec, threads);
        auto cuts = random_cuts(ranges.units.size(), count, random);
        // Counts ranges in any order, but no unit twice.
        std::vector<std::size_t> turns(count);
        for (std::size_t i = 0; i < count; ++i) turns[i] = i;
        std::ranges::shuffle(turns, random);
        for (const std::size_t i : turns) ranges.count_alone({cuts[i], cuts[i + 1]});
        ranges.expect_sums_of(whole);
        EXPECT_EQ(ranges.progress.snapshot().units_done, ranges.units.size()) << fen;
      }
    }
  }
}

// In the tables, a range finds entries that earlier ranges have stored. Neighbouring units share
// most positions, so each range here has every eighth unit. With empty tables for each range, this
// takes much more work than one range with all units; with kept tables, about the same.
TEST(RangeJob, TablesAreKeptFromRangeToRange) {
  const JobSpec spec = spec_of(kStartFen, 6, std::uint64_t{8} << 20);
  constexpr std::size_t kRanges = 8;
  const auto visited_in = [&](std::size_t count, bool kept) {
    std::uint64_t visited = 0;
    std::optional<Ranges> ranges(std::in_place, spec, 1);
    for (std::size_t i = 0; i < count; ++i) {
      if (!kept && i > 0) ranges.emplace(spec, 1);
      UnitOrder range{.units = {}, .group_begin = {0}};
      for (std::size_t unit = i; unit < ranges->units.size(); unit += count)
        range.units.push_back(static_cast<std::uint32_t>(unit));
      const std::uint64_t before = ranges->progress.snapshot().visited;
      EXPECT_EQ(ranges->job->count(range, {}), std::nullopt);
      visited += ranges->progress.snapshot().visited - before;
    }
    return visited;
  };
  const std::uint64_t whole = visited_in(1, true);
  EXPECT_LT(visited_in(kRanges, true), whole * 11 / 10);
  EXPECT_GT(visited_in(kRanges, false), whole * 3 / 2);
}

TEST(RangeJob, FalseMatchesOfAllRangesAreExpected) {
  Ranges ranges(spec_of(kStartFen, 6, std::uint64_t{16} << 20), 1);
  const std::size_t half = ranges.units.size() / 2;
  ranges.count_alone({0, half});
  const HashReport first = ranges.job->hash_report().value();
  ranges.count_alone({half, ranges.units.size()});
  const HashReport both = ranges.job->hash_report().value();
  EXPECT_GT(first.expected_false_matches, 0);
  EXPECT_GT(both.expected_false_matches, first.expected_false_matches);
  EXPECT_GT(both.stats.total().probes, first.stats.total().probes);
}

TEST(RangeJob, AStoppedRangeIsCancelledAndTheJobGoesOn) {
  Ranges ranges(spec_of(kKiwipeteFen, 5, 0), 2);
  const UnitSpan all{0, ranges.units.size()};
  EXPECT_EQ(ranges.count(all, stopped_before()).value().code, ErrorCode::kCancelled);
  ranges.count_alone(all);
  ranges.expect_sums_of(run_job(ranges.spec, {}).value());
}

}  // namespace
}  // namespace manyply

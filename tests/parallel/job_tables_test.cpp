// Tests the plan of tables, the tables of a job, and tables that are kept for later jobs.
#include "parallel/jobs/job_tables.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/fen.h"
#include "parallel/jobs/job.h"
#include "parallel/jobs/statistics_job.h"
#include "parallel/units/unit_runner.h"
#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kPlentyBytes = 1024 * kGiB;
constexpr int kCores = 2;
constexpr Machine kPlenty{kPlentyBytes, kCores};

/// The split of the start position at ply 4, for depths 8, 9, 10 …
constexpr SplitShape kStartSplit{.units = 72'078, .ply = 4, .growth = 13.44, .growth_above = 13.4};

constexpr int kWorkers[] = {1, 2, 8, 128};
constexpr std::uint64_t kSizes[] = {1,         kMinHashBytes, 100'000,   kMiB,     10 * kMiB,
                                    64 * kMiB, 512 * kMiB,    kGiB + 64, 4 * kGiB, 100 * kGiB};

TEST(PlanTables, WhatIsAskedForIsUsedAndNoMore) {
  for (const int workers : kWorkers) {
    for (const std::uint64_t bytes : kSizes) {
      for (const int unit_depth : {3, 4, 7, 8, 20}) {
        const TablePlan plan =
            plan_tables({.bytes = bytes}, kStartSplit, unit_depth, workers, kPlenty);
        const std::uint64_t target = std::max(bytes, kMinHashBytes);
        EXPECT_LE(plan.total_bytes(workers), target);
        EXPECT_GE(plan.total_bytes(workers) + 64 * (static_cast<std::uint64_t>(workers) + 2),
                  target);
        EXPECT_EQ(plan.deep_bytes % 64, 0U);
        EXPECT_EQ(plan.window_bytes % 64, 0U);
        EXPECT_GT(plan.deep_bytes, 0U);
        EXPECT_GT(plan.window_bytes, 0U);
        EXPECT_GT(plan.wide_entries, 0U);
      }
    }
  }
}

TEST(PlanTables, EvenTheLeastComparesEnoughBits) {
  for (const int unit_depth : {3, 20}) {
    const TablePlan plan = plan_tables({.bytes = 1}, kStartSplit, unit_depth, 1, kPlenty);
    const auto tables = JobTables::allocate(plan, {}, Workers(1)).value();
    EXPECT_GE(tables->effective_deep_bits(), 96);
    EXPECT_GE(tables->effective_window_bits(), 80);
  }
}

TEST(PlanTables, WorkersShareWindowsWhereTheyAreMoreThanCores) {
  const auto windows = [](int workers, int cores) {
    return plan_tables({.bytes = 64 * kGiB}, kStartSplit, 5, workers, {kPlentyBytes, cores})
        .windows_of(workers);
  };
  EXPECT_EQ(windows(1, 2), 1);
  EXPECT_EQ(windows(2, 2), 2);
  EXPECT_EQ(windows(16, 2), 16);
  EXPECT_EQ(windows(17, 2), 8);
  EXPECT_EQ(windows(1024, 2), 8);
  EXPECT_EQ(windows(64, 64), 64);
  EXPECT_EQ(windows(65, 64), 64);
}

TEST(PlanTables, WorkersShareWindowsThatWouldGetLessThanAMiB) {
  const auto windows = [](std::uint64_t bytes, int workers) {
    return plan_tables({.bytes = bytes}, kStartSplit, 5, workers, kPlenty).windows_of(workers);
  };
  EXPECT_EQ(windows(kMinHashBytes, 1), 1);
  EXPECT_EQ(windows(kMinHashBytes, 8), 1);
  EXPECT_EQ(windows(9 * kMiB, 8), 2);
  EXPECT_EQ(windows(33 * kMiB, 8), 8);
}

TEST(PlanTables, WindowsFitACache) {
  for (const int workers : kWorkers) {
    const TablePlan plan = plan_tables({.bytes = 64 * kGiB}, kStartSplit, 6, workers, kPlenty);
    EXPECT_EQ(plan.window_bytes, 16 * kMiB);
  }
}

TEST(PlanTables, WindowsGetAQuarterAtMost) {
  const TablePlan plan = plan_tables({.bytes = 64 * kMiB}, kStartSplit, 6, 2, kPlenty);
  EXPECT_NEAR(static_cast<double>(plan.window_bytes), 8 * kMiB, 64);
  EXPECT_NEAR(static_cast<double>(plan.deep_bytes), 48 * kMiB, 64);
}

TEST(PlanTables, OnlyDeepUnitsNeedAWideTable) {
  EXPECT_EQ(plan_tables({.bytes = kGiB}, kStartSplit, kWideDepth, 2, kPlenty).wide_entries, 1U);
  EXPECT_GT(plan_tables({.bytes = kGiB}, kStartSplit, kWideDepth + 1, 2, kPlenty).wide_entries,
            100'000U);
}

TEST(PlanTables, TheDefaultFollowsTheJobWithinHalfOfWhatIsAvailable) {
  const auto total = [](int unit_depth, std::uint64_t available) {
    return plan_tables({}, kStartSplit, unit_depth, 2, {available, kCores}).total_bytes(2);
  };
  EXPECT_LT(total(3, kPlentyBytes), 64 * kMiB);
  EXPECT_LT(total(4, kPlentyBytes), total(5, kPlentyBytes));
  EXPECT_LT(total(5, kPlentyBytes), total(6, kPlentyBytes));
  // The tables should have two entries of 16 bytes for each distinct position three plies above the
  // leaves: 9.4 M positions for perft(9), 96 M for perft(10). The plan only estimates these
  // numbers.
  EXPECT_NEAR(std::log2(static_cast<double>(total(5, kPlentyBytes)) / (2 * 16 * 9.4e6)), 0, 0.7);
  EXPECT_NEAR(std::log2(static_cast<double>(total(6, kPlentyBytes)) / (2 * 16 * 96.4e6)), 0, 0.7);
  // perft(10) is counted from ply 5. The table is less than two thirds full, and about half full at
  // least.
  const SplitShape at_five{.units = 822'518, .ply = 5, .growth = 11.41, .growth_above = 13.44};
  const std::uint64_t deep = plan_tables({}, at_five, 5, 2, kPlenty).deep_bytes;
  EXPECT_GT(deep, 16 * 96.4e6 * 3 / 2);
  EXPECT_LT(deep, 16 * 96.4e6 * 2 * 1.15);
  for (const std::uint64_t available : {16 * kMiB, kGiB, 24 * kGiB}) {
    for (int unit_depth = 3; unit_depth < 20; ++unit_depth)
      EXPECT_LE(total(unit_depth, available), available / 2);
  }
}

TEST(ExpectedPositions, HardlyFewerThanThereAreAndNotManyMore) {
  struct Case {
    SplitShape split;
    std::vector<double> below;  // distinct positions, by plies below the split
  };
  const Case cases[] = {
      {{.units = 20, .ply = 1, .growth = 20, .growth_above = 20}, {20, 400, 5'362, 72'078}},
      {{.units = 5'362, .ply = 3, .growth = 13.4, .growth_above = 20}, {5'362, 72'078, 822'518}},
      // Kiwipete.
      {{.units = 2'038, .ply = 2, .growth = 42.5, .growth_above = 48}, {2'038, 57'548, 1'374'152}},
      {{.units = 57'548, .ply = 3, .growth = 28.2, .growth_above = 42.5},
       {57'548, 1'374'152, 27'404'650}},
  };
  for (const Case& c : cases) {
    for (std::size_t plies = 0; plies < c.below.size(); ++plies) {
      const double expected = expected_positions(c.split, static_cast<int>(plies));
      EXPECT_GT(expected, 0.95 * c.below[plies]) << c.split.units << " and " << plies;
      EXPECT_LT(expected, 1.5 * c.below[plies]) << c.split.units << " and " << plies;
    }
  }
}

TEST(PlanTables, ADefaultForEndlessJobsIsFinite) {
  const SplitShape split{.units = 10'000, .ply = 4, .growth = 30, .growth_above = 30};
  const TablePlan plan = plan_tables({}, split, 60, 2, {~std::uint64_t{0}, kCores});
  EXPECT_LT(plan.total_bytes(2), std::uint64_t{1} << 42);
}

TEST(JobTables, TooMuchMemoryIsAnErrorThatSaysSo) {
  for (const TablePlan& plan :
       {TablePlan{.deep_bytes = std::uint64_t{1} << 46, .window_bytes = 64},
        TablePlan{.deep_bytes = 64, .window_bytes = std::uint64_t{1} << 45}}) {
    const auto tables = JobTables::allocate(plan, {}, Workers(2));
    EXPECT_EQ(tables.error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(tables.error().field, "hash");
    EXPECT_THAT(tables.error().message, HasSubstr(" TiB requested, but only "));
  }
}

TEST(JobTables, StripesAreAPowerOfTwo) {
  EXPECT_THROW(
      (void)JobTables::allocate({.deep_bytes = 64, .window_bytes = 64}, {.stripes = 3}, Workers(1)),
      BugError);
}

TEST(JobTables, EffectiveBitsAreTagAndIndex) {
  const TablePlan plan{.deep_bytes = kMiB, .window_bytes = 64 * kKiB};
  const auto strong = JobTables::allocate(plan, {}, Workers(1)).value();
  EXPECT_DOUBLE_EQ(strong->effective_deep_bits(), 88 + 14);
  EXPECT_DOUBLE_EQ(strong->effective_window_bits(), 80 + 10);
  EXPECT_DOUBLE_EQ(strong->index_bits().deep, 14);
  EXPECT_DOUBLE_EQ(strong->index_bits().window, 10);
  const auto weak = JobTables::allocate(plan, {.keys = {.bits = 24}}, Workers(1)).value();
  EXPECT_EQ(weak->effective_deep_bits(), 24);
  EXPECT_EQ(weak->effective_window_bits(), 24);
}

/// Counts with units so deep that several workers use the same entries of the deep table. In jobs
/// of this size, the splitter would merge these positions instead.
std::vector<DivideEntry> count_in_deep_units(std::string_view fen, int depth, int threads,
                                             const TablePlan& plan, const HashSpec& hash,
                                             HashStats& stats) {
  const KernelPair kernels(best_kernel());
  const RootSplit split = split_root(parse_position(fen).value().position, Depth(depth),
                                     kernels.plain, {.enough_units = 20, .min_unit_depth = 3});
  const int unit_depth = depth - split.ply;
  const auto tables = JobTables::allocate(plan, hash, Workers(threads)).value();
  const UnitOrder order = grouped_for_window(split, unit_depth);
  std::vector<HashStats> by_worker(static_cast<std::size_t>(threads));
  std::vector<NodeCount> counts(split.size());
  const Workforce by{Workers(threads)};
  by.progress().start(threads, split.size());
  const auto error =
      for_each_unit(order, {.by = by, .teams = plan.windows_of(threads)},
                    [&](std::size_t unit, const UnitWorker& worker) {
                      counts[unit] = tables->count(
                          split.boards[unit], unit_depth, kernels, worker.number, worker.stop,
                          by_worker[static_cast<std::size_t>(worker.number)]);
                      return std::nullopt;
                    });
  EXPECT_EQ(error, std::nullopt);
  for (const HashStats& one : by_worker) stats += one;
  return sum_by_root_move(split, counts);
}

TEST(JobTables, ThreadsMeetInTheDeepTableAndAgree) {
  const FenAndDepth cases[] = {{kStartFen, kIsFastBuild ? 6 : 5},
                               {kKiwipeteFen, kIsFastBuild ? 5 : 4}};
  for (const auto& [fen, depth] : cases) {
    std::vector<DivideEntry> expected;
    for (const int threads : {1, 2, 8}) {
      for (const std::size_t stripes : {std::size_t{1}, std::size_t{64}, std::size_t{4096}}) {
        for (const int windows : {threads, std::min(3, threads), 1}) {
          for (const std::uint64_t deep_bytes : {48 * kKiB, 8 * kMiB}) {
            HashStats stats;
            const TablePlan plan{
                .deep_bytes = deep_bytes, .window_bytes = 256 * kKiB, .windows = windows};
            const HashSpec hash{.keys = {.seed = stripes}, .stripes = stripes};
            const auto divide = count_in_deep_units(fen, depth, threads, plan, hash, stats);
            if (expected.empty()) expected = divide;
            ASSERT_EQ(divide, expected) << fen << ' ' << threads << ' ' << stripes;
            if (kIsFastBuild) {
              EXPECT_GT(stats.by_depth[3].probes, 1'000U);
            }
          }
        }
      }
    }
    NodeCount total;
    for (const DivideEntry& entry : expected) total += entry.nodes;
    EXPECT_EQ(total, known_value(parse_position(fen)->position, Depth(depth)));
  }
}

class TableKeeperTest : public testing::Test {
 protected:
  TableKeeperTest() {
    spec_.root = parse_position(kRoot).value();
    spec_.depth = Depth(5);
    spec_.threads = 2;
    spec_.hash.emplace();
    spec_.hash->bytes = std::uint64_t{8} << 20;
    spec_.keeper = &keeper_;
  }

  // Slow builds use a smaller tree.
  static constexpr std::string_view kRoot = kIsFastBuild ? "kiwipete" : "startpos";
  static constexpr NodeCount kNodes5 = kIsFastBuild ? 193'690'690 : 4'865'609;
  static constexpr NodeCount kNodes6 = kIsFastBuild ? 8'031'647'685 : 119'060'324;

  Report run() { return run_job(spec_, {}).value(); }

  StatisticsSpec statistics_spec() {
    StatisticsSpec spec{{.root = spec_.root, .depth = spec_.depth, .threads = 2}};
    spec.hash = StatisticsHash{.bytes = spec_.hash->bytes, .keys = {}};
    spec.keeper = &keeper_;
    return spec;
  }

  TableKeeper keeper_;
  JobSpec spec_;
};

TEST_F(TableKeeperTest, TheNextJobFindsWhatTheLastOneStored) {
  spec_.root = parse_position("kiwipete").value();  // the smaller tree repeats no position
  const Report first = run();
  EXPECT_EQ(first.nodes, NodeCount(193'690'690));
  EXPECT_FALSE(first.hash->reused);
  EXPECT_GT(keeper_.bytes(), 0U);
  const Report second = run();
  EXPECT_EQ(second.nodes, first.nodes);
  EXPECT_TRUE(second.hash->reused);
  EXPECT_EQ(second.setup_seconds, 0);
  const HashStats::PerDepth lookups = second.hash->stats.total();
  EXPECT_GT(lookups.hits, 0U);
  EXPECT_EQ(lookups.hits, lookups.probes) << "below the units all is known";
  // The second job may have used wrong entries of the first job. So its expected false matches are
  // those of the first job, plus those of its own probes.
  EXPECT_GT(first.hash->expected_false_matches, 0);
  EXPECT_EQ(second.hash->expected_false_matches, first.hash->expected_false_matches);
  spec_.root = parse_position("position3").value();
  const Report other = run();
  EXPECT_TRUE(other.hash->reused);
  EXPECT_GT(other.hash->expected_false_matches, second.hash->expected_false_matches);
}

TEST_F(TableKeeperTest, OtherKeysSizesAndThreadsGetTheirOwn) {
  run();
  spec_.hash->keys.seed ^= 1;
  EXPECT_FALSE(run().hash->reused);
  spec_.hash->keys.bits = 100;
  EXPECT_FALSE(run().hash->reused);
  spec_.hash->stripes /= 2;
  EXPECT_FALSE(run().hash->reused);
  spec_.threads = 1;
  EXPECT_FALSE(run().hash->reused);
  spec_.hash->bytes *= 4;
  EXPECT_FALSE(run().hash->reused);
  EXPECT_TRUE(run().hash->reused);
}

TEST_F(TableKeeperTest, ReleasedMemoryIsNotReused) {
  run();
  keeper_.release();
  EXPECT_EQ(keeper_.bytes(), 0U);
  const Report report = run();
  EXPECT_FALSE(report.hash->reused);
  EXPECT_EQ(report.nodes, kNodes5);
}

// The entries of a stopped job are complete counts, so its tables give no wrong answers.
TEST_F(TableKeeperTest, CancelledJobsLeaveTrueTables) {
  for (int i = 0; i < 20; ++i) {
    spec_.depth = Depth(6);
    const DelayedStop stop(std::chrono::milliseconds{i});
    const auto stopped = run_job(spec_, stop.token());
    if (stopped.ok()) {
      EXPECT_EQ(stopped->nodes, kNodes6);
    }
    spec_.depth = Depth(5);
    EXPECT_EQ(run().nodes, kNodes5);
  }
}

// The depth is part of an entry's key, so a shallower job does not use entries of a deeper job.
TEST_F(TableKeeperTest, JobsOfOtherDepthsAndPositionsShareTables) {
  EXPECT_EQ(run().nodes, kNodes5);
  spec_.depth = Depth(6);
  EXPECT_EQ(run().nodes, kNodes6);
  spec_.root = parse_position("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1").value();
  EXPECT_EQ(run().nodes, NodeCount(11'030'083));
  spec_.root = parse_position(kRoot).value();
  spec_.depth = Depth(5);
  EXPECT_EQ(run().nodes, kNodes5);
}

TEST_F(TableKeeperTest, StatisticsFindWhatTheLastOnesStored) {
  StatisticsSpec spec = statistics_spec();
  const StatisticsReport first = run_statistics(spec, {}).value();
  EXPECT_FALSE(first.reused);
  EXPECT_EQ(keeper_.bytes(), spec.hash->bytes);
  const StatisticsReport second = run_statistics(spec, {}).value();
  EXPECT_TRUE(second.reused);
  EXPECT_EQ(second.setup_seconds, 0);
  EXPECT_EQ(second.totals, first.totals);
  EXPECT_EQ(second.totals[Statistic::kNodes], kNodes5);
  EXPECT_LT(second.visited, first.visited);
  EXPECT_GT(first.expected_false_matches, 0);
  EXPECT_GE(second.expected_false_matches, first.expected_false_matches);
  StatisticsSpec other = spec;
  other.root = parse_position("position3").value();
  EXPECT_GT(run_statistics(other, {})->expected_false_matches, second.expected_false_matches);

  spec.hash->keys.seed ^= 1;
  EXPECT_FALSE(run_statistics(spec, {})->reused);
  spec.hash->bytes *= 2;
  EXPECT_FALSE(run_statistics(spec, {})->reused);
  spec.threads = 1;
  EXPECT_TRUE(run_statistics(spec, {})->reused);
  EXPECT_FALSE(run_statistics(spec, stopped_before()).ok());
  EXPECT_EQ(run_statistics(spec, {})->totals, first.totals);
}

// Only the tables of the latest job are kept, whether it made a count or statistics.
TEST_F(TableKeeperTest, CountsAndStatisticsTakeTurns) {
  run();
  EXPECT_FALSE(run_statistics(statistics_spec(), {})->reused);
  EXPECT_EQ(keeper_.bytes(), std::uint64_t{8} << 20);
  EXPECT_FALSE(run().hash->reused);
  EXPECT_TRUE(run().hash->reused);
}

}  // namespace
}  // namespace manyply

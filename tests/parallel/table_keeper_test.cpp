#include <gtest/gtest.h>

#include "parallel/jobs/job.h"
#include "parallel/jobs/job_tables.h"
#include "parallel/jobs/statistics_job.h"
#include "tests/support/budget.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

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
  // The second job may have used wrong entries of the first job. The false matches of its own
  // probes come on top.
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

// Only the tables of one job are kept, of either kind.
TEST_F(TableKeeperTest, CountsAndStatisticsTakeTurns) {
  run();
  EXPECT_FALSE(run_statistics(statistics_spec(), {})->reused);
  EXPECT_EQ(keeper_.bytes(), std::uint64_t{8} << 20);
  EXPECT_FALSE(run().hash->reused);
  EXPECT_TRUE(run().hash->reused);
}

}  // namespace
}  // namespace manyply

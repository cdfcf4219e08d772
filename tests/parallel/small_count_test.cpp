#include <gmock/gmock.h>

#include <optional>
#include <string>

#include "core/counting.h"
#include "parallel/jobs/job.h"
#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"
#include "tests/support/epd_suite.h"
#include "tests/support/sizes.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

constexpr std::string_view kMated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";

bool small(std::string_view fen, int depth, double most_leaves) {
  return is_small(parse_position(fen)->position.board(), depth, most_leaves, best_kernel(), {});
}

JobSpec one_of_many(JobSpec spec) {
  spec.one_of_many = true;
  return spec;
}

TEST(SmallCount, IsToldByItsLeaves) {
  EXPECT_TRUE(small(kStartFen, 5, 4.9e6));
  EXPECT_FALSE(small(kStartFen, 5, 4e6));
  EXPECT_TRUE(small(kStartFen, 4, 0)) << "whatever the limit";
  EXPECT_TRUE(small(kMated, 64, 0));
  EXPECT_FALSE(small(kStartFen, 64, kSmallJobLeaves));
}

TEST(SmallJob, CountsAsOthersDo) {
  const auto cases = load_suites_within(budget(10'000'000));
  for (const int threads : {1, 3}) {
    for (const auto& hash : {std::optional<HashSpec>(), std::optional(HashSpec{})}) {
      TableKeeper keeper;
      for (const SuiteCase& each : cases) {
        JobSpec spec;
        spec.root = each.record.root;
        spec.depth = each.expected.depth;
        spec.threads = threads;
        spec.hash = hash;
        spec.keeper = &keeper;
        spec.one_of_many = true;
        const Report report = run(spec);
        EXPECT_EQ(report.nodes, each.expected.nodes)
            << each.record.fen << " D" << spec.depth.plies();
        EXPECT_EQ(report.threads, threads);
        EXPECT_FALSE(report.hash && !hash);
      }
      EXPECT_EQ(keeper.bytes() > 0, hash.has_value());
    }
  }
}

TEST(SmallJob, IsCountedByRootMove) {
  for (const int depth : {1, 2, 3, 5}) {
    const Report others = run(job_spec(kStartFen, depth));
    for (const int threads : kWorkerCounts) {
      for (const auto& hash : {std::optional<HashSpec>(), std::optional(HashSpec{})}) {
        JobSpec spec = one_of_many(job_spec(kStartFen, depth, threads));
        spec.hash = hash;
        Progress progress;
        const Report report = run_job(spec, {}, &progress).value();
        EXPECT_EQ(report.divide, others.divide);
        EXPECT_EQ(report.known, KnownVerdict::kMatch);
        EXPECT_EQ(report.units, 20U);
        EXPECT_EQ(progress.snapshot().units_total, 20U);
        EXPECT_EQ(progress.snapshot().units_done, 20U);
        EXPECT_EQ(progress.snapshot().visited, report.visited);
      }
    }
  }
}

TEST(SmallJob, HasNothingToCountWhereThereIsNoMove) {
  for (const int depth : {0, 1, 64}) {
    const Report report = run(one_of_many(job_spec(kMated, depth)));
    EXPECT_EQ(report.nodes, NodeCount(depth == 0 ? 1 : 0));
    EXPECT_EQ(report.units, 0U);
  }
}

TEST(SmallJob, StoresNoUnitsButALargeOneDoes) {
  MemoryStore store;
  store.most = 0;
  JobSpec spec = one_of_many(job_spec(kStartFen, 5));
  spec.store = &store;
  EXPECT_EQ(run(spec).nodes, NodeCount(4'865'609));
  EXPECT_EQ(store.what, "") << "opened";
  spec.depth = Depth(7);
  EXPECT_EQ(run_job(spec, {}).error().message, "full");
  spec.depth = Depth(5);
  spec.one_of_many = false;
  EXPECT_EQ(run_job(spec, {}).error().message, "full");
}

TEST(SmallJob, MakesASmallTableOrTakesTheLargeOneThatIsKept) {
  TableKeeper keeper;
  JobSpec spec = one_of_many(job_spec(kStartFen, 5, 2, {.bytes = 64 * kMiB}));
  spec.keeper = &keeper;
  EXPECT_LE(run(spec).hash->bytes, 8 * kMiB);
  EXPECT_TRUE(run(spec).hash->reused);
  spec.one_of_many = false;
  EXPECT_FALSE(run(spec).hash->reused) << "that table was too small";
  const std::uint64_t large = keeper.bytes();
  EXPECT_GT(large, 60 * kMiB);
  spec.one_of_many = true;
  const Report report = run(spec);
  EXPECT_TRUE(report.hash->reused);
  EXPECT_EQ(report.nodes, NodeCount(4'865'609));
  EXPECT_EQ(keeper.bytes(), large);
}

TEST(SmallJob, IsStopped) {
  const auto stopped = run_job(one_of_many(job_spec(kStartFen, 5)), stopped_before());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace manyply

// Tests many counts at once, and counts that one worker finishes soon.
#include <gmock/gmock.h>

#include "core/counting.h"
#include "parallel/jobs/job.h"
#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"
#include "tests/support/epd_suite.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using testing::ElementsAreArray;

struct Asked {
  std::vector<JobSpec> jobs;
  std::vector<std::string> expected;
};

/// Returns the cheapest counts of the suites, up to `nodes` leaves in total.
Asked suites(std::uint64_t nodes, int threads, const std::optional<HashSpec>& hash) {
  Asked asked;
  for (const SuiteCase& each : load_suites_within(nodes)) {
    JobSpec job;
    job.root = each.record.root;
    job.depth = each.expected.depth;
    job.threads = threads;
    job.hash = hash;
    asked.jobs.push_back(job);
    asked.expected.push_back(each.expected.nodes.to_string());
  }
  return asked;
}

constexpr double kNothingIsSmall = 0;

TEST(ManyCounts, AreThePublishedOnesInTheirOrder) {
  for (const int threads : {1, 3}) {
    for (const auto& hash : {std::optional<HashSpec>(), std::optional(HashSpec{}),
                             std::optional(HashSpec{.bytes = std::uint64_t{4} << 20})}) {
      for (const double small_leaves : {kSmallLeaves, 1e5}) {
        const Asked asked = suites(budget(60'000'000), threads, hash);
        std::vector<std::string> counted;
        bool some_hashed = false;
        const auto error = count_many(
            asked.jobs, {}, nullptr,
            [&](const ManyCounted& one) {
              EXPECT_EQ(one.job, counted.size());
              counted.push_back(one.nodes.to_string());
              some_hashed |= one.hashed;
              return true;
            },
            small_leaves);
        ASSERT_FALSE(error) << error->to_string();
        EXPECT_THAT(counted, ElementsAreArray(asked.expected)) << threads << ' ' << small_leaves;
        EXPECT_EQ(some_hashed, hash.has_value());
      }
    }
  }
}

TEST(ManyCounts, LargeOnesWaitForNobodyBehindThem) {
  // With kNothingIsSmall, all jobs are large. The first job is the largest, but results must still
  // be reported in order.
  Asked asked = suites(budget(20'000'000), 2, {});
  std::ranges::reverse(asked.jobs);
  std::ranges::reverse(asked.expected);
  std::vector<std::string> counted;
  const auto tell = [&](const ManyCounted& one) {
    counted.push_back(one.nodes.to_string());
    return true;
  };
  ASSERT_FALSE(count_many(asked.jobs, {}, nullptr, tell, kNothingIsSmall));
  EXPECT_THAT(counted, ElementsAreArray(asked.expected));
}

TEST(ManyCounts, EndWhenNoMoreAreWanted) {
  const Asked asked = suites(1'000'000, 2, {});
  ASSERT_GT(asked.jobs.size(), 20U);
  for (const double small_leaves : {kSmallLeaves, kNothingIsSmall}) {
    std::size_t told = 0;
    EXPECT_FALSE(count_many(
        asked.jobs, {}, nullptr, [&](const ManyCounted&) { return ++told < 7; }, small_leaves));
    EXPECT_EQ(told, 7U);
  }
}

TEST(ManyCounts, StopWhenAsked) {
  // Use only one worker: while a first worker counts the first job, a second one could finish all
  // other jobs.
  const Asked asked = suites(1'000'000, 1, {});
  std::stop_source stop;
  std::size_t told = 0;
  const auto error = count_many(asked.jobs, stop.get_token(), nullptr, [&](const ManyCounted&) {
    if (++told == 5) stop.request_stop();
    return true;
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::kCancelled);
  EXPECT_LT(told, asked.jobs.size());
}

TEST(ManyCounts, TellWhatHasBeenDone) {
  const Asked asked = suites(1'000'000, 2, {});
  Progress progress;
  double leaves = 0;
  ASSERT_FALSE(count_many(asked.jobs, {}, &progress, [&](const ManyCounted& one) {
    leaves += one.nodes.approximate();
    return true;
  }));
  const ProgressSnapshot snapshot = progress.snapshot();
  EXPECT_EQ(snapshot.units_done, asked.jobs.size());
  EXPECT_EQ(snapshot.units_total, asked.jobs.size());
  EXPECT_EQ(snapshot.leaves, leaves);
  EXPECT_GT(snapshot.visited, 0U);
}

// A large job that waits for small ones must not be reported before it has been counted.
TEST(ManyCounts, WhatWaitsIsNotDone) {
  Asked asked = suites(1'000'000, 2, {});
  std::erase_if(asked.jobs, [](const JobSpec& job) { return job.depth <= Depth(4); });
  ASSERT_GE(asked.jobs.size(), 2U);
  Progress progress;
  std::size_t told = 0;
  ASSERT_FALSE(count_many(
      asked.jobs, {}, &progress,
      [&](const ManyCounted& one) {
        EXPECT_EQ(progress.snapshot().units_done, ++told) << one.job;
        return true;
      },
      kNothingIsSmall));
  EXPECT_EQ(told, asked.jobs.size());
}

TEST(ManyCounts, SayWhatCannotBe) {
  Asked asked = suites(1'000, 2, {});
  for (JobSpec& job : asked.jobs) job.threads = kMaxThreads + 1;
  const auto error = count_many(asked.jobs, {}, nullptr, [](const ManyCounted&) { return true; });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::kInvalidInput);
  EXPECT_FALSE(count_many({}, {}, nullptr, [](const ManyCounted&) { return true; }));
}

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

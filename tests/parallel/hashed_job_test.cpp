// The same count and the same divide for every number of threads, table size, number of stripes,
// and keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <vector>

#include "parallel/jobs/job.h"
#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"
#include "tests/support/epd_suite.h"
#include "tests/support/kernels_here.h"
#include "tests/support/sizes.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

/// A run with 64-bit keys once gave the wrong count 3016077677, which was published.
constexpr std::string_view kCollisionFen =
    "rnbq1b1r/ppppkppp/4pn2/8/1Q6/2PP4/PP2PPPP/RNB1KBNR b KQ - 2 4";
constexpr std::uint64_t kCollisionNodes = 3'016'055'832;  // depth 7

const FenAndDepth kCases[] = {
    {kStartFen, kIsFastBuild ? 6 : 5},
    {kIsFastBuild ? kKiwipeteFen : "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1", 5},
    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", kIsFastBuild ? 7 : 6},
};

/// Counts every case with `hash`, and compares the divides with those of counts without a table.
void expect_same_divides(int threads, const HashSpec& hash) {
  static const std::vector<std::vector<DivideEntry>> kUnhashed = [] {
    std::vector<std::vector<DivideEntry>> divides;
    for (const auto& [fen, depth] : kCases) {
      const Report report = run(job_spec(fen, depth));
      EXPECT_FALSE(report.hash);
      EXPECT_EQ(report.known, KnownVerdict::kMatch);
      divides.push_back(report.divide);
    }
    return divides;
  }();
  for (std::size_t i = 0; i < std::size(kCases); ++i) {
    const Report report = run(job_spec(kCases[i].fen, kCases[i].depth, threads, hash));
    EXPECT_EQ(report.divide, kUnhashed[i]);
    EXPECT_EQ(report.known, KnownVerdict::kMatch) << report.nodes.to_string();
    ASSERT_TRUE(report.hash);
    EXPECT_EQ(report.hash->stripes, hash.stripes);
    EXPECT_EQ(report.hash->keys, hash.keys);
    EXPECT_LE(report.hash->bytes, hash.bytes);
  }
}

TEST(HashedJob, OneCountWhateverThreadsTablesStripesAndSeeds) {
  for (const int threads : {1, 2, 8}) {
    for (const std::uint64_t bytes : {64 * kKiB, 64 * kMiB}) {
      for (const std::size_t stripes : {std::size_t{1}, std::size_t{64}, HashSpec{}.stripes}) {
        for (const std::uint64_t seed :
             {KeySpec::kDefaultSeed, static_cast<std::uint64_t>(threads)}) {
          if (!kIsFastBuild && (stripes == 64) != (seed == KeySpec::kDefaultSeed)) continue;
          expect_same_divides(threads,
                              {.bytes = bytes, .keys = {.seed = seed}, .stripes = stripes});
        }
      }
    }
  }
}

TEST(HashedJob, OneCountInALargeTableToo) {
  if (!kIsFastBuild || available_memory_bytes() < 2 * kGiB) GTEST_SKIP() << "needs 2 GiB";
  expect_same_divides(2, {.bytes = kGiB});
  const Report report =
      run(job_spec(kStartFen, 6, 8, {.bytes = kGiB, .keys = {.seed = 5}, .stripes = 1}));
  EXPECT_EQ(report.nodes, 119'060'324U);
  EXPECT_GT(report.hash->bytes, kGiB - kMiB);
}

TEST(HashedJob, SlowMatrixInALargeTable) {
  if (!kIsFastBuild || available_memory_bytes() < 2 * kGiB) GTEST_SKIP() << "needs 2 GiB";
  for (const int threads : {1, 2, 8}) {
    for (const std::size_t stripes : {std::size_t{1}, std::size_t{64}, HashSpec{}.stripes}) {
      for (const std::uint64_t seed : {KeySpec::kDefaultSeed, std::uint64_t{1}})
        expect_same_divides(threads, {.bytes = kGiB, .keys = {.seed = seed}, .stripes = stripes});
    }
  }
}

// Units of at least four plies, so that workers share the deep table.
TEST(HashedJob, SlowDepthEightWhateverTheTable) {
  for (const int threads : {2, 8}) {
    for (const std::uint64_t bytes : {64 * kKiB, 64 * kMiB, std::uint64_t{0}}) {
      for (const std::size_t stripes : {std::size_t{1}, HashSpec{}.stripes}) {
        const Report report =
            run(job_spec(kStartFen, 8, threads, {.bytes = bytes, .stripes = stripes}));
        EXPECT_EQ(report.nodes, 84'998'978'956U) << threads << ' ' << bytes << ' ' << stripes;
        EXPECT_GT(report.hash->stats.by_depth[3].probes, 0U);
      }
    }
  }
}

TEST(HashedJob, EveryKernelAgrees) {
  for (const Kernel* kernel : kernels_here()) {
    for (const auto& [fen, depth] : kCases) {
      JobSpec job = job_spec(fen, depth, 2, {.bytes = 16 * kMiB});
      job.kernel = kernel;
      EXPECT_EQ(run(job).known, KnownVerdict::kMatch) << kernel->name << ' ' << fen;
    }
  }
}

TEST(HashedJob, SmallSuites) {
  for (const SuiteCase& suite : load_suites_within(budget(300'000'000))) {
    if (suite.expected.depth.plies() < 5) continue;
    JobSpec job;
    job.root = suite.record.root;
    job.depth = suite.expected.depth;
    job.threads = 2;
    job.hash = HashSpec{.bytes = kMiB};
    EXPECT_EQ(run(job).nodes, suite.expected.nodes) << suite.where;
  }
}

TEST(HashedJob, APositionThat64BitKeysCountWrong) {
  if (!kIsFastBuild) GTEST_SKIP() << "too large for a slow build";
  const Report report = run(job_spec(kCollisionFen, 7, 2, {}));
  EXPECT_EQ(report.nodes, kCollisionNodes);
  EXPECT_LT(report.hash->expected_false_matches, 1e-9);
  EXPECT_GE(report.hash->effective_deep_bits, 96);
  EXPECT_GE(report.hash->effective_window_bits, 80);
}

TEST(HashedJob, SlowTwentySeedsForAPositionThat64BitKeysCountWrong) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_EQ(run(job_spec(kCollisionFen, 7, 2, {.keys = {.seed = seed}})).nodes, kCollisionNodes);
}

// Weak keys show the effect of collisions.
TEST(HashedJob, WeakKeysCountWrongAndSaySo) {
  const JobSpec job =
      job_spec(kStartFen, kIsFastBuild ? 6 : 5, 2, {.bytes = 64 * kMiB, .keys = {.bits = 16}});
  const Report report = run(job);
  EXPECT_EQ(report.known, KnownVerdict::kMismatch);
  EXPECT_GT(report.hash->expected_false_matches, 100);
}

// Computes the formula again, from the counters and sizes in a report, with doubles.
double false_matches_by_hand(const HashReport& hash) {
  double expected = 0;
  for (std::size_t depth = 2; depth < hash.stats.by_depth.size(); ++depth) {
    const HashStats::PerDepth& at = hash.stats.by_depth[depth];
    const auto misses = static_cast<double>(at.probes - at.hits);
    double ways = 1;
    double tag_bits = 128;
    double buckets = static_cast<double>(hash.plan.wide_entries);
    if (depth == 2) {
      ways = 5;
      tag_bits = 80;
      buckets = static_cast<double>(hash.plan.window_bytes) / 64;
    } else if (depth <= 6) {
      ways = 4;
      tag_bits = 88;
      buckets = static_cast<double>(hash.plan.deep_bytes) / 64;
    }
    const double bits_beyond_index = std::max(0.0, hash.keys.bits - std::log2(buckets));
    expected += misses * ways / std::pow(2.0, std::min(tag_bits, bits_beyond_index));
  }
  return expected;
}

TEST(HashedJob, ExpectedFalseMatchesFollowFromTheCounters) {
  // Units are four plies deep, so both tables are probed.
  constexpr std::string_view kFen = "4k3/8/p6p/P6P/8/8/8/4KN2 w - - 0 1";
  for (const int bits : {128, 96, 40, 24, 12}) {
    const HashReport hash =
        *run(job_spec(kFen, 11, 2, {.bytes = 4 * kMiB, .keys = {.bits = bits}})).hash;
    EXPECT_GT(hash.stats.by_depth[2].probes, 0U);
    EXPECT_GT(hash.stats.by_depth[3].probes, 0U);
    const double by_hand = false_matches_by_hand(hash);
    EXPECT_NEAR(hash.expected_false_matches, by_hand, 1e-9 * by_hand) << bits;
    EXPECT_GT(by_hand, 0);
  }
}

TEST(HashedJob, ShallowJobsUseNoTable) {
  for (const int depth : {0, 1, 2, 3, 4}) {
    const Report report = run(job_spec(kStartFen, depth, 2, {}));
    EXPECT_FALSE(report.hash) << depth;
    EXPECT_EQ(report.known, KnownVerdict::kMatch);
  }
}

TEST(HashedJob, MoreMemoryThanThereIsIsRefused) {
  const auto refused = run_job(job_spec(kStartFen, 6, 2, {.bytes = std::uint64_t{1} << 50}), {});
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(refused.error().field, "hash");
}

// Without a stop, this job would take a day. Each worker polls for a stop after every few calls.
TEST(HashedJob, StopsSoonWhenAsked) {
  for (const std::uint64_t calls : {0U, 1000U}) {
    const StoppingKernel stopping(calls);
    JobSpec spec = job_spec(kStartFen, 12, 2, {.bytes = 16 * kMiB});
    spec.kernel = &stopping.kernel();
    const auto result = run_job(spec, stopping.token());
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
    EXPECT_GE(stopping.calls_after(), 0) << calls;
    EXPECT_LT(stopping.calls_after(), 2 * 100) << calls;
  }
}

TEST(HashedJob, StopsWheneverAsked) {
  for (const int milliseconds : {0, 1, 20, 150}) {
    const DelayedStop stop(std::chrono::milliseconds{milliseconds});
    const auto result = run_job(job_spec(kStartFen, 12, 2, {.bytes = 64 * kMiB}), stop.token());
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
  }
}

TEST(HashedJob, StatisticsAddUp) {
  const TellingKernel telling;
  JobSpec spec = job_spec(kStartFen, 7, 2, {.bytes = 256 * kMiB});
  spec.kernel = &telling.kernel();
  const Report report = run(spec);
  const HashReport& hash = *report.hash;
  std::uint64_t misses = 0;
  for (const auto& at : hash.stats.by_depth) {
    EXPECT_LE(at.hits, at.probes);
    EXPECT_LE(at.replacements, at.stores);
    EXPECT_LE(at.stores, at.probes - at.hits) << "counts of zero are not stored";
    misses += at.probes - at.hits;
  }
  EXPECT_EQ(hash.stats.by_depth[2].probes - hash.stats.by_depth[2].hits, hash.stats.kernel_calls);
  EXPECT_EQ(hash.stats.visited, misses + telling.children());
  EXPECT_GE(hash.deep_fill, 0);
  EXPECT_LE(hash.deep_fill, 1);
  EXPECT_EQ(hash.bytes, hash.plan.total_bytes(2));
  // Every distinct position at ply 5 is counted, and few of them twice.
  EXPECT_GE(hash.stats.kernel_calls, 822'518U);
  EXPECT_LE(hash.stats.kernel_calls, 822'518U * 112 / 100);
}

}  // namespace
}  // namespace manyply

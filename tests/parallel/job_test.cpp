// Tests counts, without and with tables.
#include "parallel/jobs/job.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"
#include "tests/support/epd_suite.h"
#include "tests/support/kernels_here.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

ErrorCode error_of(const JobSpec& spec, const std::stop_token& stop = {}) {
  const auto result = run_job(spec, stop);
  return result.ok() ? ErrorCode{-1} : result.error().code;
}

struct Known {
  std::string_view fen;
  int depth;
  std::uint64_t nodes;
};

constexpr Known kKnown[] = {
    {kStartFen, 5, 4'865'609},
    {kKiwipeteFen, 4, 4'085'603},
    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, 11'030'083},
    {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422'333},
    {"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2'103'487},
    {"4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1", 5, 1'202'493},
};

TEST(Job, CountsKnownPositionsOnAnyNumberOfThreads) {
  for (const Known& known : kKnown) {
    const Report one = run(job_spec(known.fen, known.depth, 1));
    EXPECT_EQ(one.nodes, known.nodes) << known.fen;
    EXPECT_EQ(one.divide, *divide(parse_position(known.fen)->position, Depth(known.depth)));
    for (const int threads : kWorkerCounts) {
      const Report report = run(job_spec(known.fen, known.depth, threads));
      EXPECT_EQ(report.nodes, one.nodes);
      EXPECT_EQ(report.divide, one.divide);
      EXPECT_EQ(report.visited, one.visited);
      EXPECT_EQ(report.units, one.units);
      EXPECT_EQ(report.threads, threads);
    }
  }
}

TEST(Job, EveryKernelAgrees) {
  for (const Kernel* kernel : kernels_here()) {
    for (const Known& known : kKnown) {
      JobSpec forced = job_spec(known.fen, known.depth);
      forced.kernel = kernel;
      const Report report = run(forced);
      EXPECT_EQ(report.nodes, known.nodes) << kernel->name << ' ' << known.fen;
      EXPECT_EQ(report.kernel, kernel->name);
    }
  }
}

TEST(Job, ShallowDepths) {
  for (const Known& known : kKnown) {
    const Position root = parse_position(known.fen)->position;
    EXPECT_EQ(run(job_spec(known.fen, 0)).nodes, 1U);
    EXPECT_THAT(run(job_spec(known.fen, 0)).divide, IsEmpty());
    for (int depth = 1; depth <= 3; ++depth) {
      EXPECT_EQ(run(job_spec(known.fen, depth)).divide, *divide(root, Depth(depth))) << known.fen;
    }
  }
}

TEST(Job, NoRootMoves) {
  for (const std::string_view fen :
       {"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "7k/5Q2/8/8/8/8/8/K7 b - - 0 1"}) {
    EXPECT_EQ(run(job_spec(fen, 0)).nodes, 1U);
    for (const int depth : {1, 2, 7, 64}) {
      const Report report = run(job_spec(fen, depth));
      EXPECT_EQ(report.nodes, 0U);
      EXPECT_THAT(report.divide, IsEmpty());
      EXPECT_EQ(report.units, 0U);
    }
  }
}

TEST(Job, FewRootMoves) {
  constexpr std::string_view kFens[] = {
      "8/8/8/8/8/5k2/7p/7K w - - 0 1",   // one
      "7k/8/8/8/8/8/1p5r/K7 w - - 0 1",  // two
      "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5P2/PPPP2PP/RNBQKBNR w KQkq - 1 3",
  };
  for (const std::string_view fen : kFens) {
    for (int depth = 1; depth <= 6; ++depth) {
      EXPECT_EQ(run(job_spec(fen, depth, 3)).divide,
                *divide(parse_position(fen)->position, Depth(depth)))
          << fen << ' ' << depth;
    }
  }
}

// Two kings reach fewer positions than a split needs. The splitter then goes down to the last
// plies, and can count depths that would take recursion too long.
TEST(Job, MergesDeepCountsOfFewPositions) {
  constexpr std::string_view kKings = "1k6/8/8/8/8/8/8/1K6 w - - 0 1";
  const Report merged = run(job_spec(kKings, 10));
  EXPECT_EQ(merged.nodes, *count_nodes(parse_position(kKings)->position, Depth(10)));
  EXPECT_LT(merged.visited, 2'000'000U);
  EXPECT_FALSE(run(job_spec(kKings, 30)).nodes.fits_64_bits());
}

TEST(Job, MoreThan128BitsAreAnOverflow) {
  EXPECT_EQ(error_of(job_spec(kWalledKings, 64)), ErrorCode::kOverflow);
}

TEST(Job, ComparesWithPublishedValues) {
  const Report start = run(job_spec(kStartFen, 4));
  EXPECT_EQ(start.known, KnownVerdict::kMatch);
  EXPECT_EQ(start.known_nodes, NodeCount(197'281));
  const Report unpublished = run(job_spec("8/8/8/8/8/5k2/7p/7K w - - 0 1", 3));
  EXPECT_EQ(unpublished.known, KnownVerdict::kUnknown);
  EXPECT_EQ(unpublished.known_nodes, std::nullopt);
}

TEST(Job, ReportsSpeeds) {
  const Report report = run(job_spec(kStartFen, 5));
  EXPECT_GT(report.seconds, 0);
  EXPECT_GT(report.leaves_per_second(), 0);
  EXPECT_GT(report.visited_per_second(), 0);
  EXPECT_EQ(Report{}.leaves_per_second(), 0);
}

TEST(Job, ZeroThreadsMeansEveryCore) {
  EXPECT_EQ(run(job_spec(kStartFen, 3, 0)).threads, available_threads());
}

TEST(Job, RefusesImpossibleThreadCounts) {
  EXPECT_EQ(error_of(job_spec(kStartFen, 3, -1)), ErrorCode::kInvalidInput);
  EXPECT_EQ(error_of(job_spec(kStartFen, 3, 1'000'000)), ErrorCode::kInvalidInput);
}

// The complete count would take months.
TEST(Job, CancelsFromAnotherThread) {
  for (const int threads : kWorkerCounts) {
    const DelayedStop stop(20ms);
    EXPECT_EQ(error_of(job_spec(kKiwipeteFen, 14, threads), stop.token()), ErrorCode::kCancelled);
  }
}

TEST(Job, CancelsBeforeItStarts) {
  EXPECT_EQ(error_of(job_spec(kStartFen, 20), stopped_before()), ErrorCode::kCancelled);
}

TEST(Job, ProgressEndsAtTheTotal) {
  for (const Known& known : kKnown) {
    Progress progress;
    EXPECT_EQ(progress.snapshot().units_total, 0U);
    const Report report = run_job(job_spec(known.fen, known.depth, 3), {}, &progress).value();
    const ProgressSnapshot end = progress.snapshot();
    EXPECT_EQ(end.units_total, report.units);
    EXPECT_EQ(end.units_done, report.units);
    EXPECT_EQ(end.visited, report.visited);
    EXPECT_EQ(end.leaves, report.nodes.approximate());  // exact below 2^53
  }
}

TEST(Job, ProgressSaysWhatComesBeforeCounting) {
  Progress watched;
  EXPECT_EQ(watched.snapshot().step, Step::kStarting);
  EXPECT_EQ(watched.snapshot().share_done(), std::nullopt) << "not yet known, which is not 0";
  // Stopped between setting up and counting.
  ProgressSnapshot set_up;
  JobTrace trace;
  trace.on_tables = [&](JobTables&) { set_up = watched.snapshot(); };
  JobSpec hashed = job_spec(kStartFen, 6, 3);
  hashed.hash = HashSpec{.bytes = std::uint64_t{5} << 20};
  hashed.trace = &trace;
  ASSERT_TRUE(run_job(hashed, {}, &watched).ok());
  EXPECT_EQ(set_up.step, Step::kSettingUp);
  EXPECT_GT(set_up.bytes_to_set_up, std::uint64_t{4} << 20);
  EXPECT_EQ(set_up.share_done(), 1) << "every byte that was touched, and no other";
  EXPECT_EQ(watched.snapshot().step, Step::kCounting);
  EXPECT_EQ(watched.snapshot().share_done(), 1);

  // Stopped during the split.
  Progress stopped;
  EXPECT_FALSE(run_job(job_spec(kStartFen, 6, 3), stopped_before(), &stopped).ok());
  EXPECT_EQ(stopped.snapshot().step, Step::kSplitting);
  EXPECT_EQ(stopped.snapshot().share_done(), std::nullopt);
}

TEST(Job, ProgressHasWhatItsUnitsTellThemselves) {
  Progress all;
  all.start(1, 4);
  all.worker(0).units_done.add(1);
  all.worker(0).leaves.add(10);
  Progress unit;
  all.nest(&unit);
  EXPECT_EQ(all.snapshot().share_done(), 0.25);
  unit.enter(Step::kSettingUp, 100);
  unit.bytes_set_up() = 30;
  EXPECT_EQ(all.snapshot().step, Step::kSettingUp);
  EXPECT_EQ(all.snapshot().share_done(), 0.3);
  unit.start(1, 10);
  unit.worker(0).units_done.add(5);
  unit.worker(0).leaves.add(7);
  EXPECT_EQ(all.snapshot().step, Step::kCounting);
  EXPECT_EQ(all.snapshot().share_done(), (1 + 0.5) / 4);
  EXPECT_EQ(all.snapshot().leaves, 17);
  ProgressSnapshot timed = all.snapshot();
  timed.seconds_before = 0;
  EXPECT_EQ(seconds_left(timed, 15), 25) << "one and a half in 15 s, two and a half to go";
  all.nested_done(14, 3);
  EXPECT_EQ(all.snapshot().units_done, 2U);
  EXPECT_EQ(all.snapshot().share_done(), 0.5);
  EXPECT_EQ(all.snapshot().leaves, 24);
}

TEST(Job, ProgressGrowsWhileWatched) {
  Progress progress;
  std::jthread watcher([&](const std::stop_token& stop) {
    ProgressSnapshot before;
    while (!stop.stop_requested()) {
      const ProgressSnapshot now = progress.snapshot();
      EXPECT_GE(now.leaves, before.leaves);
      EXPECT_GE(now.visited, before.visited);
      EXPECT_GE(now.units_done, before.units_done);
      EXPECT_GE(now.units_total, before.units_total);
      before = now;
    }
  });
  EXPECT_TRUE(run_job(job_spec(kStartFen, 6, 3), {}, &progress).ok());
}

TEST(Job, SeveralJobsAtOnce) {
  std::vector<std::jthread> callers;
  for (const Known& known : kKnown) {
    callers.emplace_back(
        [known] { EXPECT_EQ(run(job_spec(known.fen, known.depth)).nodes, known.nodes); });
  }
}

/// Returns the best kernel with another function for counting.
Kernel fake_kernel(decltype(Kernel::count) count) {
  Kernel kernel = best_kernel();
  kernel.name = "fake";
  kernel.count = count;
  return kernel;
}

TEST(Job, ABugInsideATaskIsAnInternalError) {
  static std::atomic<int> calls;
  const Kernel buggy = fake_kernel(
      [](const Board& board, int depth, StopView stop, CountStats& stats) -> std::uint64_t {
        if (depth > 1 && ++calls > 1000) fail_check("check failed: injected");
        return best_kernel().count(board, depth, stop, stats);
      });
  for (const int threads : kWorkerCounts) {
    calls = 0;
    JobSpec job = job_spec(kStartFen, 6, threads);
    job.kernel = &buggy;
    const auto result = run_job(job, {});
    EXPECT_EQ(result.error().code, ErrorCode::kInternal);
    EXPECT_EQ(result.error().message, "check failed: injected");
  }
}

TEST(Job, ABugBeforeTheTasksIsAnInternalErrorToo) {
  Kernel buggy = best_kernel();
  buggy.generate = [](const Board&, MoveList&) { fail_check("check failed: injected"); };
  JobSpec job = job_spec(kStartFen, 6);
  job.kernel = &buggy;
  EXPECT_EQ(error_of(job), ErrorCode::kInternal);
}

TEST(Job, UnitSumsThatOverflowAreReported) {
  const Kernel huge = fake_kernel(
      [](const Board& board, int depth, StopView stop, CountStats& stats) -> std::uint64_t {
        return depth > 1 ? ~std::uint64_t{0} : best_kernel().count(board, depth, stop, stats);
      });
  JobSpec job = job_spec(kWalledKings, 40);
  job.kernel = &huge;
  EXPECT_EQ(error_of(job), ErrorCode::kOverflow);
}

// Units deeper than Kernel::kMaxDepth. If each subtree of that depth counts as 1, the job has as
// many leaves as there are paths above those subtrees.
TEST(Job, UnitsMayBeDeeperThanTheKernelCounts) {
  const Kernel flat = fake_kernel(
      [](const Board& board, int depth, StopView stop, CountStats& stats) -> std::uint64_t {
        return depth == Kernel::kMaxDepth ? 1 : best_kernel().count(board, depth, stop, stats);
      });
  JobSpec job =
      job_spec("kiwipete", 3 + Kernel::kMaxDepth);  // a fourth ply would give too many units
  job.kernel = &flat;
  EXPECT_EQ(run(job).nodes, 97'862U);
}

// The number of threads, the table size, the number of stripes and the keys must not change the
// count or the divide.

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
    JobSpec spec = job_spec(kStartFen, 8, 2, {.bytes = 16 * kMiB});
    spec.kernel = &stopping.kernel();
    EXPECT_EQ(run_job(spec, stopping.token()).error().code, ErrorCode::kCancelled);
    EXPECT_GE(stopping.calls_after(), 0) << calls;
    EXPECT_LT(stopping.calls_after(), 2 * 100) << calls;
  }
}

TEST(HashedJob, StopsWheneverAsked) {
  for (const int milliseconds : {0, 1, 20, 150}) {
    const DelayedStop stop(std::chrono::milliseconds{milliseconds});
    EXPECT_EQ(run_job(job_spec(kStartFen, 12, 2, {.bytes = 64 * kMiB}), stop.token()).error().code,
              ErrorCode::kCancelled);
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

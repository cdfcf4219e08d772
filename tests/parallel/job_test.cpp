#include "parallel/jobs/job.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>

#include "tests/parallel/jobs.h"
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
// plies, and counts what recursion could not.
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
    ASSERT_FALSE(result.ok());
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
      job_spec("kiwipete", 3 + Kernel::kMaxDepth);  // a fourth ply would be too many units
  job.kernel = &flat;
  EXPECT_EQ(run(job).nodes, 97'862U);
}

}  // namespace
}  // namespace manyply

#include "parallel/range_job.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "core/fen.h"
#include "core/known_values.h"
#include "parallel/mutex.h"
#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"
#include "tests/support/eventually.h"

namespace manyply {
namespace {

constexpr int kThreads[] = {1, 3};

JobSpec spec_of(std::string_view fen, int depth, std::uint64_t hash_bytes) {
  JobSpec spec = job_spec(fen, depth, 0);
  if (hash_bytes > 0) spec.hash = HashSpec{.bytes = hash_bytes};
  return spec;
}

/// A job that is counted in ranges, and what has come of them.
struct Ranges {
  Ranges(const JobSpec& the_spec, int threads)
      : spec(the_spec), job(RangeJob::prepare(spec, Workers(threads), {}, progress).value()) {}

  [[nodiscard]] std::size_t units() const { return job->order().units.size(); }
  [[nodiscard]] UnitOrder range(std::size_t begin, std::size_t end) const {
    return range_of(job->order(), begin, end);
  }

  /// Any thread, also concurrently.
  void add_sum_of(const UnitOrder& range) {
    const auto sums = job->sum(range.units);
    const MutexLock lock(mutex);
    divide.resize(sums.size(), {Move(), 0});
    for (std::size_t i = 0; i < sums.size(); ++i) {
      divide[i].move = sums[i].move;
      divide[i].nodes += sums[i].nodes;
    }
  }

  void count_alone(const UnitOrder& range) {
    UnitSource source;
    source.add(range);
    source.close();
    ASSERT_TRUE(job->count(source, {}).ok());
    add_sum_of(range);
  }

  const JobSpec spec;
  Progress progress;
  std::unique_ptr<RangeJob> job;
  Mutex mutex;
  std::vector<DivideEntry> divide;
};

/// Places from 0 to `units` where ranges meet, some of them twice.
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

// With private windows, with a window that all share, without a table; and one whose counts come
// from few root moves.
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
        auto cuts = random_cuts(ranges.units(), count, random);
        // Ranges in any order, but no unit twice.
        std::vector<std::size_t> turns(count);
        for (std::size_t i = 0; i < count; ++i) turns[i] = i;
        std::ranges::shuffle(turns, random);
        for (const std::size_t i : turns) ranges.count_alone(ranges.range(cuts[i], cuts[i + 1]));
        ASSERT_EQ(ranges.divide, whole.divide) << fen << ' ' << threads << ' ' << count;
        EXPECT_EQ(ranges.progress.snapshot().units_done, whole.units);
      }
    }
  }
}

TEST(RangeJob, WorkersGoOnIntoRangesThatComeMeanwhile) {
  std::mt19937_64 random(11);
  for (const auto& [fen, depth, hash_bytes] : kRangeCases) {
    const JobSpec spec = spec_of(fen, depth, hash_bytes);
    const Report whole = run_job(spec, {}).value();
    for (const int threads : kThreads) {
      constexpr std::size_t kRanges = 12;
      Ranges ranges(spec, threads);
      const auto cuts = random_cuts(ranges.units(), kRanges, random);
      UnitSource source;
      std::atomic<std::size_t> done{0};
      const std::jthread feeder([&] {
        for (std::size_t i = 0; i < kRanges; ++i) {
          // Two ahead of the one that is counted, as whoever claims ranges from others does.
          EXPECT_TRUE(eventually([&] { return done + 2 >= i; }));
          const UnitOrder range = ranges.range(cuts[i], cuts[i + 1]);
          source.add(range, [&ranges, &done, range] {
            ranges.add_sum_of(range);
            ++done;
          });
        }
        source.close();
      });
      ASSERT_TRUE(ranges.job->count(source, {}).ok());
      EXPECT_EQ(done, kRanges);
      ASSERT_EQ(ranges.divide, whole.divide) << fen << ' ' << threads;
    }
  }
}

// What a range finds in the tables was put there by the ranges before. Neighbours share most, so
// each range here takes every eighth unit: with tables that are empty each time that costs far
// more than one range of all, with tables that are kept about the same.
TEST(RangeJob, TablesAreKeptFromRangeToRange) {
  const JobSpec spec = spec_of(kStartFen, 6, std::uint64_t{8} << 20);
  constexpr std::size_t kRanges = 8;
  const auto visited_in = [&](std::size_t count, bool kept) {
    std::uint64_t visited = 0;
    std::optional<Ranges> ranges(std::in_place, spec, 1);
    const std::vector<std::uint32_t> units = ranges->job->order().units;
    for (std::size_t i = 0; i < count; ++i) {
      if (!kept && i > 0) ranges.emplace(spec, 1);
      UnitOrder range{.units = {}, .group_begin = {0}};
      for (std::size_t at = i; at < units.size(); at += count) range.units.push_back(units[at]);
      const std::uint64_t before = ranges->progress.snapshot().visited;
      ranges->count_alone(range);
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
  const std::size_t half = ranges.units() / 2;
  ranges.count_alone(ranges.range(0, half));
  const HashReport first = ranges.job->hash_report().value();
  ranges.count_alone(ranges.range(half, ranges.units()));
  const HashReport both = ranges.job->hash_report().value();
  EXPECT_GT(first.expected_false_matches, 0);
  EXPECT_GT(both.expected_false_matches, first.expected_false_matches);
  EXPECT_GT(both.stats.total().probes, first.stats.total().probes);
}

TEST(RangeJob, AStoppedRangeIsCancelledAndTheJobGoesOn) {
  Ranges ranges(spec_of(kKiwipeteFen, 5, 0), 2);
  std::stop_source stop;
  stop.request_stop();
  UnitSource source;
  bool done = false;
  source.add(ranges.job->order(), [&] { done = true; });
  source.close();
  const auto stopped = ranges.job->count(source, stop.get_token());
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_FALSE(done);
  ranges.count_alone(ranges.job->order());
  NodeCount total;
  for (const DivideEntry& entry : ranges.divide) total += entry.nodes;
  EXPECT_EQ(total, NodeCount(193690690));
}

}  // namespace
}  // namespace manyply

#include "parallel/jobs/range_job.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "core/base/mutex.h"
#include "core/fen.h"
#include "core/known_values.h"
#include "parallel/split/range_plan.h"
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

/// All of a job's units, as ranges are cut from them.
JobUnits units_of(const JobSpec& spec, const PlannedUnits& units) {
  return units_for_ranges(spec.root.position, spec.depth, units, Workforce(Workers(2))).value();
}
JobUnits units_of(const JobSpec& spec, UnitStorage storage = UnitStorage::kByRootMove) {
  return units_of(spec, {.enough = 100'000, .most = 100'000, .storage = storage});
}

/// A job that is counted in ranges, and what has come of them.
struct Ranges {
  Ranges(const JobSpec& the_spec, int threads, UnitStorage storage = UnitStorage::kByRootMove)
      : Ranges(the_spec, threads, units_of(the_spec, storage)) {}
  Ranges(const JobSpec& the_spec, int threads, JobUnits the_units)
      : spec(the_spec),
        units(std::move(the_units)),
        job(RangeJob::prepare(spec, Workforce(Workers(threads), spec.kernel, {}, &progress), units)
                .value()),
        sums(units.sums()) {}

  /// Any thread, also concurrently.
  void add_sum_of(const UnitSpan& range) {
    const auto some = job->sum(range);
    const MutexLock lock(mutex);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += some[i];
  }

  void count_alone(const UnitSpan& range) {
    UnitSource source;
    if (range.size() > 0)
      job->add(source, {range}, [&](std::size_t /*part*/) { add_sum_of(range); });
    source.close();
    ASSERT_TRUE(job->count(source, {}).ok());
  }

  /// What run_job says, too.
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
  Mutex mutex;
  std::vector<NodeCount> sums;
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
    for (const UnitStorage storage : kStorages) {
      for (const int threads : kThreads) {
        for (const std::size_t count : {2U, 25U}) {
          Ranges ranges(spec, threads, storage);
          auto cuts = random_cuts(ranges.units.size(), count, random);
          // Ranges in any order, but no unit twice.
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
}

TEST(RangeJob, WorkersGoOnIntoRangesThatComeMeanwhile) {
  std::mt19937_64 random(11);
  for (const auto& [fen, depth, hash_bytes] : kRangeCases) {
    const JobSpec spec = spec_of(fen, depth, hash_bytes);
    const Report whole = run_job(spec, {}).value();
    for (const UnitStorage storage : kStorages) {
      for (const int threads : kThreads) {
        constexpr std::size_t kRanges = 12;
        Ranges ranges(spec, threads, storage);
        const auto cuts = random_cuts(ranges.units.size(), kRanges, random);
        UnitSource source;
        std::atomic<std::size_t> done{0};
        const std::jthread feeder([&] {
          for (std::size_t i = 0; i < kRanges; ++i) {
            // Two ahead of the one that is counted, as whoever claims ranges from others does.
            EXPECT_TRUE(eventually([&] { return done + 2 >= i; }));
            const UnitSpan range{cuts[i], cuts[i + 1]};
            if (range.size() == 0) {
              ++done;
              continue;
            }
            ranges.job->add(source, {range}, [&ranges, &done, range](std::size_t /*part*/) {
              ranges.add_sum_of(range);
              ++done;
            });
          }
          source.close();
        });
        ASSERT_TRUE(ranges.job->count(source, {}).ok());
        EXPECT_EQ(done, kRanges);
        ranges.expect_sums_of(whole);
      }
    }
  }
}

TEST(RangeJob, PartsAreToldOfOneByOneAndGapsBetweenThemAreNotCounted) {
  const JobSpec spec = spec_of(kKiwipeteFen, 5, 0);
  for (const UnitStorage storage : kStorages) {
    Ranges ranges(spec, 2, storage);
    const std::size_t units = ranges.units.size();
    const std::vector<UnitSpan> parts{
        {0, 7}, {7, units / 3}, {units / 3 + 1, units / 2}, {units / 2, units}};
    UnitSource source;
    std::atomic<int> told{0};
    ranges.job->add(source, parts, [&](std::size_t part) {
      ranges.add_sum_of(parts[part]);
      ++told;
    });
    source.close();
    ASSERT_TRUE(ranges.job->count(source, {}).ok());
    EXPECT_EQ(told, 4);
    EXPECT_EQ(ranges.progress.snapshot().units_done, units - 1);
    ranges.count_alone({units / 3, units / 3 + 1});
    ranges.expect_sums_of(run_job(spec, {}).value());
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
    for (std::size_t i = 0; i < count; ++i) {
      if (!kept && i > 0) ranges.emplace(spec, 1);
      if (!kept || i == 0) ranges->job->hold_all();
      UnitOrder range{.units = {}, .group_begin = {0}};
      for (std::size_t unit = i; unit < ranges->units.size(); unit += count)
        range.units.push_back(static_cast<std::uint32_t>(unit));
      const std::uint64_t before = ranges->progress.snapshot().visited;
      UnitSource source;
      source.add(range);
      source.close();
      EXPECT_TRUE(ranges->job->count(source, {}).ok());
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
  std::stop_source stop;
  stop.request_stop();
  const UnitSpan all{0, ranges.units.size()};
  UnitSource source;
  bool done = false;
  ranges.job->add(source, {all}, [&](std::size_t /*part*/) { done = true; });
  source.close();
  const auto stopped = ranges.job->count(source, stop.get_token());
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_FALSE(done);
  ranges.count_alone(all);
  ranges.expect_sums_of(run_job(ranges.spec, {}).value());
}

// Units of seven plies, in batches that have positions below them in common.
TEST(RangeJob, UnitsOfManyPliesAreSplitAgainTogether) {
  constexpr std::string_view kFen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
  const JobSpec spec = spec_of(kFen, 8, std::uint64_t{16} << 20);
  const Report whole = run_job(spec, {}).value();
  ASSERT_EQ(whole.known, KnownVerdict::kMatch);
  for (const UnitStorage storage : kStorages) {
    const PlannedUnits planned{.most = 100, .storage = storage};
    const JobUnits units = units_of(spec, planned);
    std::vector<NodeCount> counts;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      const JobSpec one = spec_of(to_fen(position_unchecked(units.board(unit))), 7, kMinHashBytes);
      counts.push_back(run_job(one, {})->nodes);
    }
    for (const int threads : kThreads) {
      Ranges ranges(spec, threads, units_of(spec, planned));
      ASSERT_EQ(ranges.job->unit_depth(), 7);
      ASSERT_EQ(ranges.units.size(), 14U);
      const std::vector<UnitSpan> parts{{0, 1}, {1, 6}, {6, 7}, {9, 14}};
      UnitSource source;
      std::atomic<std::size_t> told = 0;
      ranges.job->add(source, parts, [&](std::size_t part) {
        ++told;
        ranges.add_sum_of(parts[part]);
        for (std::size_t unit = parts[part].begin; unit < parts[part].end; ++unit) {
          EXPECT_EQ(ranges.job->count_of(unit), counts.at(unit));
        }
      });
      source.close();
      ASSERT_TRUE(ranges.job->count(source, {}).ok());
      EXPECT_EQ(told, parts.size());
      EXPECT_EQ(ranges.progress.snapshot().units_done, 12U);
      ranges.count_alone({7, 9});
      ranges.expect_sums_of(whole);
      EXPECT_EQ(ranges.progress.snapshot().units_done, 14U);
      EXPECT_NEAR(ranges.progress.snapshot().leaves / whole.nodes.approximate(), 1, 1e-9);
      if (threads > 1) continue;
      // A range that was lost and is had again while it is still being counted.
      UnitSource twice;
      for (int i = 0; i < 2; ++i) {
        ranges.job->add(twice, {{0, 5}}, [&](std::size_t /*part*/) {
          EXPECT_EQ(ranges.job->count_of(4), counts[4]);
        });
      }
      twice.close();
      ASSERT_TRUE(ranges.job->count(twice, {}).ok());
    }
  }
}

// Some of these units have no move, and so nothing below them; in the second position none has.
TEST(RangeJob, UnitsWithoutAMoveAreSplitAgainToNothing) {
  for (const auto& [fen, depth] : {std::pair("k7/8/1K6/8/8/8/8/7R w - - 0 1", 8),
                                   std::pair("k7/2Q5/8/8/8/8/8/K7 w - - 0 1", 8)}) {
    const JobSpec spec = spec_of(fen, depth, 0);
    const Report whole = run_job(spec, {}).value();
    Ranges ranges(spec, 2, units_of(spec, {.most = 1}));
    ASSERT_EQ(ranges.job->unit_depth(), 7);
    std::vector<UnitSpan> parts;
    for (std::size_t unit = 0; unit < ranges.units.size(); ++unit)
      parts.push_back({unit, unit + 1});
    UnitSource source;
    std::atomic<std::size_t> told = 0;
    ranges.job->add(source, parts, [&](std::size_t part) {
      ++told;
      ranges.add_sum_of(parts[part]);
    });
    source.close();
    ASSERT_TRUE(ranges.job->count(source, {}).ok());
    EXPECT_EQ(told, parts.size());
    ranges.expect_sums_of(whole);
    // Alone, a unit that is mate or stalemate has no position below it.
    for (std::size_t unit = 0; unit < ranges.units.size(); ++unit) {
      UnitSource one;
      NodeCount count = 1;
      ranges.job->add(one, {{unit, unit + 1}},
                      [&](std::size_t /*part*/) { count = ranges.job->count_of(unit); });
      one.close();
      ASSERT_TRUE(ranges.job->count(one, {}).ok());
      CountStats unused;
      EXPECT_EQ(count, count_board(ranges.units.board(unit), 7, best_kernel(), {}, unused));
    }
  }
}

TEST(RangeJob, ASplitThatIsStoppedAddsNothing) {
  Ranges ranges(spec_of(kStartFen, 8, 0), 1, units_of(spec_of(kStartFen, 8, 0), {.most = 100}));
  std::stop_source stop;
  stop.request_stop();
  UnitSource source;
  bool told = false;
  ranges.job->add(source, {{0, 20}}, [&](std::size_t /*part*/) { told = true; }, stop.get_token());
  source.close();
  ASSERT_TRUE(ranges.job->count(source, {}).ok());
  EXPECT_FALSE(told);
}

TEST(UnitCounts, PagesAreThereWhileAUnitOfTheirsIsHeld) {
  UnitCounts counts(100'000);
  EXPECT_EQ(counts.pages_held(), 0U);
  counts.hold({100, 5'000});  // pages of 4096
  counts.hold({4'900, 8'200});
  EXPECT_EQ(counts.pages_held(), 3U);
  EXPECT_EQ(counts[8'199], NodeCount(0));
  counts[4'950] = 7;
  counts.release({100, 5'000});
  EXPECT_EQ(counts.pages_held(), 2U);
  EXPECT_EQ(counts[4'950], NodeCount(7));
  counts.release({4'900, 5'000});
  counts.release({5'000, 8'200});
  EXPECT_EQ(counts.pages_held(), 0U);
  counts.hold({4'950, 4'951});
  EXPECT_EQ(counts[4'950], NodeCount(0));
  EXPECT_THROW(counts.release({4'950, 4'952}), BugError);
}

}  // namespace
}  // namespace manyply

#include "parallel/jobs/range_job.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "core/fen.h"
#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

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

// A range finds entries in the tables that earlier ranges have stored. Neighbouring units share
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

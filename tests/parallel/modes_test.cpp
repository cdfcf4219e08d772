// Tests estimates and move statistics.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "core/known_values.h"
#include "hash/statistics_search.h"
#include "parallel/jobs/estimate.h"
#include "parallel/jobs/statistics_job.h"
#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"
#include "tests/support/oracle.h"
#include "tests/support/oracle_statistics.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

EstimateSpec estimate_spec(std::string_view fen, int depth, std::uint64_t samples,
                           std::uint64_t seed = 1) {
  return {
      {.root = parse_position(fen).value(), .depth = Depth(depth), .threads = 2}, samples, seed};
}

EstimateReport estimate(const EstimateSpec& spec) {
  auto report = estimate_nodes(spec, {});
  EXPECT_TRUE(report.ok());
  return report.ok() ? *report : EstimateReport{};
}

/// Returns how many of `seeds` intervals do not contain the true count. A correct interval misses
/// it with a probability of 0.01.
int misses(std::string_view fen, int depth, std::uint64_t samples, int seeds) {
  const double truth =
      known_value(parse_position(fen).value().position, Depth(depth)).value().approximate();
  int missed = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const EstimateReport report =
        estimate(estimate_spec(fen, depth, samples, static_cast<std::uint64_t>(seed)));
    missed += truth < report.low || truth > report.high ? 1 : 0;
  }
  return missed;
}

TEST(Estimate, FewPliesAreExact) {
  for (int depth = 0; depth <= EstimateSpec::kExact; ++depth) {
    const EstimateReport report = estimate(estimate_spec("kiwipete", depth, 100));
    EXPECT_TRUE(report.exact);
    EXPECT_EQ(
        report.estimate,
        (std::array<double, 5>{1, 48, 2039, 97862, 4085603}.at(static_cast<std::size_t>(depth))));
    EXPECT_EQ(report.low, report.high);
  }
}

TEST(Estimate, SeedAndSamplesDecideAndNothingElse) {
  EstimateSpec spec = estimate_spec("startpos", 9, kIsFastBuild ? 300 : 100, 5);
  const EstimateReport first = estimate(spec);
  for (const int threads : {1, 3, 8}) {
    spec.threads = threads;
    const EstimateReport again = estimate(spec);
    EXPECT_EQ(again.estimate, first.estimate);
    EXPECT_EQ(again.low, first.low);
    EXPECT_EQ(again.standard_error, first.standard_error);
  }
  spec.kernel = *find_kernel("portable");
  EXPECT_EQ(estimate(spec).estimate, first.estimate);
  spec.seed = 6;
  EXPECT_NE(estimate(spec).estimate, first.estimate);
}

TEST(Estimate, GamesThatEndEarly) {
  // The side to move is mated, or all paths end before the depth.
  EXPECT_EQ(estimate(estimate_spec("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", 8, 100)).estimate, 0);
  EXPECT_EQ(estimate(estimate_spec("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", 8, 100)).high, 0);
}

TEST(Estimate, RefusesWhatCannotBe) {
  EXPECT_FALSE(estimate_nodes(estimate_spec("startpos", 8, 1), {}).ok());
  EstimateSpec spec = estimate_spec("startpos", 8, 100);
  spec.threads = 5'000;
  EXPECT_FALSE(estimate_nodes(spec, {}).ok());
  EXPECT_EQ(estimate_nodes(estimate_spec("startpos", 12, 1'000'000), stopped_before()).error().code,
            ErrorCode::kCancelled);
}

TEST(Estimate, StudentsPoint) {
  EXPECT_NEAR(student_99(30), 2.7500, 2e-4);
  EXPECT_NEAR(student_99(99), 2.6264, 1e-4);
  EXPECT_NEAR(student_99(1'000'000'000), 2.5758, 1e-4);
}

// If each interval misses with a probability of 1 %, the probability of more than 5 misses in 40
// intervals is below 5e-6.
TEST(Estimate, IntervalsHoldWhatTheyPromise) {
  if (!kIsFastBuild) GTEST_SKIP() << "forty estimates are for fast builds";
  EXPECT_LE(misses("startpos", 7, 400, 40), 5);
}

// On average, 2 of 200 intervals miss. The probability of more than 11 misses is below 1e-5. On
// average, 12 of all 1200 intervals miss. The probability of no miss or more than 30 misses is
// below 1e-5.
TEST(EstimateSlow, IntervalsHoldWhatTheyPromise) {
  int all = 0;
  for (int depth = 7; depth <= 12; ++depth) {
    const int missed = misses("startpos", depth, 2'000, 200);
    RecordProperty("missed_" + std::to_string(depth), missed);
    EXPECT_LE(missed, 11) << depth;
    all += missed;
  }
  EXPECT_GE(all, 1);
  EXPECT_LE(all, 30);
}

constexpr const char* kClassic[] = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"};

StatisticsSpec statistics_spec(std::string_view fen, int depth, std::optional<StatisticsHash> hash,
                               int threads = 2) {
  return {{.root = parse_position(fen).value(), .depth = Depth(depth), .threads = threads}, hash};
}

StatisticTotals totals_of(const StatisticsSpec& spec) {
  const auto report = run_statistics(spec, {});
  EXPECT_TRUE(report.ok());
  return report.ok() ? report->totals : StatisticTotals{};
}

StatisticTotals wide(const MoveStatistics& statistics) {
  StatisticTotals totals;
  add_multiple(totals, statistics, 1);
  return totals;
}

constexpr StatisticsHash kSmallTable{.bytes = StatisticsTable::kMinBytes, .keys = {}};

TEST(StatisticsJob, AgreesWithTheOracle) {
  for (const char* fen : kClassic) {
    for (int depth = 1; depth <= (kIsFastBuild ? 3 : 2); ++depth) {
      const StatisticTotals expected = wide(oracle::statistics(oracle::parse(fen), depth));
      EXPECT_EQ(totals_of(statistics_spec(fen, depth, {})), expected) << fen << ' ' << depth;
      EXPECT_EQ(totals_of(statistics_spec(fen, depth, StatisticsHash{})), expected)
          << fen << ' ' << depth;
    }
  }
}

TEST(StatisticsJob, TablesAndThreadsChangeNothing) {
  for (const char* fen : kClassic) {
    const int depth = kIsFastBuild ? 4 : 3;
    const StatisticTotals plain = totals_of(statistics_spec(fen, depth, {}));
    EXPECT_EQ(totals_of(statistics_spec(fen, depth, StatisticsHash{}, 1)), plain) << fen;
    EXPECT_EQ(totals_of(statistics_spec(fen, depth, kSmallTable, 3)), plain) << fen;
    StatisticsSpec other =
        statistics_spec(fen, depth, StatisticsHash{.bytes = 0, .keys = {.seed = 7}});
    other.kernel = *find_kernel("portable");
    EXPECT_EQ(totals_of(other), plain) << fen;
  }
}

// Subtrees so deep that they use the wide part of the table.
TEST(StatisticsJob, DeepSubtreesOfFewPositions) {
  const char* fen = "7k/8/8/8/8/8/1p5r/K7 w - - 0 1";
  const int depth = kIsFastBuild ? 8 : 6;
  const StatisticTotals plain = totals_of(statistics_spec(fen, depth, {}));
  EXPECT_EQ(totals_of(statistics_spec(fen, depth, StatisticsHash{})), plain);
  EXPECT_EQ(totals_of(statistics_spec(fen, depth, kSmallTable)), plain);
  EXPECT_GT(plain.mates(), NodeCount(0));
}

TEST(StatisticsJob, TheDivideAddsUp) {
  for (int depth = 1; depth <= 4; ++depth) {
    const auto report = run_statistics(statistics_spec(kClassic[1], depth, StatisticsHash{}), {});
    EXPECT_EQ(report->divide.size(), 48U);
    EXPECT_EQ(report->known, KnownVerdict::kMatch);
    StatisticTotals sum;
    for (const auto& entry : report->divide) {
      for (std::size_t i = 0; i < kStatistics; ++i) sum.counts[i] += entry.totals.counts[i];
    }
    EXPECT_EQ(sum, report->totals);
  }
}

TEST(StatisticsJob, EdgesOfDepth) {
  const auto zero = run_statistics(statistics_spec(kClassic[0], 0, StatisticsHash{}), {});
  EXPECT_EQ(zero->totals[Statistic::kNodes], NodeCount(1));
  EXPECT_EQ(zero->totals[Statistic::kCaptures], NodeCount(0));
  // The side to move is mated, so there is no path.
  for (int depth = 1; depth <= 4; ++depth) {
    EXPECT_EQ(
        totals_of(statistics_spec("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", depth, StatisticsHash{})),
        StatisticTotals{});
  }
}

TEST(StatisticsJob, IsCancelledWithoutAResult) {
  const auto report =
      run_statistics(statistics_spec(kClassic[1], 7, StatisticsHash{}), stopped_before());
  EXPECT_EQ(report.error().code, ErrorCode::kCancelled);
}

TEST(StatisticsJob, GoesOnFromStoredSubtrees) {
  MemoryStore memory;
  StatisticsSpec spec = statistics_spec(kClassic[1], 4, StatisticsHash{});
  const auto whole = run_statistics(spec, {});
  spec.store = &memory;
  const auto first = run_statistics(spec, {});
  ASSERT_TRUE(whole.ok() && first.ok());
  EXPECT_EQ(first->totals, whole->totals);
  EXPECT_EQ(first->resumed_units, 0U);
  EXPECT_EQ(memory.recorded, first->units);

  // Keeps every third subtree.
  std::size_t kept = 0;
  for (std::size_t unit = 0; unit < first->units; ++unit) {
    kept += unit % 3 == 0 ? 1 : 0;
    if (unit % 3 != 0) memory.units.erase(unit);
  }
  memory.recorded = 0;
  Progress progress;
  ProgressSnapshot set_up;
  memory.on_open = [&] { set_up = progress.snapshot(); };
  const auto second = run_statistics(spec, {}, &progress);
  EXPECT_EQ(set_up.step, Step::kSettingUp);
  EXPECT_EQ(set_up.share_done(), 1) << "every byte that was touched, and no other";
  EXPECT_EQ(progress.snapshot().step, Step::kCounting);
  EXPECT_EQ(progress.snapshot().units_resumed, kept);
  EXPECT_EQ(progress.snapshot().units_done, second->units);
  EXPECT_EQ(second->totals, whole->totals);
  for (std::size_t i = 0; i < whole->divide.size(); ++i)
    EXPECT_EQ(second->divide[i].totals, whole->divide[i].totals);
  EXPECT_EQ(second->resumed_units, kept);
  EXPECT_GT(second->resumed_leaves, 0);
  EXPECT_LT(second->resumed_leaves, whole->totals[Statistic::kNodes].approximate());
  EXPECT_EQ(memory.recorded, first->units - kept);

  // A job with another question must find nothing in the store.
  spec.depth = Depth(3);
  EXPECT_EQ(run_statistics(spec, {})->resumed_units, 0U);
}

// All entries of a bucket have the same index bits. If keys are weak, few other bits are left.
TEST(StatisticsJob, ExpectsFalseMatchesWhereTheIndexLeavesFewBits) {
  const StatisticsHash weak{.bytes = StatisticsTable::kMinBytes, .keys = {.bits = 24}};
  const auto report = run_statistics(statistics_spec(kClassic[0], 5, weak), {});
  const auto misses = static_cast<double>(report->probes - report->hits);
  const double pairs = 497;  // of entries, in so small a table
  EXPECT_DOUBLE_EQ(report->expected_false_matches,
                   misses * StatisticsTable::kWays * pairs / std::exp2(24));
}

TEST(StatisticsJob, RefusesImpossibleThreads) {
  EXPECT_EQ(run_statistics(statistics_spec(kClassic[0], 3, {}, -1), {}).error().field, "threads");
}

// The Grand Chess Tree has published these values. The Chess Programming Wiki also counts mates as
// checks.
TEST(StatisticsJob, PublishedValues) {
  const auto report =
      run_statistics(statistics_spec(kClassic[0], kIsFastBuild ? 6 : 5, StatisticsHash{}, 2), {});
  const StatisticTotals& t = report->totals;
  if (kIsFastBuild) {
    EXPECT_EQ(t.counts, (std::array<NodeCount, 13>{119060324, 2812008, 5248, 0, 0, 797896, 329, 46,
                                                   0, 10828, 0, 0, 0}));
    EXPECT_EQ(t.checks() + t.mates(), NodeCount(809099));
  } else {
    EXPECT_EQ(t.counts,
              (std::array<NodeCount, 13>{4865609, 82719, 258, 0, 0, 26998, 6, 0, 0, 347, 0, 0, 0}));
  }
}

TEST(StatisticsJobSlow, PublishedValues) {
  struct Row {
    const char* fen;
    int depth;
    std::array<NodeCount, kStatistics> counts;
  };
  const Row rows[] = {{kClassic[0],
                       8,
                       {84998978956, 3523740106, 7187977, 23605205, 0, 958135303, 847039, 147215, 0,
                        9852032, 4, 0, 0}},
                      {kClassic[1],
                       6,
                       {8031647685, 1558445089, 3577504, 184513607, 56627920, 91254682, 568417,
                        54948, 0, 359937, 0, 66, 0}},
                      {kClassic[1],
                       7,
                       {374190009323, 69479646226, 117075132, 7831249352, 49612944, 8192443596,
                        101344336, 12671364, 0, 111582045, 3560, 79130, 0}},
                      {kClassic[5],
                       7,
                       {287188994746, 37337665196, 653902, 0, 0, 4921419642, 55454971, 14510646, 0,
                        3479648, 3531, 31568, 0}}};
  for (const Row& row : rows) {
    const auto report = run_statistics(statistics_spec(row.fen, row.depth, StatisticsHash{}), {});
    ASSERT_TRUE(report.ok()) << row.fen;
    EXPECT_EQ(report->totals.counts, row.counts) << row.fen;
  }
}

// Compares the kinds of moves in the last ply with the oracle, which makes each move.

using Counts = std::array<std::uint64_t, kLastPlyKinds>;

void add_by_oracle(const oracle::Position& position, int depth, Counts& counts) {
  for (const oracle::Move& move : oracle::legal_moves(position)) {
    const oracle::Position next = oracle::after(position, move);
    if (depth > 1) {
      add_by_oracle(next, depth - 1, counts);
      continue;
    }
    const char piece = position[move.from];
    const bool pawn = piece == 'P' || piece == 'p';
    const bool king = piece == 'K' || piece == 'k';
    const char rook = piece == 'K' ? 'R' : 'r';
    constexpr int kRanks = 10;  // squares from rank to rank in the mailbox
    if (pawn && std::abs(move.to - move.from) == 2 * kRanks) ++counts[0];
    if (king && position[move.to] == rook) ++counts[move.to > move.from ? 1 : 2];
    if (oracle::legal_moves(next).empty() && !oracle::in_check(next)) ++counts[3];
  }
}

Counts by_job(const NamedPosition& root, int depth) {
  TaskSpec spec;
  spec.root = root;
  spec.depth = Depth(depth);
  spec.threads = 2;
  const auto entries = count_last_ply(spec, {});
  Counts counts{};
  for (const LastPlyEntry& entry : *entries) {
    for (std::size_t i = 0; i < kLastPlyKinds; ++i) counts[i] += entry.totals.counts[i].low();
  }
  return counts;
}

void expect_like_oracle(const std::string& fen, int depth) {
  Counts expected{};
  add_by_oracle(oracle::parse(fen), depth, expected);
  EXPECT_EQ(by_job(*parse_position(fen), depth), expected) << fen << " depth " << depth;
}

TEST(StatisticsDetails, CountsAsTheOracleDoes) {
  for (const char* fen : {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                          "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                          "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
                          "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"}) {
    for (int depth = 1; depth <= 3; ++depth) expect_like_oracle(fen, depth);
  }
  // Stalemates: by blocking pieces, by pinned pawns, and with an en passant capture as the only
  // candidate.
  for (const char* fen : {"7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "k7/8/1K6/8/8/8/7p/8 b - - 0 1",
                          "8/8/8/8/8/4k3/4p3/4K3 b - - 0 1", "k7/p1K5/P7/8/8/8/6pp/6BR w - - 0 1",
                          "8/5p1k/5P1P/5KP1/8/8/8/8 w - - 0 1",
                          "5bnr/4p1pq/4Qpkr/7p/7P/4P3/PPPP1PP1/RNB1KBNR w KQ - 0 1",
                          "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 1"}) {
    for (int depth = 1; depth <= 3; ++depth) expect_like_oracle(fen, depth);
  }
}

TEST(StatisticsDetails, CountsAsTheOracleDoesOfTricky) {
  std::ifstream file(MANYPLY_SOURCE_DIR "/tools/suites/tricky.epd");
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line);) {
    const auto record = parse_epd_line(line);
    ASSERT_TRUE(record.ok()) << line;
    if (!*record) continue;
    ++lines;
    for (const int depth : {1, 2}) expect_like_oracle((*record)->fen, depth);
  }
  EXPECT_GT(lines, 100U);
}

TEST(StatisticsDetails, DepthZeroHasNone) {
  EXPECT_EQ(by_job(*parse_position("startpos"), 0), Counts{});
}

}  // namespace
}  // namespace manyply

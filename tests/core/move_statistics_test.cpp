#include "core/move_statistics.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "core/fen.h"
#include "tests/support/budget.h"
#include "tests/support/oracle_statistics.h"
#include "tests/support/random_positions.h"

namespace manyply {
namespace {

std::vector<const StatisticsKernel*> kernels() {
  std::vector<const StatisticsKernel*> list;
  for (const Kernel& kernel : all_kernels()) {
    if (runs_here(kernel)) list.push_back(&kernel.statistics);
  }
  return list;
}

MoveStatistics one_ply(const StatisticsKernel& kernel, const Board& board) {
  MoveStatistics sum;
  kernel.add_moves(board, sum);
  return sum;
}

/// One ply and two, by every kernel and by the sum of single moves, against the oracle.
void expect_as_oracle(const std::string& fen, bool two_plies = true) {
  const Position position = parse_position(fen).value().position;
  const MoveStatistics expected = oracle::statistics(oracle::parse(fen), 1);
  MoveStatistics by_move;
  for (const Move move : legal_moves(position)) {
    add_checked(by_move, statistics_of(position.board(), move));
  }
  EXPECT_EQ(by_move, expected) << fen;
  for (const StatisticsKernel* kernel : kernels()) {
    EXPECT_EQ(one_ply(*kernel, position.board()), expected) << kernel->name << ' ' << fen;
  }
  if (!two_plies) return;
  const MoveStatistics both = oracle::statistics(oracle::parse(fen), 2);
  for (const StatisticsKernel* kernel : kernels()) {
    MoveStatistics sum;
    EXPECT_EQ(kernel->add_two_plies(position.board(), sum), expected[Statistic::kNodes]) << fen;
    EXPECT_EQ(sum, both) << kernel->name << ' ' << fen;
  }
}

/// The column that a position was made for, so that it is not empty by mistake.
struct Case {
  const char* fen;
  Statistic which;
  std::uint64_t count;
};

TEST(MoveStatistics, KindsThatGamesSeldomShow) {
  const Case cases[] = {
      // En passant opens the rank of the captured pawn, or its diagonal.
      {"8/8/8/R2pP2k/8/8/8/4K3 w - d6 0 1", Statistic::kDiscoveredChecks, 1},
      {"8/6k1/8/3pP3/8/8/1B6/4K3 w - d6 0 1", Statistic::kDiscoveredChecks, 2},
      // Both the capturing and the captured pawn leave a line.
      {"8/8/2k5/2Pp4/8/8/8/K1R4B w - d6 0 1", Statistic::kDoubleDiscoveredChecks, 1},
      {"7k/8/8/3pP3/8/2B5/8/K7 w - d6 0 1", Statistic::kDiscoveredChecks, 2},
      {"k7/8/8/3pP3/8/8/6B1/K7 w - d6 0 1", Statistic::kDiscoveredChecks, 1},
      // Promotion discovers, checks backwards along its own file, and does both.
      {"8/4P3/8/4k3/8/8/8/4K3 w - - 0 1", Statistic::kDirectChecks, 2},
      {"3r4/R3P2k/8/8/8/8/8/4K3 w - - 0 1", Statistic::kDiscoveredChecks, 8},
      // Castling: the rook checks, or mates.
      {"5k2/8/8/8/8/8/8/4K2R w K - 0 1", Statistic::kDirectChecks, 3},
      {"3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", Statistic::kDirectChecks, 3},
      // Chess960: of the castling move both men have moved.
      {"8/8/8/8/8/8/8/Q1RK3k w C - 0 1", Statistic::kDirectChecks, 3},
      // The king discovers, and steps along the line without discovering.
      {"k7/8/8/8/K7/8/8/R7 w - - 0 1", Statistic::kDiscoveredChecks, 3},
      // A double step that mates would be one but for the reply en passant.
      {"8/8/8/8/1pk5/8/P7/K7 w - - 0 1", Statistic::kNodes, 4},
      // Knight leaves the line and checks itself.
      {"4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1", Statistic::kDirectDiscoveredChecks, 2},
  };
  for (const auto& [fen, which, count] : cases) {
    expect_as_oracle(fen);
    MoveStatistics sum;
    best_kernel().statistics.add_moves(parse_position(fen).value().position.board(), sum);
    EXPECT_EQ(sum[which], count) << fen;
  }
}

TEST(MoveStatistics, MatesOfEachKindAreNoChecks) {
  expect_as_oracle("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1");  // on the back rank
  expect_as_oracle("6rk/6pp/7N/8/8/8/8/K7 w - - 0 1");    // smothered
  MoveStatistics sum;
  best_kernel().statistics.add_moves(
      parse_position("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1").value().position.board(), sum);
  EXPECT_EQ(sum.mates(), 1U);
  EXPECT_EQ(sum.checks(), 0U);
}

TEST(MoveStatistics, ClassicPositions) {
  for (const char* fen :
       {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"}) {
    expect_as_oracle(fen);
  }
}

TEST(MoveStatistics, Chess960Starts) {
  for (int number = 0; number < 960; number += 97) expect_as_oracle(chess960_start(number));
}

TEST(MoveStatistics, MenThrownOnTheBoard) {
  const Chooser choose = choose_by_seed(20'251);
  std::uint64_t legal = 0;
  std::uint64_t kinds = 0;  // bit by column: which ones were met at all
  for (std::uint64_t i = 0; i < budget(8'000); ++i) {
    const std::string fen = piece_soup(choose);
    const auto parsed = parse_position(fen);
    if (!parsed.ok()) continue;
    ++legal;
    expect_as_oracle(fen, false);
    const MoveStatistics sum = one_ply(*kernels().front(), parsed->position.board());
    for (std::size_t c = 0; c < kStatistics; ++c) kinds |= sum.counts[c] != 0 ? 1U << c : 0U;
  }
  EXPECT_GT(legal, 20U);
  if (budget(8'000) == 8'000) {
    // All but what is double discovered: no such thing in so few.
    EXPECT_EQ(kinds & 0xEFFU, 0xEFFU);
  }
}

TEST(MoveStatistics, SumsAreChecked) {
  MoveStatistics sum;
  sum[Statistic::kNodes] = UINT64_MAX;
  MoveStatistics one;
  one[Statistic::kNodes] = 1;
  EXPECT_THROW(add_checked(sum, one), CountOverflow);
  sum[Statistic::kNodes] = UINT64_MAX;
  StatisticTotals total;
  add_multiple(total, sum, NodeCount(UINT64_MAX));
  EXPECT_THROW(add_multiple(total, sum, NodeCount::from_words(1, 0) + NodeCount(2)), CountOverflow);
}

}  // namespace
}  // namespace manyply

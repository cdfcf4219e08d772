// Compares the kinds of moves in the last ply with the oracle, which makes each move.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/fen.h"
#include "parallel/jobs/statistics_job.h"
#include "tests/support/oracle.h"

namespace manyply {
namespace {

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
    constexpr int kRanks = 10;  // squares of a mailbox
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
  EXPECT_TRUE(entries.ok());
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

// Tests counts, divides, and published counts.
#include "core/counting.h"

#include <gtest/gtest.h>

#include "core/fen.h"
#include "core/known_values.h"
#include "core/position.h"
#include "tests/support/budget.h"
#include "tests/support/kernels_here.h"
#include "tests/support/oracle.h"
#include "tests/support/position_at.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

std::string count(const Position& position, int depth) {
  return count_nodes(position, Depth(depth))->to_string();
}

TEST(CountNodes, IsOneAtDepthZero) {
  EXPECT_EQ(count(Position(), 0), "1");
  EXPECT_EQ(count(position_at("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), 0), "1");
}

TEST(CountNodes, IsZeroBehindTheEndOfTheGame) {
  for (const char* ended : {"R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}) {
    for (const int depth : {1, 2, 3, 7, 8, 64})
      EXPECT_EQ(count(position_at(ended), depth), "0") << depth;
  }
}

TEST(CountNodes, OfTheStartPosition) {
  EXPECT_EQ(count(Position(), 1), "20");
  EXPECT_EQ(count(Position(), 2), "400");
  EXPECT_EQ(count(Position(), 3), "8902");
  EXPECT_EQ(count(Position(), 4), "197281");
  EXPECT_EQ(count(Position(), 5), "4865609");
}

// Depths beyond a kernel's maximum are counted by adding up the children.
TEST(CountNodes, GoesDeeperThanAKernel) {
  static_assert(Kernel::kMaxDepth == 7);
  for (const char* fen : {"8/8/8/8/8/8/8/K1k5 w - - 0 1", "k7/p7/P7/8/8/p7/P7/K7 b - - 0 1"}) {
    for (const int depth : {7, 8, 9}) {
      EXPECT_EQ(count(position_at(fen), depth),
                std::to_string(oracle::perft(oracle::parse(fen), depth)))
          << fen << " at depth " << depth;
    }
  }
}

TEST(CountNodes, TakesTheDeepestDepth) {
  // Both sides can only move their kings.
  EXPECT_EQ(count(position_at("k1b5/1p1p4/1P1P4/8/8/1p1p4/1P1P4/K1B5 w - - 0 1"), Depth::kMax),
            "1");
}

TEST(CountNodes, ReportsVisitedPositionsAtAnyDepth) {
  const auto visited = [](int depth) {
    CountStats stats;
    const Position position = position_at("8/8/8/8/8/8/8/K1k5 w - - 0 1");
    EXPECT_TRUE(count_nodes(position, Depth(depth), best_kernel(), {}, stats).ok());
    return stats.visited;
  };
  std::uint64_t interior = 0;
  for (int depth = 1; depth <= 9; ++depth) {
    EXPECT_EQ(visited(depth), interior) << depth;
    interior += oracle::perft(oracle::parse("8/8/8/8/8/8/8/K1k5 w - - 0 1"), depth);
  }
}

TEST(CountNodes, RefusesToCountWhenStoppedBefore) {
  for (const int depth : {0, 1, 3, 6, 12}) {
    CountStats stats;
    const auto result =
        count_nodes(Position(), Depth(depth), best_kernel(), stopped_before(), stats);
    ASSERT_FALSE(result.ok()) << depth;
    EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
  }
}

TEST(CountNodes, StopsSoonWithoutAPartialCount) {
  // Some plies above the leaves, the count polls at each position. This is a fraction of a
  // millisecond's work.
  constexpr std::uint64_t kMostBetween = 50'000;
  for (const Kernel* kernel : kernels_here()) {
    for (const std::uint64_t times : {1U, 2U, 30U, 1000U}) {
      const CountedLooks stop(times);
      CountStats stats;
      EXPECT_EQ(count_nodes(Position(), Depth(12), *kernel, stop, stats).error().code,
                ErrorCode::kCancelled);
      EXPECT_LT(stats.visited, kMostBetween * times) << kernel->name;
    }
  }
}

TEST(Divide, ListsTheLegalMovesInOrder) {
  const Position position = position_at(kKiwipeteFen);
  const auto entries = divide(position, Depth(3)).value();
  const MoveList moves = legal_moves(position);
  ASSERT_EQ(entries.size(), moves.size());
  const auto expected = oracle::divide(oracle::parse(kKiwipeteFen), 3);
  NodeCount sum;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].move, moves[i]);
    const std::string text = to_uci(moves[i], CastlingNotation::kStandard);
    EXPECT_EQ(entries[i].nodes, NodeCount(expected.at(text))) << text;
    sum += entries[i].nodes;
  }
  EXPECT_EQ(sum, NodeCount(97862));
}

TEST(Divide, GivesOneEachAtDepthOneAndNothingAfterMate) {
  for (const DivideEntry& entry : *divide(Position(), Depth(1)))
    EXPECT_EQ(entry.nodes, NodeCount(1));
  EXPECT_TRUE(divide(position_at("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"), Depth(5))->empty());
  EXPECT_THROW(static_cast<void>(divide(Position(), Depth(0))), BugError);
}

TEST(KnownValues, HoldsPublishedValuesBeyond64Bits) {
  EXPECT_EQ(known_value(Position(), Depth(1)), NodeCount(20));
  EXPECT_EQ(known_value(Position(), Depth(14))->to_string(), "61885021521585529237");
  EXPECT_EQ(known_value(Position(), Depth(15))->to_string(), "2015099950053364471960");
  EXPECT_EQ(known_value(Position(), Depth(16)), std::nullopt);
  EXPECT_EQ(known_value(position_at("kiwipete"), Depth(9)), NodeCount(708027759953502));
}

TEST(KnownValues, DepthZeroIsOneEverywhere) {
  EXPECT_EQ(known_value(position_at("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), Depth(0)), NodeCount(1));
}

TEST(KnownValues, ClocksAndUselessEnPassantSquaresMakeNoDifference) {
  EXPECT_EQ(known_value(position_at("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 42 99"),
                        Depth(2)),
            NodeCount(400));
  EXPECT_EQ(known_value(position_at("4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1"), Depth(4)),
            NodeCount(92197));
  EXPECT_EQ(known_value(position_at("4k3/8/8/8/8/5b2/7R/4K2R b - - 0 1"), Depth(4)), std::nullopt);
}

/// Published tables contain errors, so this counts every value up to `limit` again.
void recount_up_to(std::uint64_t limit) {
  int recounted = 0;
  for (const char* fen :
       {"startpos", "kiwipete", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -",
        "8/3K4/2p5/p2b2r1/5k2/8/8/1q6 b - -", "8/7p/p5pb/4k3/P1pPn3/8/P5PP/1rB2RK1 b - d3",
        "rnbqkb1r/ppppp1pp/7n/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6",
        "4k3/8/8/8/8/5b2/7R/4K2R b K -",
        "rnbq1b1r/ppppkppp/4pn2/8/1Q6/2PP4/PP2PPPP/RNB1KBNR b KQ -"}) {
    const Position position = position_at(fen);
    bool found = false;
    for (int depth = 1; depth <= 15; ++depth) {
      const std::optional<NodeCount> published = known_value(position, Depth(depth));
      found = found || published;
      if (!published || *published > NodeCount(limit)) continue;
      EXPECT_EQ(*count_nodes(position, Depth(depth)), *published) << fen << " depth " << depth;
      ++recounted;
    }
    EXPECT_TRUE(found) << fen;
  }
  EXPECT_GT(recounted, 20);
}

TEST(KnownValues, ShallowOnesAreRight) { recount_up_to(budget(20'000'000)); }
TEST(KnownValuesSlow, DeeperOnesAreRight) { recount_up_to(10'000'000'000); }

TEST(KnownValues, VerdictsHaveNames) {
  EXPECT_EQ(to_string(KnownVerdict::kMatch), "match");
  EXPECT_EQ(to_string(KnownVerdict::kMismatch), "mismatch");
  EXPECT_EQ(to_string(KnownVerdict::kUnknown), "unknown");
}

}  // namespace
}  // namespace manyply

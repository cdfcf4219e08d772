#include "core/counting.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/fen.h"
#include "core/position.h"
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
      const auto result = count_nodes(Position(), Depth(12), *kernel, stop, stats);
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
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

}  // namespace
}  // namespace manyply

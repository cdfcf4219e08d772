#include "core/known_values.h"

#include <gtest/gtest.h>

#include "core/counting.h"
#include "core/fen.h"
#include "tests/support/budget.h"
#include "tests/support/position_at.h"

namespace manyply {
namespace {

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

#include "tools/diagnose/move_kinds.h"

#include <gmock/gmock.h>

#include <set>

namespace manyply {
namespace {

using enum MoveKindSeen;

std::set<MoveKindSeen> kinds(std::string_view fen, int depth) {
  const MoveKinds found = kinds_below(*parse_line(fen, "", std::nullopt), Depth(depth));
  std::set<MoveKindSeen> kinds;
  for (std::size_t i = 0; i < kMoveKindsSeen; ++i) {
    if (found[i]) kinds.insert(static_cast<MoveKindSeen>(i));
  }
  return kinds;
}

bool has(std::string_view fen, MoveKindSeen kind, int depth = 1) {
  return kinds(fen, depth).contains(kind);
}

using Kinds = std::set<MoveKindSeen>;

// The same as the published tables for each depth.
TEST(MoveKinds, OfKiwipeteGrowWithDepth) {
  EXPECT_EQ(kinds("kiwipete", 0), Kinds{});
  EXPECT_EQ(kinds("kiwipete", 1),
            (Kinds{kCapture, kDoubleStep, kCastlingKingSide, kCastlingQueenSide, kRightLost}));
  EXPECT_EQ(kinds("kiwipete", 2),
            (Kinds{kCapture, kDoubleStep, kEnPassant, kCastlingKingSide, kCastlingQueenSide,
                   kRightLost, kCheck, kCastlingForbidden, kPinned}));
  const Kinds deep = kinds("kiwipete", 3);
  EXPECT_TRUE(deep.contains(kMate) && deep.contains(kEvasion) && deep.contains(kRightCaptured));
  EXPECT_FALSE(deep.contains(kPromotion) || deep.contains(kDoubleCheck) ||
               deep.contains(kDiscoveredCheck) || deep.contains(kCastlingCheck));
  EXPECT_TRUE(kinds("startpos", 3).contains(kCheck));
  EXPECT_FALSE(kinds("startpos", 2).contains(kCheck));
}

TEST(MoveKinds, OfPositionsWithOneTrickEach) {
  EXPECT_TRUE(has("8/P6k/8/8/8/8/8/K7 w - - 0 1", kPromotion));
  EXPECT_FALSE(has("8/P6k/8/8/8/8/8/K7 w - - 0 1", kPromotionCheck));
  EXPECT_TRUE(has("7k/P7/8/8/8/8/8/K7 w - - 0 1", kPromotionCheck));
  EXPECT_TRUE(has("1n5k/P7/8/8/8/8/8/K7 w - - 0 1", kPromotionCapture));
  EXPECT_TRUE(has("5k2/8/8/8/8/8/8/4K2R w K - 0 1", kCastlingCheck));
  EXPECT_TRUE(has("7k/8/8/8/8/8/R7/K7 w - - 0 1", kCheck));
  EXPECT_FALSE(has("7k/8/8/8/8/8/P7/K7 w - - 0 1", kCheck));
  EXPECT_TRUE(has("k7/8/8/8/8/N7/8/R5K1 w - - 0 1", kDiscoveredCheck));
  EXPECT_TRUE(has("2k1B2R/Q7/5K2/8/8/1r6/3b4/7n w - - 0 1", kDiscoveredCheck));  // a mate
  EXPECT_FALSE(has("k7/8/8/8/8/N7/8/R5K1 w - - 0 1", kDoubleCheck));
  EXPECT_TRUE(has("k7/8/N7/8/8/8/8/R5K1 w - - 0 1", kDoubleCheck));
  EXPECT_TRUE(has("3k4/8/8/8/8/8/3r4/3K4 w - - 0 1", kEvasion));
  EXPECT_TRUE(has("4k3/8/8/8/1b6/8/4r3/4K3 w - - 0 1", kDoubleEvasion));
  EXPECT_TRUE(has("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", kMate));
  EXPECT_TRUE(has("7k/8/8/5KQ1/8/8/8/8 w - - 0 1", kStalemate));
  EXPECT_TRUE(has("4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1", kRightCaptured));
  EXPECT_FALSE(has("4k3/8/8/8/8/5b2/7R/4K2R b - - 0 1", kRightCaptured));
}

TEST(MoveKinds, EnPassantThatAnswersACheckOrStaysOnThePinsLine) {
  EXPECT_TRUE(has("6rk/8/8/5ppP/7K/r7/8/8 w - g6 0 1", kEnPassantEvasion));
  EXPECT_FALSE(has("6rk/8/8/5ppP/7K/r7/8/8 w - g6 0 1", kEnPassantPinned));
  EXPECT_TRUE(has("b6k/8/8/2pP4/4K3/8/8/8 w - c6 0 1", kEnPassantPinned));
  EXPECT_FALSE(has("b6k/8/8/2pP4/4K3/8/8/8 w - c6 0 1", kEnPassantEvasion));
  EXPECT_FALSE(has("7k/8/8/2pP4/4K3/8/8/8 w - c6 0 1", kEnPassantPinned));
}

TEST(MoveKinds, ForbiddenOnesCountToo) {
  EXPECT_TRUE(has("8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1", kEnPassantForbidden));
  EXPECT_FALSE(has("8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1", kEnPassant));
  EXPECT_FALSE(has("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", kEnPassantForbidden));
  EXPECT_FALSE(has("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", kEnPassantForbidden));
  EXPECT_FALSE(has("4k3/8/8/p6P/8/8/8/4K3 w - a6 0 1", kEnPassantForbidden));
  EXPECT_FALSE(has("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", kEnPassantForbidden));
  EXPECT_TRUE(has("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", kEnPassantForbidden, 2));

  EXPECT_FALSE(has("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", kCastlingForbidden));
  EXPECT_FALSE(has("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", kCastlingForbidden));
  EXPECT_TRUE(has("4k3/8/8/8/8/3r4/8/R3K2R w KQ - 0 1", kCastlingForbidden));
  EXPECT_TRUE(has("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", kCastlingForbidden));
  EXPECT_FALSE(has("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", kCastlingForbidden));
  EXPECT_TRUE(has("4k3/8/8/8/8/8/8/rRK5 w B - 0 1", kCastlingForbidden));

  EXPECT_FALSE(has("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", kCastlingBlocked));
  EXPECT_TRUE(has("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", kCastlingBlocked));
  EXPECT_FALSE(has("4k3/8/8/8/8/8/8/RN2K2R w K - 0 1", kCastlingBlocked)) << "no right";
  EXPECT_FALSE(has("4k3/8/8/8/8/8/8/R1N1K2R w KQ - 0 1", kCastlingBlocked)) << "the king's";
  EXPECT_TRUE(has("4k3/8/8/8/8/N7/8/R3K2R w KQ - 0 1", kCastlingBlocked, 3));
  EXPECT_FALSE(has("4k3/8/8/8/8/N7/8/R3K2R w KQ - 0 1", kCastlingBlocked, 2));
  EXPECT_TRUE(has("4k3/8/8/8/8/8/8/1RKN4 w B - 0 1", kCastlingBlocked)) << "where the rook arrives";

  EXPECT_FALSE(has("3k4/8/8/8/8/8/4R3/4K3 w - - 0 1", kPinned));
  EXPECT_TRUE(has("4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1", kPinned));
  EXPECT_FALSE(has("4k3/4r3/8/8/4N3/8/4R3/4K3 w - - 0 1", kPinned));
  EXPECT_TRUE(has("4k3/8/8/8/1b6/8/3P4/4K3 w - - 0 1", kPinned));
}

TEST(MoveKinds, HaveWords) {
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < kMoveKindsSeen; ++i)
    words.insert(words_for(static_cast<MoveKindSeen>(i)));
  EXPECT_EQ(words.size(), kMoveKindsSeen);
  EXPECT_EQ(words_for(kStalemate), "stalemates");
  EXPECT_EQ(words_for(kEnPassant), "en passant captures");
}

}  // namespace
}  // namespace manyply

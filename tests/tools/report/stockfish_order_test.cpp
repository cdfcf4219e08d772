// Small cases that were worked out by hand. tests/e2e compares many positions with the real
// program.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/line.h"
#include "core/position.h"
#include "tests/support/random_positions.h"
#include "tools/report/count_format.h"

namespace manyply {
namespace {

std::string order_of(std::string_view fen, std::string_view moves = "") {
  const Result<Line> parsed = parse_line(fen, moves, std::nullopt);
  if (!parsed) return "illegal moves";
  const Line& root = *parsed;
  std::string text;
  for (const Move move : stockfish_order(root.here(), root.passed())) {
    text += (text.empty() ? "" : " ") + to_uci(move, root.notation());
  }
  return text;
}

TEST(StockfishOrder, PawnsFirstThenPieces) {
  EXPECT_EQ(order_of("startpos"),
            "a2a3 b2b3 c2c3 d2d3 e2e3 f2f3 g2g3 h2h3 a2a4 b2b4 c2c4 d2d4 e2e4 f2f4 g2g4 h2h4 "
            "b1a3 b1c3 g1f3 g1h3");
}

TEST(StockfishOrder, PromotionsQueenFirst) {
  EXPECT_EQ(order_of("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1"),
            "a7b8q a7b8r a7b8b a7b8n a7a8q a7a8r a7a8b a7a8n e1d1 e1f1 e1d2 e1e2 e1f2");
}

TEST(StockfishOrder, CastlingLastKingSideFirst) {
  EXPECT_EQ(order_of("4k3/8/8/8/8/p6p/P6P/R3K2R w KQ - 0 1"),
            "a1b1 a1c1 a1d1 h1f1 h1g1 e1d1 e1f1 e1d2 e1e2 e1f2 e1g1 e1c1");
}

TEST(StockfishOrder, TheLastMoveTakesThePlaceOfAnIllegalOne) {
  // The knight on e2 is pinned: none of its six moves is legal, and king moves fill the gaps.
  EXPECT_EQ(order_of("4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1"), "e1f2 e1d2 e1f1 e1d1");
}

TEST(StockfishOrder, AUselessEnPassantSquareStillCounts) {
  // Capturing on c6 would open the rook's line, so it is illegal. Stockfish's list still has
  // another order than in the same position without the en passant square.
  constexpr std::string_view kWith = "8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1";
  constexpr std::string_view kWithout = "8/8/8/K1pP3r/8/8/8/4k3 w - - 0 1";
  EXPECT_EQ(parse_position(kWith)->position, parse_position(kWithout)->position);
  EXPECT_NE(order_of(kWith), order_of(kWithout));
}

TEST(StockfishOrder, IsAPermutationOfTheLegalMoves) {
  const Chooser choose = choose_by_seed(1);
  int checked = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Result<Line> root = parse_line(piece_soup(choose), "", std::nullopt);
    if (!root) continue;
    std::vector<Move> ours = stockfish_order(root->here(), root->passed());
    const MoveList list = legal_moves(root->here());
    std::vector<Move> legal(list.begin(), list.end());
    std::ranges::sort(ours);
    std::ranges::sort(legal);
    ASSERT_EQ(ours, legal) << to_fen(root->here());
    ++checked;
  }
  EXPECT_GT(checked, 1000);
}

}  // namespace
}  // namespace manyply

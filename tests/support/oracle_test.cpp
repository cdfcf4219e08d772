#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <stdexcept>

#include "tests/support/budget.h"
#include "tests/support/positions.h"

namespace manyply::oracle {
namespace {

constexpr const char* kStart = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
constexpr const char* kKiwipete =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

TEST(Oracle, CountsClassicPositions) {
  EXPECT_EQ(perft(parse(kStart), 0), 1U);
  EXPECT_EQ(perft(parse(kStart), 4), 197281U);
  EXPECT_EQ(perft(parse(kKiwipete), 3), 97862U);
  EXPECT_EQ(perft(parse("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"), 5), 674624U);
  EXPECT_EQ(perft(parse("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"), 4),
            422333U);
  EXPECT_EQ(perft(parse("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"), 3), 62379U);
  EXPECT_EQ(
      perft(parse("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"), 3),
      89890U);
}

TEST(Oracle, DropsTheRightOfACapturedRook) {
  EXPECT_EQ(perft(parse("4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1"), 4), 92197U);
}

TEST(Oracle, DivideSumsToPerft) {
  const std::map<std::string, std::uint64_t> counts = divide(parse(kKiwipete), 3);
  EXPECT_EQ(counts.size(), 48U);
  std::uint64_t sum = 0;
  for (const auto& [move, nodes] : counts) sum += nodes;
  EXPECT_EQ(sum, 97862U);
  const Position position = parse(kKiwipete);
  EXPECT_EQ(counts.at("e1g1"), perft(after(position, move_from_uci(position, "e1g1")), 2));
}

// perft() counts its last ply by a shortcut; this test compares the shortcut with the rule.
TEST(Oracle, CountsAsManyMovesAsItLists) {
  const Chooser choose = choose_by_seed(31);
  std::uint64_t compared = 0;
  const auto play = [&](Position position, std::size_t plies) {
    for (; plies > 0; --plies) {
      const std::vector<Move> moves = legal_moves(position);
      ASSERT_EQ(count_legal_moves(position), moves.size()) << to_fen(position);
      ++compared;
      if (moves.empty()) return;
      position = after(position, moves[choose(moves.size())]);
    }
  };
  while (compared < budget(200'000) && !::testing::Test::HasFatalFailure()) {
    play(parse(chess960_start(static_cast<int>(choose(960)))), 120);
    for (int i = 0; i < 40; ++i) {
      std::optional<Position> soup;
      try {
        soup = parse(piece_soup(choose));
      } catch (const std::invalid_argument&) {
        continue;  // a king can be captured
      }
      play(*soup, 1 + choose(8));
    }
  }
}

// The numbers of distinct positions are known. If identity() included clocks or useless en passant
// squares, they would be larger.
TEST(Oracle, IdentityMergesTranspositions) {
  std::set<std::string> positions{identity(parse(kStart))};
  for (const std::size_t distinct : {20U, 400U, 5362U, 72078U}) {
    std::set<std::string> next;
    for (const std::string& fen : positions) {
      const Position position = parse(fen);
      for (const Move& move : legal_moves(position)) next.insert(identity(after(position, move)));
    }
    positions.swap(next);
    EXPECT_EQ(positions.size(), distinct);
  }
}

TEST(Oracle, WritesTheFenItRead) {
  for (const char* const fen :
       {kStart, kKiwipete, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "rr2k1rr/8/8/8/8/8/8/RR2K1RR b GBgb - 13 57", "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 3 9",
        "8/8/8/8/8/8/8/K1k5 b - - 99 200"}) {
    EXPECT_EQ(to_fen(parse(fen)), fen);
  }
  EXPECT_EQ(to_fen(parse("4k3/8/8/3pP3/8/8/8/4K3 w - d6")), "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
}

TEST(Oracle, WritesEnPassantOnlyIfACaptureIsLegal) {
  EXPECT_EQ(identity(parse("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1")), "4k3/8/8/3p4/8/8/8/4K3 w - -");
  EXPECT_EQ(identity(parse("8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1")), "8/8/8/K1pP3r/8/8/8/4k3 w - -");
}

TEST(Oracle, ReadsCastlingInEverySpelling) {
  const Position standard = parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
  EXPECT_FALSE(standard.chess960);
  EXPECT_EQ(uci(standard, move_from_uci(standard, "e1g1")), "e1g1");

  const Position shredder = parse("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1");
  EXPECT_TRUE(shredder.chess960);
  EXPECT_EQ(uci(shredder, move_from_uci(shredder, "e1h1")), "e1h1");
  EXPECT_TRUE(parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", true).chess960);

  const Position outermost = parse("4k3/8/8/8/8/8/8/1RR1KRR1 w KQ - 0 1");
  EXPECT_EQ(identity(outermost), "4k3/8/8/8/8/8/8/1RR1KRR1 w GB -");
}

TEST(Oracle, CastlesToTheSameSquaresFromEverywhere) {
  const Position position = parse("4k3/8/8/8/8/8/8/1RK4R w HB - 0 1");
  EXPECT_EQ(identity(after(position, move_from_uci(position, "c1b1"))),
            "4k3/8/8/8/8/8/8/2KR3R b - -");
  EXPECT_EQ(identity(after(position, move_from_uci(position, "c1h1"))),
            "4k3/8/8/8/8/8/8/1R3RK1 b - -");
}

TEST(Oracle, RefusesWhatCannotBePlayed) {
  for (const char* const fen : {"",
                                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq",
                                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 2",
                                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
                                "rnbqkbnr/pppppppp/8/9/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                                "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                                "rnbqkbnr/pppppppx/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
                                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KK - 0 1",
                                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KX - 0 1",
                                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e4 0 1",
                                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1",
                                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1",
                                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 -1",
                                "8/8/8/8/8/8/8/K7 w - - 0 1",
                                "kk6/8/8/8/8/8/8/K7 w - - 0 1",
                                "k7/8/8/8/8/8/8/K6p w - - 0 1",
                                "k6R/8/8/8/8/8/8/K7 w - - 0 1",
                                "4k3/8/8/8/8/8/8/4K3 w K - 0 1",
                                "4k3/8/8/8/8/8/4K3/7R w K - 0 1",
                                "k7/8/8/8/NNNNNNNN/NNNNNNNN/8/K7 w - - 0 1"}) {
    EXPECT_THROW((void)parse(fen), std::invalid_argument) << fen;
  }
}

TEST(Oracle, RefusesAMoveThatIsNotLegal) {
  EXPECT_THROW((void)move_from_uci(parse(kStart), "e2e5"), std::invalid_argument);
  EXPECT_FALSE(in_check(parse(kStart)));
  EXPECT_TRUE(in_check(parse("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1")));
}

}  // namespace
}  // namespace manyply::oracle

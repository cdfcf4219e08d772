#include "core/line.h"

#include <gmock/gmock.h>

namespace manyply {
namespace {

using ::testing::ElementsAre;

TEST(Line, PlaysMoves) {
  Line line = *parse_line("startpos", "", std::nullopt);
  EXPECT_EQ(line.play("  e2e4   e7e5\tg1f3 "), std::nullopt);
  EXPECT_EQ(to_fen(line.here()), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1");
  EXPECT_EQ(line.play(""), std::nullopt);
}

TEST(Line, NamesTheOffendingMoveItsPlaceAndColumn) {
  Line line = *parse_line("startpos", "", std::nullopt);
  const std::optional<Error> illegal = line.play("e2e4 e7e5 e4e5 g8f6");
  ASSERT_TRUE(illegal);
  EXPECT_EQ(illegal->to_string(), "moves: move 3, 'e4e5' is not legal here (column 11)");
  EXPECT_EQ(to_fen(line.here()), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1");

  const std::optional<Error> nonsense = line.play("g1f3 knight");
  ASSERT_TRUE(nonsense);
  EXPECT_EQ(
      nonsense->to_string(),
      "moves: move 2, 'knight' is not a move such as Nf3, exd5, e8=Q, O-O or e2e4 (column 6)");
}

TEST(Line, PlaysMovesAsPeopleWriteThem) {
  Line line = *parse_line("startpos", "1. e4 e5 2.Nf3 Nc6 3.Bc4 3...Bc5 4. O-O!", std::nullopt);
  EXPECT_THAT(line.uci_moves(),
              ElementsAre("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1"));
  EXPECT_EQ(line.play("Ng8-f6 d2d4 exd4"), std::nullopt);
  EXPECT_EQ(line.play("1. Nxd4 7")->to_string(),
            "moves: move 2, '7' is not a move such as Nf3, exd5, e8=Q, O-O or e2e4 (column 9)");
  EXPECT_EQ(line.play("Ke4")->to_string(), "moves: move 1, 'Ke4' is not legal here (column 1)");
}

TEST(Line, RemembersThePassedSquareEvenIfUseless) {
  Line line = *parse_line("startpos", "", std::nullopt);
  EXPECT_EQ(line.passed(), std::nullopt);
  ASSERT_EQ(line.play("e2e4"), std::nullopt);
  EXPECT_EQ(line.passed(), Square::kE3);
  EXPECT_EQ(line.here().board().en_passant, 0u);
  ASSERT_EQ(line.play("g8f6"), std::nullopt);
  EXPECT_EQ(line.passed(), std::nullopt);
  ASSERT_EQ(line.play("a2a3 d7d5"), std::nullopt);
  EXPECT_EQ(line.passed(), Square::kD6);

  EXPECT_EQ(
      parse_line("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "", std::nullopt)
          ->passed(),
      Square::kE3);
}

TEST(Line, NotationIsDetectedOrForced) {
  EXPECT_EQ(parse_line("startpos", "", std::nullopt)->notation(), CastlingNotation::kStandard);
  EXPECT_EQ(parse_line("startpos", "", CastlingNotation::kChess960)->notation(),
            CastlingNotation::kChess960);
  constexpr const char* kShredder = "4k3/8/8/8/8/8/8/1R2K3 w B - 0 1";
  EXPECT_EQ(parse_line(kShredder, "", std::nullopt)->notation(), CastlingNotation::kChess960);
  EXPECT_EQ(parse_line(kShredder, "", CastlingNotation::kStandard)->notation(),
            CastlingNotation::kStandard);
}

TEST(Line, TellsAnyPartOfItselfAsAFen) {
  const Line line = *parse_line("startpos", "e2e4 e7e5 g1f3", std::nullopt);
  EXPECT_THAT(line.uci_moves(), ElementsAre("e2e4", "e7e5", "g1f3"));
  EXPECT_EQ(line.from(0).start_fen(), kStartFen);
  EXPECT_EQ(line.from(1).start_fen(),
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1");
  EXPECT_THAT(line.from(1).uci_moves(), ElementsAre("e7e5", "g1f3"));
  EXPECT_EQ(line.fen_here(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
  EXPECT_EQ(parse_line("startpos", "e2e4", std::nullopt)->fen(),
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
  EXPECT_EQ(line.fen(), line.fen_here());
  EXPECT_EQ(line.from(2).here(), line.here());
  EXPECT_EQ(line.from(2).passed(), std::nullopt);
  EXPECT_EQ(line.from(1).passed_at(0), Square::kE3);
}

TEST(Line, CountsTheClocksOfItsFen) {
  const Line line = *parse_line("8/8/8/8/8/k7/7p/K6R b - - 98 80", "a3b3 h1g1 h2g1q", std::nullopt);
  EXPECT_EQ(line.halfmove_clock(), 0);
  EXPECT_THAT(line.from(1).start_fen(), ::testing::EndsWith(" w - - 99 81"));
  EXPECT_THAT(line.from(2).start_fen(), ::testing::EndsWith(" b - - 100 81"));
  EXPECT_EQ(line.from(2).halfmove_clock(), 0);
  EXPECT_THAT(line.from(3).start_fen(), ::testing::EndsWith(" w - - 0 82"));
  EXPECT_EQ(line.from(3).here(), line.here());
  EXPECT_EQ(parse_line("8/8/8/8/8/k7/8/K6R w - - x y", "h1g1", std::nullopt).ok(), false);
}

TEST(Line, KnowsEveryPositionOnItsWay) {
  const Line line = *parse_line("startpos", "g1f3 g8f6 f3g1 f6g8", std::nullopt);
  const std::vector<Position> positions = line.positions();
  ASSERT_EQ(positions.size(), 5u);
  EXPECT_EQ(positions.front(), Position());
  EXPECT_EQ(positions[1], line.from(1).positions().front());
  EXPECT_EQ(positions.back(), line.here());
  EXPECT_EQ(positions.back(), Position());
  EXPECT_EQ(Line().positions(), std::vector<Position>{Position()});
}

TEST(Line, ItsFenIsWhatWasWrittenMadeComplete) {
  EXPECT_EQ(Line().start_fen(), kStartFen);
  EXPECT_EQ(parse_line("kiwipete\n", "", std::nullopt)->start_fen(), kKiwipeteFen);
  EXPECT_EQ(parse_line(" 4k3/8/8/8/8/8/8/4K2R  w H -\r\n", "", std::nullopt)->start_fen(),
            "4k3/8/8/8/8/8/8/4K2R w H - 0 1");
  EXPECT_EQ(parse_line("4k3/8/8/8/8/8/8/4K3 b - - 7", "", std::nullopt)->start_fen(),
            "4k3/8/8/8/8/8/8/4K3 b - - 7 1");
  const auto bad = parse_line("4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "", std::nullopt);
  EXPECT_EQ(bad.error().to_string(), "castling: no rook on h1 (column 24)");
}

}  // namespace
}  // namespace manyply

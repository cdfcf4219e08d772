#include "core/move.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"
#include "core/position.h"
#include "tests/support/position_at.h"
#include "tests/support/random_positions.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;
using enum CastlingNotation;
using enum Square;

TEST(Move, HoldsFromToAndKind) {
  const Move push(kE2, kE4, MoveKind::kDoublePush);
  EXPECT_EQ(push.from(), kE2);
  EXPECT_EQ(push.to(), kE4);
  EXPECT_EQ(push.kind(), MoveKind::kDoublePush);
  EXPECT_FALSE(push.is_promotion());
  const Move last(kH7, kH8, MoveKind::kPromoteQueen);
  EXPECT_EQ(last.to(), kH8);
  EXPECT_TRUE(last.is_promotion());
  EXPECT_EQ(last.promoted_to(), PieceType::kQueen);
  EXPECT_EQ(Move(kH7, kH8, MoveKind::kPromoteKnight).promoted_to(), PieceType::kKnight);
}

TEST(UciText, OfEveryKind) {
  EXPECT_EQ(to_uci({kG1, kF3, MoveKind::kNormal}, kStandard), "g1f3");
  EXPECT_EQ(to_uci({kE5, kD6, MoveKind::kEnPassant}, kStandard), "e5d6");
  EXPECT_EQ(to_uci({kA7, kA8, MoveKind::kPromoteQueen}, kStandard), "a7a8q");
  EXPECT_EQ(to_uci({kA7, kB8, MoveKind::kPromoteRook}, kStandard), "a7b8r");
  EXPECT_EQ(to_uci({kA2, kA1, MoveKind::kPromoteBishop}, kChess960), "a2a1b");
  EXPECT_EQ(to_uci({kA2, kA1, MoveKind::kPromoteKnight}, kChess960), "a2a1n");
}

TEST(UciText, OfCastlingDependsOnTheNotation) {
  const Move king_side(kE1, kH1, MoveKind::kCastling);
  const Move queen_side(kE8, kA8, MoveKind::kCastling);
  EXPECT_EQ(to_uci(king_side, kStandard), "e1g1");
  EXPECT_EQ(to_uci(king_side, kChess960), "e1h1");
  EXPECT_EQ(to_uci(queen_side, kStandard), "e8c8");
  EXPECT_EQ(to_uci(queen_side, kChess960), "e8a8");
}

TEST(ParseUci, FindsTheLegalMove) {
  const Position start;
  EXPECT_EQ(*parse_uci(start, "g1f3", kStandard), Move(kG1, kF3, MoveKind::kNormal));
  EXPECT_EQ(*parse_uci(start, "e2e4", kStandard), Move(kE2, kE4, MoveKind::kDoublePush));
  const Position en_passant = position_at("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
  EXPECT_EQ(*parse_uci(en_passant, "e5d6", kStandard), Move(kE5, kD6, MoveKind::kEnPassant));
  const Position promotion = position_at("4k3/P7/8/8/8/8/8/4K3 w - - 0 1");
  EXPECT_EQ(*parse_uci(promotion, "a7a8n", kStandard), Move(kA7, kA8, MoveKind::kPromoteKnight));
  EXPECT_EQ(*parse_uci(promotion, "a7a8Q", kStandard), Move(kA7, kA8, MoveKind::kPromoteQueen));
}

TEST(ParseUci, TakesStandardCastlingEitherWayAndChess960OneWay) {
  const Position standard = position_at("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
  const Move castling(kE1, kH1, MoveKind::kCastling);
  EXPECT_EQ(*parse_uci(standard, "e1g1", kStandard), castling);
  EXPECT_EQ(*parse_uci(standard, "e1h1", kStandard), castling);
  EXPECT_EQ(*parse_uci(standard, "e1h1", kChess960), castling);
  EXPECT_FALSE(parse_uci(standard, "e1g1", kChess960).ok());
  // The king's own step is no castling, even onto the castling square.
  const Position near = position_at("4k3/8/8/8/8/8/8/5K1R w H - 0 1");
  EXPECT_EQ(*parse_uci(near, "f1g1", kChess960), Move(kF1, kG1, MoveKind::kNormal));
  EXPECT_EQ(*parse_uci(near, "f1h1", kChess960), Move(kF1, kH1, MoveKind::kCastling));
}

TEST(ParseUci, SaysWhatIsWrong) {
  const Position start;
  for (const char* text : {"e2e5", "e7e5", "e1g1", "e2e4q", "a1a1", "e3e4"}) {
    const auto move = parse_uci(start, text, kStandard);
    ASSERT_FALSE(move.ok()) << text;
    EXPECT_EQ(move.error().code, ErrorCode::kIllegal) << text;
    EXPECT_EQ(move.error().to_string(), "move: '" + std::string(text) + "' is not legal here");
  }
  for (const char* text : {"", "e2", "e2e", "e2e9", "i2i4", "e2-e4", "e4", "Nf3", "O-O", "0000",
                           "e7e8k", "e7e8p", "e7e8qq", "e2e4 ", " e2e4", "E2E4", "e2\ne4"}) {
    const auto move = parse_uci(start, text, kStandard);
    ASSERT_FALSE(move.ok()) << text;
    EXPECT_EQ(move.error().code, ErrorCode::kInvalidInput) << text;
    EXPECT_THAT(move.error().message, HasSubstr("is not a move in UCI form")) << text;
  }
  const Position promotion = position_at("4k3/P7/8/8/8/8/8/4K3 w - - 0 1");
  EXPECT_FALSE(parse_uci(promotion, "a7a8", kStandard).ok());
}

TEST(ParseUci, ErrorsAreOnePrintableLine) {
  for (const std::string& text : {std::string("e2\ne4"), std::string("e2\0e4", 5),
                                  std::string("\xC3\xA9"), std::string(10'000, 'e')}) {
    const std::string line = parse_uci(Position(), text, kStandard).error().to_string();
    EXPECT_LT(line.size(), 200U);
    for (const char c : line)
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) << line;
  }
}

TEST(UciText, NamesEachLegalMoveOnceAndIsReadBack) {
  const Chooser choose = choose_by_seed(12);
  for (int i = 0; i < 2'000; ++i) {
    const auto named = parse_position(piece_soup(choose));
    if (!named) continue;
    for (const Move move : legal_moves(named->position)) {
      const std::string text = to_uci(move, named->notation);
      const auto again = parse_uci(named->position, text, named->notation);
      ASSERT_TRUE(again.ok()) << text;
      EXPECT_EQ(*again, move) << text << " in " << to_fen(named->position, named->notation);
    }
  }
}

}  // namespace
}  // namespace manyply

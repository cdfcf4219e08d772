#include "tools/cli/root.h"

#include <gtest/gtest.h>

namespace manyply {
namespace {

TEST(Root, PlaysMoves) {
  Root root = *parse_root("startpos", std::nullopt);
  EXPECT_EQ(play_moves(root, "  e2e4   e7e5\tg1f3 "), std::nullopt);
  EXPECT_EQ(to_fen(root.named.position),
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1");
  EXPECT_EQ(play_moves(root, ""), std::nullopt);
}

TEST(Root, NamesTheOffendingMoveItsPlaceAndColumn) {
  Root root = *parse_root("startpos", std::nullopt);
  const std::optional<Error> illegal = play_moves(root, "e2e4 e7e5 e4e5 g8f6");
  ASSERT_TRUE(illegal);
  EXPECT_EQ(illegal->to_string(), "moves: move 3, 'e4e5' is not legal here (column 11)");
  EXPECT_EQ(to_fen(root.named.position),
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1");

  const std::optional<Error> nonsense = play_moves(root, "Nf3");
  ASSERT_TRUE(nonsense);
  EXPECT_NE(nonsense->to_string().find("moves: move 1, 'Nf3'"), std::string::npos);
}

TEST(Root, RemembersThePassedSquareEvenIfUseless) {
  Root root = *parse_root("startpos", std::nullopt);
  EXPECT_EQ(root.passed, std::nullopt);
  ASSERT_EQ(play_moves(root, "e2e4"), std::nullopt);
  EXPECT_EQ(root.passed, Square::kE3);
  EXPECT_EQ(root.named.position.board().en_passant, 0u);
  ASSERT_EQ(play_moves(root, "g8f6"), std::nullopt);
  EXPECT_EQ(root.passed, std::nullopt);
  ASSERT_EQ(play_moves(root, "a2a3 d7d5"), std::nullopt);
  EXPECT_EQ(root.passed, Square::kD6);

  EXPECT_EQ(parse_root("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", std::nullopt)
                ->passed,
            Square::kE3);
}

TEST(Root, NotationIsDetectedOrForced) {
  EXPECT_EQ(parse_root("startpos", std::nullopt)->named.notation, CastlingNotation::kStandard);
  EXPECT_EQ(parse_root("startpos", CastlingNotation::kChess960)->named.notation,
            CastlingNotation::kChess960);
  constexpr const char* kShredder = "4k3/8/8/8/8/8/8/1R2K3 w B - 0 1";
  EXPECT_EQ(parse_root(kShredder, std::nullopt)->named.notation, CastlingNotation::kChess960);
  EXPECT_EQ(parse_root(kShredder, CastlingNotation::kStandard)->named.notation,
            CastlingNotation::kStandard);
}

}  // namespace
}  // namespace manyply

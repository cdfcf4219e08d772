// Tests texts in which users have positions, and texts that must be left unchanged.
#include "core/position_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/line.h"

namespace manyply {
namespace {

constexpr std::string_view kItalian =
    "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 1";

/// Returns the position to which `text` leads, or the error.
std::string read(std::string_view text) {
  const Result<Line> line = parse_line(text, "", std::nullopt);
  return line ? to_fen(line->here(), line->notation()) : line.error().to_string();
}

TEST(PositionText, IsTakenAsPeopleHaveIt) {
  const std::string fen(kItalian);
  const std::string after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
  std::string underscored = fen;
  std::ranges::replace(underscored, ' ', '_');
  std::string escaped = fen;
  for (std::size_t at = 0; (at = escaped.find(' ')) != std::string::npos;)
    escaped.replace(at, 1, "%20");
  std::string slashed = fen;
  for (std::size_t at = 0; (at = slashed.find('/', at)) != std::string::npos; at += 2)
    slashed.replace(at, 1, "\\/");
  std::string typeset = fen;  // no-break blanks, a dash for "none"
  typeset.replace(typeset.find(" - "), 3, " \xE2\x80\x93 ");
  for (std::size_t at = 0; (at = typeset.find(' ', at)) != std::string::npos; at += 2)
    typeset.replace(at, 1, "\xC2\xA0");
  const std::string short_fen = fen.substr(0, fen.size() - 4);  // without clocks
  for (const std::string& text : std::vector<std::string>{
           fen,
           short_fen,
           "  " + fen + "\n",
           "\"" + fen + "\"",
           "'" + fen + "',",
           "`" + fen + "`",
           fen + ";",
           "\"" + fen + "\";",
           "fen " + fen,
           "FEN: " + fen,
           "position fen " + fen,
           "setboard " + fen,
           "[FEN \"" + fen + "\"]",
           fen + " ;D1 33 ;D2 1031",
           short_fen + " bm O-O; id \"a; b\";",
           "epd " + fen,
           underscored,
           "https://lichess.org/analysis/" + underscored,
           "https://lichess.org/analysis/standard/" + underscored + "?color=black#3",
           "https://lichess.org/editor/" + underscored,
           "https://www.chess.com/analysis?fen=" + escaped + "&flip=true",
           "position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5",
           "startpos moves e4 e5 Nf3 Nc6 Bc4 Bc5",
           "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5",
           // words are missing, commas are added
           "startpos e2e4 e7e5 g1f3 b8c6 f1c4 f8c5",
           "Startpos, moves: e2e4, e7e5, g1f3, b8c6, f1c4, f8c5",
           "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 1 f8c5",
           // programs, logs, word processors
           "const char* fen = \"" + fen + "\";",
           "{\"fen\": \"" + fen + "\"}",
           "{\\\"fen\\\": \\\"" + fen + "\\\"}",
           "\"" + slashed + "\",",
           "fen=" + fen,
           "FEN = '" + fen + "'",
           "position fen \"r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 1\" "
           "moves "
           "f8c5",
           "ucinewgame\nposition startpos\ngo perft 1\nposition fen " + fen + "\ngo perft 3\n",
           "Stockfish 15.1\n\n +---+\n | r | 8\n +---+\n   a\n\nFen: " + fen +
               "\nKey: 8F8F\nCheckers: \n",
           "\xEF\xBB\xBF" + fen,
           "\xE2\x80\x9C" + typeset + "\xE2\x80\x9D",
           fen + " // the Italian game",
           fen + "  # the Italian game",
           // web addresses
           "lichess.org/analysis/" + underscored,
           "https://lichess.org/analysis/fromPosition/" + underscored,
           "https://lichess.org/analysis/pgn/e4_e5_Nf3_Nc6_Bc4_Bc5",
           // games: the position after the last move
           "[Event \"x\"]\n[FEN \"" + fen + "\"]\n\n*",
           "[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 {[%clk 0:01]} e5 (1... c5 (1... e6) 2. Nf3) "
           "2. Nf3 "
           "$1\n% escaped\nNc6 ; a comment (\n3. Bc4! Bc5 1-0\n",
           "[SetUp \"1\"] [FEN \"r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 "
           "1\"] "
           "1... Bc5 *",
           "1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 *",
           "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 1/2-1/2",
       })
    EXPECT_EQ(read(text), kItalian) << text;
  EXPECT_EQ(read("e4"), after_e4);
  EXPECT_EQ(read("startpos moves"), kStartFen);
  EXPECT_EQ(read("position kiwipete"), kKiwipeteFen);
  EXPECT_EQ(read("KiwiPete"), kKiwipeteFen);
  EXPECT_EQ(read("8/8/8/8/8/8/8/K6k"), "8/8/8/8/8/8/8/K6k w - - 0 1");
  EXPECT_EQ(read("8/8/8/8/8/8/8/K6k_b"), "8/8/8/8/8/8/8/K6k b - - 0 1");
  EXPECT_EQ(read("4k3/8/8/8/8/8/8/4K2R w K"), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
  EXPECT_EQ(position_text("8/8/8/8/8/8/8/K6k b").assumed, "no castling, no en passant");
  EXPECT_EQ(position_text(short_fen + " bm O-O; id \"a\";").aside, "bm O-O; id \"a\"");
  EXPECT_EQ(position_text(fen + ";D1 33").aside, ";D1 33");
  EXPECT_EQ(position_text(fen + " e1g1").aside, "");
  EXPECT_EQ(read("position fen " + fen + " moves e1g1 g8f6"),
            "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 w kq - 0 1");
}

TEST(PositionText, MovesFollowThoseOfTheText) {
  const Result<Line> line = parse_line("startpos moves e2e4", "e7e5 g1f3", std::nullopt);
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->moves().size(), 3u);
}

// A promotion in brackets is not a variation.
TEST(PositionText, PromotionsInBracketsAreMoves) {
  const Result<Line> line =
      parse_line("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "1. a8(Q)+ (1. a8(N)) Kd7", std::nullopt);
  ASSERT_TRUE(line.ok()) << line.error().to_string();
  EXPECT_EQ(line->moves().size(), 2u);
}

// An opening bracket or quote that is never closed is searched for only once, not again from each
// place.
TEST(PositionText, LongTextsTakeNoLonger) {
  for (const char* const part :
       {"{ ", "( ", "\" ", "e4 ", "1. ", "[a \"", "a/b.c ", "moves ", "x.yy/", "8/"}) {
    std::string text;
    while (text.size() < 1'000'000) text += part;
    EXPECT_FALSE(parse_line(text, "", std::nullopt).ok()) << part;
  }
}

// Column numbers refer to the user's whole text, including text before the position.
TEST(PositionText, ErrorsNameTheirColumn) {
  const std::pair<const char*, const char*> kBroken[] = {
      {"position fen 4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "castling: no rook on h1 (column 37)"},
      {"  \"4k3/8/8/8/8/8/8/R3K3 w K - 0 1\"", "castling: no rook on h1 (column 27)"},
      {"4k3/8/8/8/8/8/8/R3K3_w_K_-_0_1", "castling: no rook on h1 (column 24)"},
      {"startpos moves e2e4 e2e4", "moves: move 2, 'e2e4' is not legal here (column 21)"},
      {"", "placement: missing (column 1)"},
      {"4k3/8/8/8/8/8/8/4K3 w - - 0 1 2",
       "FEN: '2' follows the last of the six fields (column 31)"},
      {"4k3/8/8/8/8/8/8/4K", "placement: rank 1 has 5 squares, not 8 (column 19)"},
      {"chess", "placement: 'c' is not a piece letter (pnbrqk or PNBRQK) (column 1)"},
      {"2.", "placement: '.' is not a piece letter (pnbrqk or PNBRQK) (column 2)"},
      {"https://lichess.org/",
       "FEN: this address contains neither a FEN nor moves; paste a FEN, or a game as PGN (column "
       "1)"},
      {"lichess.org/abcdefgh",
       "FEN: this address contains neither a FEN nor moves; paste a FEN, or a game as PGN (column "
       "1)"},
      {"https://lichess.org/analysis/kingOfTheHill/8/8/8/8/8/8/8/K6k_w_-_-_0_1",
       "FEN: kingOfTheHill has other rules; only chess and Chess960 are supported (column 30)"},
      {"[Variant \"Atomic\"]\n\n1. e4",
       "FEN: Atomic has other rules; only chess and Chess960 are supported (column 11)"},
      {"[Event \"a\"]\n1. e4 *\n\n[Event \"b\"]\n1. d4 *",
       "FEN: a second game starts here; only one game is expected (column 22)"},
      {"1. e4 e5 {not closed",
       "moves: move 3, '{not' is not a move such as Nf3, exd5, e8=Q, O-O or e2e4 (column 10)"},
      {"e4 e5 1-0 d4",
       "moves: move 3, '1-0' is not a move such as Nf3, exd5, e8=Q, O-O or e2e4 (column 7)"},
      {"(\"4k3/8/8/8/8/8/8/4K3 w - - 0 1\", 3, 20)",
       "placement: '(' is not a piece letter (pnbrqk or PNBRQK) (column 1)"},
  };
  for (const auto& [text, why] : kBroken) EXPECT_EQ(read(text), why) << text;
}

}  // namespace
}  // namespace manyply

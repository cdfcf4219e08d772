// Tests positions, texts from which users copy positions, and FENs.
#include "core/position.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "core/fen.h"
#include "core/line.h"
#include "core/position_text.h"
#include "tests/support/budget.h"
#include "tests/support/positions.h"

namespace manyply {
namespace {

using enum CastlingNotation;
using enum Square;
using testing::HasSubstr;

Position after(const Position& position, std::string_view move) {
  return position.after_unchecked(parse_uci(position, move, CastlingNotation::kChess960).value());
}

Setup bare_kings() {
  Setup setup;
  setup.pieces[index(kE1)] = Piece{Color::kWhite, PieceType::kKing};
  setup.pieces[index(kE8)] = Piece{Color::kBlack, PieceType::kKing};
  return setup;
}

TEST(Position, IsTheStartPositionByDefault) {
  const Position start;
  EXPECT_EQ(to_fen(start), kStartFen);
  EXPECT_EQ(start.side_to_move(), Color::kWhite);
  EXPECT_FALSE(start.in_check());
  EXPECT_EQ(start.piece_on(kE1), (Piece{Color::kWhite, PieceType::kKing}));
  EXPECT_EQ(start.piece_on(kD8), (Piece{Color::kBlack, PieceType::kQueen}));
  EXPECT_EQ(start.piece_on(kC8), (Piece{Color::kBlack, PieceType::kBishop}));
  EXPECT_EQ(start.piece_on(kE4), std::nullopt);
}

TEST(Position, ComesFromASetupThatCodeMade) {
  auto setup = bare_kings();
  EXPECT_EQ(to_fen(*Position::from_setup(setup)), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
  setup.pieces[index(kH8)] = Piece{Color::kBlack, PieceType::kRook};
  setup.castling_rooks = bit(kH8);
  setup.side_to_move = Color::kBlack;
  EXPECT_EQ(to_fen(*Position::from_setup(setup)), "4k2r/8/8/8/8/8/8/4K3 b k - 0 1");
}

TEST(Position, RefusesARightAwayFromTheBackRank) {
  auto setup = bare_kings();
  setup.pieces[index(kH4)] = Piece{Color::kWhite, PieceType::kRook};
  setup.castling_rooks = bit(kH4);
  const auto position = Position::from_setup(setup);
  EXPECT_EQ(position.error().code, ErrorCode::kIllegal);
  EXPECT_EQ(position.error().to_string(),
            "castling: a rook that can castle must be on its back rank, not on h4");
}

TEST(Position, RefusesEveryCapturableKing) {
  for (const char* fen : {"4k3/3P4/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/3N4/8/8/8/8/4K3 w - - 0 1",
                          "4k3/8/8/8/B7/8/8/4K3 w - - 0 1", "R3k3/8/8/8/8/8/8/4K3 w - - 0 1",
                          "4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1", "4k3/4K3/8/8/8/8/8/8 w - - 0 1",
                          "4k3/8/8/8/8/8/3p4/4K3 b - - 0 1", "4k3/8/8/8/8/3n4/8/4K3 b - - 0 1"}) {
    const auto position = parse_position(fen);
    ASSERT_FALSE(position.ok()) << fen;
    EXPECT_THAT(position.error().message, HasSubstr("is in check, but")) << fen;
  }
}

TEST(Position, AcceptsWhatNoGameReachesButRulesCanPlay) {
  for (const char* fen : {
           "4k3/8/8/8/8/5n2/3p4/4K3 w - - 0 1",             // check by pawn and knight
           "4r3/8/8/8/1b5q/8/8/k3K2r w - - 0 1",            // check from four sides
           "k7/8/8/8/8/8/4p3/3bKb2 w - - 0 1",              // no move gave this check
           "QQQQQQQk/QQQQQQQQ/8/8/8/8/8/K7 b - - 0 1",      // fifteen queens
           "4k3/8/8/pppppppp/PPPPPPPP/8/8/4K3 w - a6 0 1",  // pawns that never met
           "4k3/8/8/8/8/8/8/BBBBK3 w - - 0 1",              // bishops of any colour
           "8/8/8/8/8/8/8/K1k5 w - - 0 1",                  // bare kings
       }) {
    EXPECT_TRUE(parse_position(fen).ok()) << fen;
  }
}

TEST(Position, SeesCheck) {
  EXPECT_TRUE(position_at("4k3/8/8/8/8/8/8/4K2r w - - 0 1").in_check());
  EXPECT_FALSE(position_at("4k3/8/8/8/8/8/8/4KN1r w - - 0 1").in_check());
  EXPECT_TRUE(position_at("4k3/8/8/8/8/8/8/4R1K1 b - - 0 1").in_check());
  EXPECT_FALSE(position_at("4k3/8/8/8/8/8/4p3/4K3 w - - 0 1").in_check());
  EXPECT_TRUE(position_at("4k3/8/8/8/8/8/4p3/3K4 w - - 0 1").in_check());
}

TEST(Position, LosesCastlingRightsAsTheRulesSay) {
  const auto rights_after = [](std::string_view fen, std::string_view move) {
    return after(position_at(fen), move).board().castling;
  };
  const std::string_view all = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
  EXPECT_EQ(rights_after(all, "e1e2"), bit(kA8) | bit(kH8));
  EXPECT_EQ(rights_after(all, "e1h1"), bit(kA8) | bit(kH8));
  EXPECT_EQ(rights_after(all, "a1b1"), bit(kH1) | bit(kA8) | bit(kH8));
  EXPECT_EQ(rights_after(all, "a1a8"), bit(kH1) | bit(kH8));  // both rooks of the a-file
  EXPECT_EQ(rights_after("r3k2r/6P1/8/8/8/8/8/R3K2R w KQkq - 0 1", "g7h8q"),
            bit(kA1) | bit(kH1) | bit(kA8));
  EXPECT_EQ(rights_after("r3k2r/8/8/8/8/6n1/8/R3K2R b KQkq - 0 1", "g3h1"),
            bit(kA1) | bit(kA8) | bit(kH8));
  // A rook that comes to the corner later gives no castling right.
  EXPECT_EQ(rights_after("4k3/8/8/8/8/8/7R/4K3 w - - 0 1", "h2h1"), 0U);
}

TEST(Position, IdentityForgetsTheWay) {
  const Position start;
  const auto play = [&](std::initializer_list<std::string_view> moves) {
    Position position = start;
    for (const std::string_view move : moves) position = after(position, move);
    return position;
  };
  EXPECT_EQ(play({"g1f3", "g8f6", "f3g1", "f6g8"}), start);
  EXPECT_NE(play({"e2e3", "e7e5", "e3e4"}), play({"e2e4", "e7e5"}));  // the other side to move
  // No pawn can capture on e3, so the double step sets no en passant square.
  EXPECT_EQ(play({"e2e4", "e7e5", "g1f3"}), play({"g1f3", "e7e5", "e2e4"}));
  EXPECT_EQ(play({"e2e4"}).board().en_passant, 0U);
  EXPECT_EQ(play({"e2e4", "a7a6", "e4e5", "d7d5"}).board().en_passant, bit(kD6));
  // A king that has moved and returned has lost its rights, so the position differs.
  EXPECT_NE(play({"e2e4", "e7e5", "e1e2", "e8e7", "e2e1", "e7e8"}), play({"e2e4", "e7e5"}));
}

/// Returns the distinct children of `parents` that belong to part `part` of `parts`. A part needs
/// less memory than all children. The number of children equals the published number only if
/// equality of positions is right.
std::vector<Position> distinct_children(const std::vector<Position>& parents, std::uint64_t part,
                                        std::uint64_t parts) {
  std::vector<Position> children;
  for (const Position& parent : parents) {
    for (const Move move : legal_moves(parent)) {
      const Position child = parent.after_unchecked(move);
      const std::uint64_t hash =
          child.board().occupied() * 0x9E3779B97F4A7C15 ^ child.board().of(Color::kWhite).all();
      if ((hash >> 40) % parts == part) children.push_back(child);
    }
  }
  std::ranges::sort(children);
  const auto repeated = std::ranges::unique(children);
  children.erase(repeated.begin(), repeated.end());
  return children;
}

std::vector<Position> expect_distinct_positions(const std::vector<std::size_t>& by_ply) {
  std::vector<Position> positions{Position()};
  for (const std::size_t expected : by_ply) {
    positions = distinct_children(positions, 0, 1);
    EXPECT_EQ(positions.size(), expected);
  }
  return positions;
}

TEST(Position, DistinctPositionsByPlyAreThePublishedOnes) {
  std::vector<std::size_t> by_ply{20, 400, 5362, 72078};
  if (kIsFastBuild) by_ply.push_back(822518);
  expect_distinct_positions(by_ply);
}

TEST(PositionSlow, DistinctPositionsAtPlySixAreThePublishedOnes) {
  const auto positions = expect_distinct_positions({20, 400, 5362, 72078, 822518});
  constexpr std::uint64_t kParts = 16;
  std::size_t distinct = 0;
  for (std::uint64_t part = 0; part < kParts; ++part)
    distinct += distinct_children(positions, part, kParts).size();
  EXPECT_EQ(distinct, 9417681U);
}

// Tests texts from which users copy positions, and texts that must be left unchanged.

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
  EXPECT_EQ(line->moves().size(), 3u);
}

// A promotion in brackets is not a variation.
TEST(PositionText, PromotionsInBracketsAreMoves) {
  const Result<Line> line =
      parse_line("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "1. a8(Q)+ (1. a8(N)) Kd7", std::nullopt);
  ASSERT_TRUE(line.ok()) << line.error().to_string();
  EXPECT_EQ(line->moves().size(), 2u);
}

// If many brackets or quotes are never closed, the missing end is searched for only once.
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

NamedPosition parsed(std::string_view fen) { return parse_position(fen).value(); }

std::string canonical(std::string_view fen) {
  const NamedPosition named = parsed(fen);
  return to_fen(named.position, named.notation);
}

/// A text that is refused. '^' marks the column that the error must name.
struct Refusal {
  std::string marked;
  std::string field;
  std::string message;
};

void expect_refusals(const std::vector<Refusal>& refusals, ErrorCode code) {
  for (const auto& [marked, field, message] : refusals) {
    std::string text = marked;
    const std::size_t mark = text.find('^');
    ASSERT_NE(mark, std::string::npos) << marked;
    text.erase(mark, 1);
    const auto result = parse_position(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.error().field, field) << text;
    EXPECT_EQ(result.error().column, static_cast<int>(mark) + 1) << text;
    EXPECT_THAT(result.error().message, HasSubstr(message)) << text;
    EXPECT_EQ(result.error().code, code) << text;
  }
}

TEST(Fen, ALineEndBehindItIsNoPartOfIt) {
  const std::string fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
  for (const char* end : {"\r", "\n", "\r\n", " \r\n"}) EXPECT_EQ(canonical(fen + end), fen);
  EXPECT_EQ(canonical("startpos\r\n"), kStartFen);
  EXPECT_EQ(canonical("kiwipete\r"), kKiwipeteFen);
}

TEST(Fen, NamesTheFieldThatIsMissing) {
  expect_refusals(
      {
          {"^", "placement", "missing"},
          {"  ^", "placement", "missing"},
          {"4k3/8/8/8/8/8/8/4K3^", "side to move", "missing"},
          {"4k3/8/8/8/8/8/8/4K3 ^", "side to move", "missing"},
          {"4k3/8/8/8/8/8/8/4K3 w^", "castling", "missing"},
          {"4k3/8/8/8/8/8/8/4K3 w -^", "en passant", "missing"},
          {"4k3/8/8/8/8/8/8/4K3 w - - 0 1 ^7", "FEN", "'7' follows the last of the six fields"},
          {"^startpos ", "placement", "'s' is no"},
      },
      ErrorCode::kInvalidInput);
}

TEST(Fen, PointsIntoThePlacement) {
  expect_refusals(
      {
          {"4k3/8/8/8/8/8/4K3^ w - - 0 1", "placement", "7 ranks, not 8"},
          {"4k3/8/8/8/8/8/8/4K3^/8 w - - 0 1", "placement", "more than 8 ranks"},
          {"4k3/8/8/8/8/8/8/4K3^/ w - - 0 1", "placement", "more than 8 ranks"},
          {"^/4k3/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "rank 8 has 0 squares, not 8"},
          {"4k3/8/^/8/8/8/8/4K3 w - - 0 1", "placement", "rank 6 has 0 squares, not 8"},
          {"4k2^/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "rank 8 has 7 squares, not 8"},
          {"4k3/8/8/8/8/8/8/4K2^ w - - 0 1", "placement", "rank 1 has 7 squares, not 8"},
          {"4k3^1/8/8/8/8/8/8/4K3 w - - 0 1", "placement",
           "two digits follow each other; write their sum"},
          {"4k2^1/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "two digits follow each other"},
          {"4k3^p/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "rank 8 has more than 8 squares"},
          {"pppp^5/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "rank 8 has more than 8 squares"},
          {"4k3/^9/8/8/8/8/8/4K3 w - - 0 1", "placement",
           "'9' is not a piece letter (pnbrqk or PNBRQK)"},
          {"4k3/^0/8/8/8/8/8/4K3 w - - 0 1", "placement", "'0' is not a piece letter"},
          {"4k3/8/3^x4/8/8/8/8/4K3 w - - 0 1", "placement", "'x' is not a piece letter"},
          {"4k3/8/3^-4/8/8/8/8/4K3 w - - 0 1", "placement", "'-' is not a piece letter"},
          {"4k3/8^\\8/8/8/8/8/4K3 w - - 0 1", "placement", "'\\' is not a piece letter"},
          {"   4k3/^9/8/8/8/8/8/4K3 w - - 0 1", "placement", "'9' is not a piece letter"},
          {"4k3/8/8/8/8/8/8/4K3^\n w - - 0 1", "placement", "is not a piece letter"},
          {"4k3/8/8/8/8/8/8/^\xC3\xA9 w - - 0 1", "placement", "is not a piece letter"},
      },
      ErrorCode::kInvalidInput);
}

TEST(Fen, PointsIntoTheOtherFields) {
  expect_refusals(
      {
          {"4k3/8/8/8/8/8/8/4K3 ^W - - 0 1", "side to move", "'W' is neither 'w' nor 'b'"},
          {"4k3/8/8/8/8/8/8/4K3 ^white - - 0 1", "side to move", "'white' is neither"},
          {"4k3/8/8/8/8/8/8/4K3 ^- - - 0 1", "side to move", "'-' is neither 'w' nor 'b'"},

          {"r3k2r/8/8/8/8/8/8/R3K2R w KQ^xq - 0 1", "castling",
           "'x' is not a castling letter (KQkq, or the rook's file)"},
          {"r3k2r/8/8/8/8/8/8/R3K2R w ^-KQ - 0 1", "castling", "'-' is not a castling letter"},
          {"r3k2r/8/8/8/8/8/8/R3K2R w KQ^- - 0 1", "castling", "'-' is not a castling letter"},
          {"r3k2r/8/8/8/8/8/8/R3K2R w ^1 - 0 1", "castling", "'1' is not a castling letter"},
          {"r3k2r/8/8/8/8/8/8/R3K2R w KQ^K - 0 1", "castling", "'K' repeats a castling right"},
          {"r3k2r/8/8/8/8/8/8/R3K2R w K^H - 0 1", "castling", "'H' repeats a castling right"},
          {"r3k2r/8/8/8/8/8/8/R3K3 w ^KQkq - 0 1", "castling", "no rook on h1"},
          {"4k2r/8/8/8/8/8/8/R3K2R w KQk^q - 0 1", "castling", "no rook on a8"},
          {"r3k2r/8/8/8/8/8/4K3/R6R w ^KQkq - 0 1", "castling", "White's king is not on its back"},
          {"r6r/4k3/8/8/8/8/8/R3K2R w KQ^kq - 0 1", "castling", "Black's king is not on its back"},
          {"8/8/8/8/8/8/8/R6R w ^K - 0 1", "castling", "White's king is not on its back rank"},

          {"4k3/8/8/8/8/8/8/4K3 w - ^e 0 1", "en passant", "'e' is neither a square nor '-'"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^e9 0 1", "en passant", "'e9' is neither a square"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^e0 0 1", "en passant", "'e0' is neither a square"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^i6 0 1", "en passant", "'i6' is neither a square"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^E6 0 1", "en passant", "'E6' is neither a square"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^e66 0 1", "en passant", "'e66' is neither a square"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^-- 0 1", "en passant", "'--' is neither a square"},

          {"4k3/8/8/8/8/8/8/4K3 w - - ^x 1", "halfmove clock",
           "'x' is not a whole number of moves"},
          {"4k3/8/8/8/8/8/8/4K3 w - - ^-1 1", "halfmove clock", "'-1' is not a whole number"},
          {"4k3/8/8/8/8/8/8/4K3 w - - ^+1 1", "halfmove clock", "'+1' is not a whole number"},
          {"4k3/8/8/8/8/8/8/4K3 w - - ^1.5 1", "halfmove clock", "'1.5' is not a whole number"},
          {"4k3/8/8/8/8/8/8/4K3 w - - ^100000 1", "halfmove clock",
           "'100000' is not a whole number"},
          {"4k3/8/8/8/8/8/8/4K3 w - - 0 ^-", "fullmove number", "'-' is not a whole number"},
          {"4k3/8/8/8/8/8/8/4K3 w - -   0   ^1x", "fullmove number", "'1x' is not a whole number"},
      },
      ErrorCode::kInvalidInput);
}

TEST(Fen, PointsAtWhatIsIllegal) {
  expect_refusals(
      {
          {"^8/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "Black has no king"},
          {"^4k3/8/8/8/8/8/8/8 w - - 0 1", "placement", "White has no king"},
          {"4k3/8/8/8/8/8/4^K3/4K3 w - - 0 1", "placement", "White has more than one king"},
          {"4k^k2/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "Black has more than one king"},
          {"4k2^P/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "a pawn on h8"},
          {"4k3/8/8/8/8/8/8/^p3K3 w - - 0 1", "placement", "a pawn on a1"},
          {"^4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1", "placement",
           "White has more than 16 pieces"},
          {" ^qqqqkqqq/qqqqqqqq/q7/8/8/8/8/4K3 w - - 0 1", "placement",
           "Black has more than 16 pieces"},
          {"4^k3/8/8/8/8/8/8/4RK2 w - - 0 1", "placement",
           "Black's king on e8 is in check, but White is to move"},
          {"4k3/8/8/8/8/8/5p2/4^K3 b - - 0 1", "placement",
           "White's king on e1 is in check, but Black is to move"},
          {"8/8/8/3k^K3/8/8/8/8 b - - 0 1", "placement", "White's king on e5 is in check"},

          {"4k3/8/8/8/8/8/8/4K2N w ^H - 0 1", "castling", "no rook on h1"},
          {"4k3/8/8/8/8/8/8/4K2q w ^H - 0 1", "castling", "no rook on h1"},
          {"4k3/8/8/8/8/8/8/4K2r w ^H - 0 1", "castling", "no rook on h1"},
          {"4k3/8/8/8/8/8/8/4K3 w ^E - 0 1", "castling", "no rook on e1"},
          {"4k3/8/8/8/8/8/4K3/7R w ^H - 0 1", "castling", "White's king is not on its back rank"},
          {"4k3/8/8/8/8/8/8/4K1RR w K^G - 0 1", "castling",
           "two castling rights on the same side of the king"},

          {"4k3/8/8/8/8/8/8/4K3 w - ^e3 0 1", "en passant", "e3 is not on the sixth rank"},
          {"4k3/8/8/8/8/8/8/4K3 b - ^e6 0 1", "en passant", "e6 is not on the third rank"},
          {"4k3/8/8/8/4P3/8/8/4K3 b - ^e4 0 1", "en passant", "e4 is not on the third rank"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^e6 0 1", "en passant", "no pawn can have passed e6"},
          {"4k3/8/8/4P3/8/8/8/4K3 w - ^e6 0 1", "en passant", "no pawn can have passed e6"},
          {"4k3/8/8/3pP3/8/8/8/4K3 b - ^d3 0 1", "en passant", "no pawn can have passed d3"},
          {"3nk3/3n4/8/3pP3/8/8/8/4K3 w - ^d6 0 1", "en passant",
           "a pawn's path over d6 is not free"},
          {"4k3/8/3n4/3pP3/8/8/8/4K3 w - ^d6 0 1", "en passant", "path over d6 is not free"},
      },
      ErrorCode::kIllegal);
}

TEST(Fen, ErrorsAreOnePrintableLine) {
  for (const char* text : {"4k3/8/8/8/8/8/8/4K3 w\n- - 0 1", "4k3/8/8/8/8/8/8/4K3 \x01 - - 0 1",
                           "4k3/8/8/8/8/8/8/4K3 w - \xC3\xA9 0 1"}) {
    const auto result = parse_position(text);
    for (const char c : result.error().to_string())
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) << text;
  }
  const auto long_field = parse_position("4k3/8/8/8/8/8/8/4K3 w - " + std::string(10'000, 'e'));
  EXPECT_LT(long_field.error().to_string().size(), 200U);
}

TEST(Fen, ClocksAreOptionalAndIgnored) {
  const Position position = parsed("4k3/8/8/8/8/8/8/4K3 w - -").position;
  for (const char* fen :
       {"4k3/8/8/8/8/8/8/4K3 w - - 0", "4k3/8/8/8/8/8/8/4K3 w - - 99 120",
        "  4k3/8/8/8/8/8/8/4K3\tw  -   - 0 1  ", "4k3/8/8/8/8/8/8/4K3 w - - 0 99999"}) {
    EXPECT_EQ(parsed(fen).position, position) << fen;
  }
  EXPECT_EQ(to_fen(position), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
}

TEST(Fen, KnowsTwoNames) {
  EXPECT_EQ(parsed("startpos").position, Position());
  EXPECT_EQ(canonical("startpos"), kStartFen);
  EXPECT_EQ(canonical("kiwipete"), kKiwipeteFen);
  EXPECT_EQ(parsed("kiwipete").notation, kStandard);
  EXPECT_EQ(canonical("StartPos"), kStartFen);
  EXPECT_FALSE(parse_position("startpo").ok());
}

TEST(Fen, DetectsChess960FromTheCastlingField) {
  const auto notation = [](std::string_view fen) { return parsed(fen).notation; };
  EXPECT_EQ(notation("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"), kStandard);
  EXPECT_EQ(notation("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"), kChess960);
  EXPECT_EQ(notation("r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1"), kStandard);
  EXPECT_EQ(notation("r3k2r/8/8/8/8/8/8/R3K2R w Ka - 0 1"), kChess960);
  EXPECT_EQ(notation("r2k3r/8/8/8/8/8/8/R2K3R w KQkq - 0 1"), kChess960);  // king not on e
  EXPECT_EQ(notation("4k3/8/8/8/8/8/8/R3K1R1 w K - 0 1"), kChess960);      // rook not on h
  EXPECT_EQ(notation("r2k3r/8/8/8/8/8/8/R2K3R w - - 0 1"), kStandard);
}

TEST(Fen, ReadsXFenAndShredderFenAlike) {
  using enum Square;
  const auto rights = [](std::string_view fen) { return parsed(fen).position.board().castling; };
  // K and Q mean the outermost rook.
  EXPECT_EQ(rights("4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1"), bit(kH1) | bit(kA1));
  EXPECT_EQ(rights("4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1"), bit(kG1) | bit(kB1));
  EXPECT_EQ(rights("4k3/8/8/8/8/8/8/RR2K1RR w KB - 0 1"), bit(kH1) | bit(kB1));
  EXPECT_EQ(rights("1r1k1r2/8/8/8/8/8/8/4K3 w kq - 0 1"), bit(kF8) | bit(kB8));
  EXPECT_EQ(rights("1r1k1r2/8/8/8/8/8/8/4K3 w fb - 0 1"), bit(kF8) | bit(kB8));
  // A piece of any kind beyond the outermost rook changes nothing.
  EXPECT_EQ(rights("4k3/8/8/8/8/8/8/1R2K1RN w KQ - 0 1"), bit(kG1) | bit(kB1));
  EXPECT_EQ(rights("4k3/8/8/8/8/8/8/4KR1r w K - 0 1"), bit(kF1));
}

TEST(Fen, WritesCastlingAsTheNotationNeeds) {
  EXPECT_EQ(canonical("r3k2r/8/8/8/8/8/8/R3K2R b qkQK - 3 9"),
            "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1");
  EXPECT_EQ(canonical("r3k2r/8/8/8/8/8/8/R3K2R b ahAH - 0 1"),
            "r3k2r/8/8/8/8/8/8/R3K2R b HAha - 0 1");
  EXPECT_EQ(canonical("1r1k1r2/8/8/8/8/8/8/4K3 w kq - 0 1"), "1r1k1r2/8/8/8/8/8/8/4K3 w fb - 0 1");
  EXPECT_EQ(to_fen(Position(), kChess960),
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
  // Rights that KQkq cannot express are written by file, even in standard notation.
  const Position inner = parsed("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1").position;
  EXPECT_EQ(to_fen(inner, kStandard), "4k3/8/8/8/8/8/8/RR2K3 w B - 0 1");
}

TEST(Fen, KeepsEnPassantOnlyWhenACaptureIsLegal) {
  const auto same_without = [](std::string with, std::string without) {
    return parsed(with).position == parsed(without).position;
  };
  // There is no pawn that could capture.
  EXPECT_TRUE(same_without("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"));
  // There is a pawn that can capture.
  EXPECT_FALSE(
      same_without("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1"));
  // The only capturing pawn is pinned on the file or on a diagonal, or removing both pawns exposes
  // the king on the rank.
  EXPECT_TRUE(
      same_without("3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1", "3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1"));
  EXPECT_TRUE(
      same_without("7k/8/8/8/3pP3/2B5/8/4K3 b - e3 0 1", "7k/8/8/8/3pP3/2B5/8/4K3 b - - 0 1"));
  EXPECT_TRUE(
      same_without("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1", "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1"));
  // The king is in check by the pawn that can be captured, or by another piece.
  EXPECT_FALSE(
      same_without("8/8/8/3k4/3pP3/8/8/4K3 b - e3 0 1", "8/8/8/3k4/3pP3/8/8/4K3 b - - 0 1"));
  EXPECT_TRUE(
      same_without("k7/8/8/8/3pP3/8/8/R3K3 b - e3 0 1", "k7/8/8/8/3pP3/8/8/R3K3 b - - 0 1"));
}

TEST(Fen, SurvivesTheRoundTrip) {
  const Chooser choose = choose_by_seed(11);
  int legal = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string fen = piece_soup(choose);
    const auto named = parse_position(fen);
    if (!named) {
      EXPECT_EQ(named.error().code, ErrorCode::kIllegal) << fen;
      continue;
    }
    ++legal;
    for (const CastlingNotation notation : {kStandard, kChess960, named->notation}) {
      const std::string text = to_fen(named->position, notation);
      const auto again = parse_position(text);
      ASSERT_TRUE(again.ok()) << text;
      EXPECT_EQ(again->position, named->position) << text;
      EXPECT_EQ(to_fen(again->position, notation), text);
    }
  }
  EXPECT_GT(legal, 2'000);
}

TEST(Fen, ReadsEveryChess960Start) {
  EXPECT_EQ(chess960_start(518), kStartFen);
  std::vector<Position> starts;
  for (int number = 0; number < 960; ++number) {
    const NamedPosition named = parsed(chess960_start(number));
    EXPECT_EQ(popcount(named.position.board().castling), 4) << number;
    starts.push_back(named.position);
  }
  std::ranges::sort(starts);
  EXPECT_EQ(std::ranges::unique(starts).size(), 0U);
}

constexpr std::string_view kKings = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";

/// Returns the record of a line. The line must contain one.
EpdRecord record_of(std::string_view line) {
  const Result<std::optional<EpdRecord>> record = parse_epd_line(line);
  if (!record) throw std::runtime_error(record.error().to_string());
  return record->value();
}

std::string error_of(const std::string& line) {
  const Result<std::optional<EpdRecord>> record = parse_epd_line(line);
  return record ? "no error" : record.error().to_string();
}

TEST(Epd, ReadsPositionAndCounts) {
  const EpdRecord record =
      record_of(std::string(kStartFen) + " ;D1 20 ;D2 400 ;D15 2015099950053364471960");
  EXPECT_EQ(record.root.position, Position());
  EXPECT_EQ(record.fen, kStartFen);
  ASSERT_EQ(record.counts.size(), 3u);
  EXPECT_EQ(record.counts[1].depth, Depth(2));
  EXPECT_EQ(record.counts[1].nodes, NodeCount(400));
  EXPECT_EQ(record.counts[2].nodes.to_string(), "2015099950053364471960");
}

TEST(Epd, SpacingIsFree) {
  for (const char* counts : {";D1 20;D2 400", " ; D1 20 ; D2 400 ;", "\t;D1\t20   ;D2   400  \r",
                             ";;D1 20;;D2 400;", " ;D1 20 ;D2 400 # twenty"}) {
    const EpdRecord record = record_of("  " + std::string(kStartFen) + counts);
    EXPECT_EQ(record.fen, kStartFen) << counts;
    ASSERT_EQ(record.counts.size(), 2u) << counts;
    EXPECT_EQ(record.counts[1].nodes, NodeCount(400)) << counts;
  }
}

TEST(Epd, TakesFourFieldsNamesAndChess960) {
  EXPECT_EQ(record_of("4k3/8/8/8/8/8/8/4K3 w - - ;D1 5").counts.size(), 1u);
  EXPECT_EQ(record_of("startpos ;D0 1").root.position, Position());
  EXPECT_EQ(record_of("4k3/8/8/8/8/8/8/1R2K3 w B - 0 1 ;D1 15").root.notation,
            CastlingNotation::kChess960);
}

TEST(Epd, ReadsSmallLetters) {
  EXPECT_EQ(record_of("startpos ;d1 20 ;d2 400").counts[1].depth, Depth(2));
}

// A single row of numbers without column names is ambiguous, so it must be an error. Only other
// rows could show what the numbers mean.
TEST(Epd, GuessesNothingOfRows) {
  for (const char* line : {"startpos,20,400", "startpos,3,8902", "startpos;3;8902"})
    EXPECT_NE(error_of(line), "no error") << line;
}

TEST(Epd, CommentsAndEmptyLinesHoldNothing) {
  for (const char* line : {"", "   ", "\t\r", "# startpos ;D1 20", "   # x"}) {
    const Result<std::optional<EpdRecord>> record = parse_epd_line(line);
    ASSERT_TRUE(record.ok()) << line;
    EXPECT_FALSE(record->has_value()) << line;
  }
}

TEST(Epd, NamesFieldAndColumnOfMistakes) {
  const std::string fen(kKings);  // 29 characters
  EXPECT_EQ(error_of(fen),
            "count: no count given; expected a count such as ' ;D1 20' after the FEN (column 30)");
  EXPECT_EQ(error_of("4k3/8/8/8/8/8/8/4K3 x - - ;D1 5"),
            "side to move: 'x' is neither 'w' nor 'b' (column 21)");
  EXPECT_EQ(error_of("   4k3/8/8/8/8/8/8/4K3 x - - ;D1 5"),
            "side to move: 'x' is neither 'w' nor 'b' (column 24)");
  EXPECT_EQ(error_of(fen + " ;X1 5"),
            "depth: expected a count such as 'D3 8902', found 'X1' (column 32)");
  EXPECT_EQ(error_of(fen + " ;D 5"), "depth: '' is not a whole number from 0 to 64 (column 33)");
  EXPECT_EQ(error_of(fen + " ;D65 5"), "depth: '65' is above the maximum depth of 64 (column 33)");
  EXPECT_EQ(error_of(fen + " ;D1"), "count: no count after 'D1' (column 34)");
  EXPECT_EQ(error_of(fen + " ;D1 5x"), "count: '5x' is not a whole number (column 35)");
  EXPECT_EQ(error_of(fen + " ;D1 5 6"), "count: '5 6' is not a whole number (column 35)");
  EXPECT_EQ(error_of(fen + " ;D1 -5"), "count: '-5' is not a whole number (column 35)");
  EXPECT_EQ(error_of(fen + " ;D1 999999999999999999999999999999999999999"),
            "count: '999999999999999999999999999999999999999' exceeds 128 bits (column 35)");
  EXPECT_EQ(error_of(fen + " ;D1 5 ;D1 5"), "depth: D1 is given twice (column 38)");
  EXPECT_EQ(error_of(";D1 20"), "placement: missing (column 1)");
}

}  // namespace
}  // namespace manyply

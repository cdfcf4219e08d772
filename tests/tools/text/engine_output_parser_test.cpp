#include "tools/text/engine_output_parser.h"

#include <gmock/gmock.h>

#include "core/counting.h"
#include "core/position.h"
#include "tests/tools/text/read_lines.h"

namespace manyply {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

constexpr const char* kBothSides = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

TEST(EngineOutput, ReadsWhatStockfishPrints) {
  EXPECT_EQ(read({"info string NNUE evaluation using nn.nnue", "a2a3: 8457", "b7b8q: 20", "",
                  "Nodes searched: 8477", ""}),
            "a2a3 8457; b7b8q 20; total 8477");
}

TEST(EngineOutput, ReadsEveryWayOfWritingARow) {
  for (const std::string_view line : each_of(
           "e7e8q: 20", "e7e8q 20", "e7e8q\t20", "e7e8q - 20", "e7e8q = 20", "e7e8q -> 20",
           "e7e8q --> 20 nodes", "E7E8Q: 20", "e7-e8=Q: 20", "e7xe8=q 20", "e7e8(Q) 20",
           "1. e7e8q 20", "1) e7e8q: 20", "  e7e8q :  20", "info string e7e8q: 20",
           "move e7e8q nodes: 20", "20 e7e8q", "[e7e8q] 20", "\"e7e8q\": 20,",
           "\x1b[1me7e8q\x1b[0m: \x1b[32m20\x1b[0m",
           "\xe2\x94\x82 e7e8q \xe2\x94\x82 20 \xe2\x94\x82", "Pe7-e8=Q: 20",
           "[ 3/20] e7e8q 20 nodes 0.1 s", "e7e8 (queen): 20", "e7e8 = Q: 20", "e7e8q.......20",
           "e7e8q-20", "e7e8q:20.", "depth 3 move e7e8q count=20 time 3 ms",
           "<move uci='e7e8q' nodes='20'/>", "e7e8q (20)", "e7e8q \xe2\x86\x92 20",
           "| e7e8q | 20 |", "e7e8q,20", "e7e8q;20", "e7e8/Q 20", "(12) e7e8q: 20 (4.5 %)",
           "move=e7e8q depth=2 nodes=20 time=1", "move e7e8q depth 2 nodes 20 time 1",
           "e7e8q => 20", "e7e8q=20", "e7e8q ==> 20", "* e7e8q: 20", "- e7e8q: 20", "> e7e8q: 20",
           "Move: e7e8q, nodes: 20", "(e7e8q, 20)", "('e7e8q', 20),", "['e7e8q', 20],",
           "'e7e8q': 20,", "e7e8q: 20 leaf nodes", "e7e8q has 20 nodes", "e7e8q: 20 [12.5%]",
           "root move e7e8q 20", "20 - e7e8q", "`e7e8q` | 20", "<b>e7e8q</b>: 20<br>",
           "perft(e7e8q) = 20", "divide e7e8q 20", "{'move': 'e7e8q', 'nodes': 20},", "e7e8q :: 20",
           "Thread 0: e7e8q: 20", "DEBUG e7e8q 20", "# e7e8q 20")) {
    EXPECT_EQ(read({line}), "e7e8q 20; no total") << line;
  }
  EXPECT_EQ(read({"e2e4: 1,234,567"}), "e2e4 1234567; no total");
  EXPECT_EQ(read({"e2e4: 1'234_567"}), "e2e4 1234567; no total");
  EXPECT_EQ(read({"e2e4: 1.234.567"}), "e2e4 1234567; no total");
  EXPECT_EQ(read({"e2e4: 1\xe2\x80\xaf"
                  "234\xc2\xa0"
                  "567"}),
            "e2e4 1234567; no total");
  EXPECT_EQ(rows_of({"e2e4,234,567"}), "e2e4 234; no total") << "a table's commas";
  EXPECT_EQ(rows_of({"e7e8q: 20 12"}), "e7e8q 20; no total");
  EXPECT_EQ(read({"e2e4: 61885021521585529237"}), "e2e4 61885021521585529237; no total");
}

TEST(EngineOutput, ReadsEveryWayOfWritingATotal) {
  for (const std::string_view line : each_of(
           "Nodes searched: 8902", "Nodes searched  : 8902", "Total: 8902", "total nodes = 8902",
           "Perft(3) = 8902", "perft 3: 8902", "8902", "  8,902  ", "Nodes: 8902, NPS: 123456",
           "nodes 8902 time 3 ms nps 100000", "8902 nodes", "8902 leaf nodes in 3 ms",
           "info string perft(3) = 8902 in 0.01 s", "Leaf nodes: 8902", "info nodes 8902 nps 12",
           "Depth: 3  Nodes: 8902  Time: 0.0014s", "depth=3 nodes=8902 time=12",
           "perft depth 3 nodes 8902 time 12", "perft 3 nodes 8902", "perft depth=3: 8902",
           "2024-03-07 18:22:00.012 INFO [main] perft - done depth=3 moves=20 nodes=8902 "
           "time=12ms"))
    EXPECT_EQ(read({line}), "total 8902") << line;
}

TEST(EngineOutput, SkipsWhatSaysNothing) {
  for (const std::string_view line :
       each_of("", "   ", "readyok", "uciok", "id name Foo 15.1", "bestmove e2e4 ponder e7e5",
               "info depth 1 currmove e2e4 currmovenumber 1",
               "info depth 2 score cp 3 pv e2e4 e7e5", "Nodes per second: 123456",
               "nodes/second: 1234", "Time: 12 ms", "Total time: 12 ms", "perft 3", "go perft 3",
               "a1b2c3d4 7", "e2e9 20", "i2i4: 3", "time 0.25", "nps 100", "e2e4 e7e5 20",
               "e2e4 is best", "position startpos moves e2e4", "e2e4: -", "nodes: 1.5")) {
    EngineOutputParser parser(*parse_position("startpos"));
    EXPECT_FALSE(parser.feed(line)) << line;
    EXPECT_EQ(rows_of({line}), "no total") << line;
  }
}

TEST(EngineOutput, TheTotalThatFitsTheRowsStays) {
  EXPECT_EQ(read({"e2e4: 20", "d2d4: 22", "Nodes searched: 42", "Nodes: 977"}),
            "e2e4 20; d2d4 22; total 42");
  EXPECT_EQ(read({"nodes 1", "e2e4: 20", "d2d4: 22", "42"}), "e2e4 20; d2d4 22; total 42");
}

TEST(EngineOutput, SumsAreCheckedForOverflow) {
  EXPECT_EQ(EngineAnswer{}.sum(), NodeCount(0));
  const NodeCount most = NodeCount::from_words(UINT64_MAX, UINT64_MAX);
  EXPECT_EQ((EngineAnswer{.rows = {{"e2e4", most}}}.sum()), most);
  EXPECT_EQ((EngineAnswer{.rows = {{"e2e4", most}, {"d2d4", 1}}}.sum()), std::nullopt);
  EXPECT_THAT(read({"e2e4: 999999999999999999999999999999999999999999"}),
              EndsWith("unread 'e2e4: 9999999999999999999999999999999999...', "
                       "999999999999999999999999... exceeds 128 bits"));
}

// ---------------------------------------------------------------- the position decides

TEST(EngineOutput, ReadsCastlingHoweverItIsWritten) {
  for (const std::string_view line :
       {"O-O: 7", "0-0: 7", "o-o 7", "O-O+ = 7", "e1g1: 7", "e1h1: 7", "Kg1: 7", "Ke1-g1 7",
        "7 O-O", "move O-O nodes 7", "O-O (e1g1): 7", "\"O-O\": 7,"})
    EXPECT_EQ(rows_of({line}, kBothSides), "e1g1 7; no total") << line;
  for (const std::string_view line : {"O-O-O: 7", "0-0-0: 7", "o-o-o# 7", "e1c1: 7", "e1a1 7"})
    EXPECT_EQ(rows_of({line}, kBothSides), "e1c1 7; no total") << line;
  constexpr const char* kShifted = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1";
  for (const std::string_view line : {"O-O: 7", "e1g1: 7"})
    EXPECT_EQ(rows_of({line}, kShifted), "e1g1 7; no total") << line;
  for (const std::string_view line : {"O-O-O: 7", "e1b1: 7", "e1c1: 7"})
    EXPECT_EQ(rows_of({line}, kShifted), "e1b1 7; no total") << line;
}

TEST(EngineOutput, ReadsSan) {
  const char* const kPassing = "4k3/P7/8/3pP3/8/8/8/4K1N1 w - d6 0 1";
  EXPECT_EQ(rows_of({"exd6 e.p.: 5", "e6 4", "a8=Q+: 3", "a8N 2", "1. Nf3 6", "Ng1-h3: 7",
                     "Kf1 = 8 nodes",
                     "\xe2\x99\x98"
                     "e2: 9",
                     "K-e2: 1"},
                    kPassing),
            "e5d6 5; e5e6 4; a7a8q 3; a7a8n 2; g1f3 6; g1h3 7; e1f1 8; g1e2 9; e1e2 1; no total");
  EXPECT_EQ(rows_of({R"({"uci":"g1f3","san":"Nf3","nodes":20})", "Nh3 (g1h3): 30"}, kPassing),
            "g1f3 20; g1h3 30; no total");
  EXPECT_EQ(rows_of({"g1 f3 20", "g1 -> h3: 30", "from e5 to d6: 40", "a7,a8,q,50"}, kPassing),
            "g1f3 20; g1h3 30; e5d6 40; a7a8q 50; no total");
}

TEST(EngineOutput, ReadsTwoSquaresInARow) {
  for (const std::string_view line :
       {"Move { from: E2, to: E4, promotion: None } => 20", "Move(e2, e4): 20",
        "Move(e2, e4, 0): 20", R"({"from":"e2","to":"e4","nodes":20})", "(e2, e4) 20", "e2 e4 20",
        "E2 E4: 20", "e2 -> e4: 20",
        "e2\xe2\x86\x92"
        "e4: 20",
        "Square::E2 to Square::E4: 20", "P e2 e4 20", "20 (e2,e4)"})
    EXPECT_EQ(rows_of({line}), "e2e4 20; no total") << line;
  // If more than a space separates the squares, castling and illegal moves are read, too.
  EXPECT_EQ(rows_of({"Move { from: E1, to: G1 } => 7"}, kBothSides), "e1g1 7; no total");
  EXPECT_EQ(rows_of({"Move { from: E1, to: G1 } => 7"}), "e1g1 7; no total");
  EXPECT_THAT(read({"e1 g1 7"}),
              HasSubstr("unread 'e1 g1 7', are two squares, but not a legal move"));
  // No piece is on the first square, so it is unclear what the squares mean.
  EXPECT_EQ(read({"e4 e5 20"}), "no total; unread 'e4 e5 20'");
  EXPECT_THAT(read({"Move { from: E5, to: E6 } => 20"}), HasSubstr("unread 'Move { from: E5,"));
}

TEST(EngineOutput, ThePieceOfAPromotionMayStandAnywhere) {
  constexpr const char* kPromotes = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1";
  for (const std::string_view line :
       {"Move { from: A7, to: B8, promotion: Some(Knight) } => 3",
        "Move { from: A7, to: B8, captured: Some(Queen), promotion: "
        "Some(Knight) } => 3",
        R"({"from":"a7","to":"b8","nodes":3,"promotion":"n"})", "promo=N src=a7 dst=b8 cnt=3",
        "Move(a7, b8, KNIGHT): 3", "(a7, b8, n) 3", "a7 b8 n 3", "a7 -> b8 (knight): 3",
        "a7 -> b8=N: 3", "a7b8 pawn promotes to knight: 3"})
    EXPECT_EQ(rows_of({line}, kPromotes), "a7b8n 3; no total") << line;
  // The promotion piece is unknown, so this is not a move.
  for (const std::string_view line : {"from: A7, to: B8, promotion: 2 => 3", "a7b8=S: 3",
                                      "Move { promotion: Amazon, from: A7, to: B8 } => 3"})
    EXPECT_THAT(read_in(kPromotes, {line}), HasSubstr("no total; unread '")) << line;
  EXPECT_EQ(rows_of({"from: A7, to: B8, promotion: None } => 3"}, kPromotes), "a7b8 3; no total")
      << "the engine's own words";
  // After a rook's move, the word does not mean a promotion.
  EXPECT_EQ(rows_of({"a1a8 (rook): 3"}, "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"), "a1a8 3; no total");
  EXPECT_EQ(rows_of({"a1a8 (rook): 3"}, "4k3/P7/8/8/8/8/8/R3K3 w - - 0 1"), "a1a8 3; no total");
}

TEST(EngineOutput, ReadsSeveralRowsOnALine) {
  EXPECT_EQ(rows_of({"e2e4 20 | d2d4: 21 | g1f3 22", "1. a2a3 3 2. a2a4 4"}),
            "e2e4 20; d2d4 21; g1f3 22; a2a3 3; a2a4 4; no total");
  EXPECT_EQ(rows_of({R"({"e2e4":20,"d2d4":21,"nodes":41})"}), "e2e4 20; d2d4 21; no total");
  EXPECT_EQ(rows_of({"20 e2e4, 21 d2d4"}), "e2e4 20; d2d4 21; no total");
}

TEST(EngineOutput, WhatIsNotLegalIsInventedIfItIsCertainWhichMoveIsMeant) {
  // The move is certain if the text has both squares, if a king castles from its home square, or if
  // only one piece can move to the square.
  EXPECT_EQ(rows_of({"a1a8: 1", "e7e5 2"}), "a1a8 1; e7e5 2; no total");
  EXPECT_EQ(rows_of({"O-O: 1", "0-0-0: 2"}), "e1g1 1; e1c1 2; no total");
  constexpr const char* kPinned = "4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1";
  EXPECT_EQ(rows_of({"Nc3: 1"}, kPinned), "e2c3 1; no total");
  EXPECT_EQ(rows_of({"a8: 1", "axb8=Q 2"}, "1n2k3/P7/8/8/8/8/8/4K3 b - - 0 1"), "no total")
      << "the other side's";
  EXPECT_EQ(rows_of({"a8: 1"}, "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1"), "a7a8 1; no total");
  // If the letter of the piece is invisible or unknown, the move must not be reported as an error.
  EXPECT_THAT(read({"Nf6: 1"}), HasSubstr("unread 'Nf6: 1', is not a possible move here"));
  EXPECT_THAT(read({"Sf3: 1"}), Not(HasSubstr("g1f3")));
  EXPECT_THAT(read_in("4k3/8/8/8/8/8/3N4/K5N1 w - - 0 1", {"Nf3: 1"}),
              HasSubstr("unread 'Nf3: 1', may be g1f3 or d2f3"));
  EXPECT_THAT(read({"e2e4x: 1"}), HasSubstr("unread 'e2e4x: 1', e2e4 is legal, but not with"));
}

TEST(EngineOutput, InChess960AKingsStepMayLookLikeCastling) {
  constexpr const char* kNear = "4k3/8/8/8/8/8/8/5K1R w H - 0 1";
  EXPECT_EQ(rows_of({"f1g1: 3", "f1h1: 4"}, kNear), "f1g1 3; f1h1 4; no total");
  EXPECT_THAT(read_in(kNear, {"f1g1: 3", "f1g1: 4"}),
              HasSubstr("unread 'f1g1: 3', is ambiguous between two moves"));
  EXPECT_EQ(rows_of({"f1g1: 3", "f1g1: 3", "f1h1: 4"}, kNear).substr(0, 26),
            "f1g1 3; f1g1 3; f1h1 4; no");
}

TEST(EngineOutput, OneNameForBothCastlingsIsNotUnderstood) {
  EXPECT_THAT(read_in(kBothSides, {"O-O: 3", "O-O: 4"}),
              HasSubstr("unread 'O-O: 3', is ambiguous between two moves"));
}

// ---------------------------------------------------------------- what is not read

TEST(EngineOutput, CountsThatAreNoneAreQuoted) {
  EXPECT_EQ(read_in(kOneKnight, {"a1a2: -20"}),
            "no total; unread 'a1a2: -20', -20 is negative, so it is not a count");
  EXPECT_THAT(read({"e2e4 -20"}), HasSubstr("-20 is negative"));
  EXPECT_THAT(read({"e2e4 -1294967296"}),
              HasSubstr("-1294967296 is negative: the engine's counter"));
  EXPECT_THAT(read({"e2e4: \xe2\x88\x92"
                    "20"}),
              HasSubstr("-20 is negative"));
  EXPECT_EQ(rows_of({"e2e4 - 20"}), "e2e4 20; no total") << "a dash between the two";
  EXPECT_EQ(read_in(kOneKnight, {"a1a2: 0x10"}),
            "no total; unread 'a1a2: 0x10', 0x10 is not a decimal number");
  for (const std::string_view line : {"a1a2: 1e6", "a1a2: 12k", "a1a2: 0b11", "a1a2: 14h"})
    EXPECT_THAT(read_in(kOneKnight, {line}), HasSubstr("is not a decimal number")) << line;
  EXPECT_THAT(read({"e2e4: 1.5"}), HasSubstr("1.5 contains a decimal point"));
  EXPECT_THAT(read({"e2e4: 20", "Nodes searched: -20"}), HasSubstr("unread 'Nodes searched: -20'"));
  EXPECT_EQ(rows_of({"Nodes searched: 0x10"}), "no total");
}

/// Returns the unread lines for a divide of kOneKnight. `last` replaces the line of the last move,
/// g1h3, and `more` lines follow.
std::string with_last(std::string_view last, Lines more = {}) {
  EngineOutputParser parser(*parse_position(kOneKnight));
  for (const std::string_view line :
       Lines{"a1a2: 3", "a1b1: 3", "a1b2: 3", "g1e2: 3", "g1f3: 3", last})
    parser.feed(line);
  for (const std::string_view line : more) parser.feed(line);
  const std::string text = text_of(parser.answer());
  const std::size_t unread = text.find("; unread ");
  return unread == std::string::npos ? "" : text.substr(unread + 9);
}

TEST(EngineOutput, ALineMattersIfItMayBeARow) {
  EXPECT_EQ(with_last("g1h3: 3"), "");
  EXPECT_EQ(with_last("g1h3: many"), "'g1h3: many'");
  EXPECT_EQ(with_last("g1h3 is worth 3"), "'g1h3 is worth 3'");
  EXPECT_EQ(with_last("knight to the rim: 3"), "'knight to the rim: 3'");
  EXPECT_EQ(with_last("h9h3: 3"), "'h9h3: 3'");
  EXPECT_EQ(with_last("i9-i7 3"), "'i9-i7 3'");
  EXPECT_EQ(with_last("h9h3: 3", {"Nodes: 18"}), "'h9h3: 3'");
  // If the total fits, no row is lost.
  EXPECT_EQ(with_last("h9h3: 3", {"Nodes: 15"}), "");
  EXPECT_EQ(with_last("Searching h9h3 ... 3", {"15"}), "");
  // If the total does not fit, every line with a number is shown.
  EXPECT_EQ(with_last("", {"rest: 3", "Total: 18"}), "'rest: 3'");
}

TEST(EngineOutput, ALineAmongTheRowsMattersIfItLooksLikeOne) {
  std::vector<std::string> rows;
  for (const Move move : legal_moves(Position()))
    rows.push_back(to_uci(move, CastlingNotation::kStandard) + ": 20");
  using Text = std::vector<std::string>;
  const auto unread = [](const Text& before, const std::string& line, const Text& behind) {
    EngineOutputParser parser({});
    for (const std::string& row : before) parser.feed(row);
    parser.feed(line);
    for (const std::string& row : behind) parser.feed(row);
    const auto lines = parser.answer().unread;
    return lines.empty() ? "" : lines.front().text;
  };
  const Text first(rows.begin(), rows.begin() + 7);
  const Text rest(rows.begin() + 7, rows.end());
  Text told = rest;
  told.push_back("Nodes searched: 400");
  for (const char* row : {"Nf9: 20", "h9 = 3", "a0|1"}) {
    EXPECT_EQ(unread(first, row, rest), row);
    EXPECT_EQ(unread({}, row, rows), row);
    EXPECT_EQ(unread(rows, row, {}), row);
    EXPECT_EQ(unread(first, row, told), "") << "the total says that all rows are there";
    Text ended = rows;
    ended.push_back("");
    EXPECT_EQ(unread(ended, row, {}), "") << "no more a part of the table";
  }
  for (const char* chatter : {"nodes: 20", "depth 1", "hash 16 MB", "t1 20 ms", "d1", "20"})
    EXPECT_EQ(unread(first, chatter, rest), "") << chatter;
}

TEST(EngineOutput, ATotalIsNotTheWholeAnswerWhereMovesAreTold) {
  EXPECT_EQ(read_in(kOneKnight, {"a1a2", "3", "a1b1", "3"}),
            "total 3; unread 'a1a2'; unread 'a1b1'");
  EXPECT_EQ(read_in(kOneKnight, {"info string at a1a2", "18"}), "total 18");
}

TEST(EngineOutput, WhatIsNeverARowDoesNotMatter) {
  for (const std::string_view line :
       each_of("info depth 3 nodes 18 pv g1h3 h8g8", "info string using 4 threads",
               "info currmove g1h3", "bestmove g1h3 ponder h8h7", "time 34 ms", "Time: 0.5",
               "nps 123456", "Elapsed: 3 s", "Hash hits: 12", "Depth 3", "Captures: 0", "readyok",
               "position fen 7k/8/8/8/8/8/8/K5N1 w - - 0 1", "Fen: 7k/8/8/8/8/8/8/K5N1 w - e3 0 1",
               "8 | . . . . . . . k |", "  a b c d e f g h", "+---+---+", "Key: 8F8F01D4562F59FB",
               "option name Hash type spin default 16 min 1 max 3", "5 s", "12 %", "100 knps",
               "id name Engine 3"))
    EXPECT_EQ(with_last(line), "") << line;  // the error of the engine is a missing g1h3
}

TEST(EngineOutput, MovesThatAreMentionedAreNoRows) {
  EXPECT_EQ(with_last("g1h3: 3", {"now at g1h3, 3 to go", "a1a2 took 3 calls", "PV: a1a2 h8g8 3"}),
            "'PV: a1a2 h8g8 3'");
  // The same text in another form is a remark, not a second row.
  EXPECT_EQ(read_in(kOneKnight, {"a1a2: 3", "a1b1: 3", "info string a1a2 3", "7 a1b1"}),
            "a1a2 3; a1b1 3; no total");
}

TEST(EngineOutput, NumbersOfLinesAreNoCounts) {
  EXPECT_THAT(read({"1. e2e4", "2. d2d4", "3. g1f3"}),
              EndsWith("unread '3. g1f3', has only the number of a line or move, but no count"));
  EXPECT_THAT(read({"1 e2e4", "2 d2d4"}), HasSubstr("unread '1 e2e4'"));
  EXPECT_EQ(rows_of({"1 e2e4", "1 d2d4"}), "e2e4 1; d2d4 1; no total");
}

TEST(EngineOutput, TwoTablesAreNotOneWithEveryMoveTwice) {
  EXPECT_EQ(read_in(kOneKnight, {"a1a2: 1", "a1b1: 1", "a1a2: 3", "a1b1: 3"}),
            "a1a2 3; a1b1 3; no total");
  EXPECT_EQ(rows_of({"a1a2: 1", "a1b1: 1", "2", "depth 2", "a1a2: 3", "a1b1: 3", "6"}, kOneKnight),
            "a1a2 3; a1b1 3; total 6");
  // The earlier list may lack a move.
  EXPECT_EQ(read_in(kOneKnight, {"a1a2: 1", "a1b1: 1", "a1a2: 3", "a1b2: 3", "a1b1: 3"}),
            "a1a2 3; a1b2 3; a1b1 3; no total");
  // Promotions without the names of the pieces, in any order.
  EXPECT_EQ(rows_of({"e7e8: 1", "e7d8: 2", "e7e8: 3", "e7d8: 4", "e7e8: 5", "e7d8: 6", "e7e8: 7",
                     "e7d8: 8"},
                    "3r4/4P3/8/8/8/7k/8/K7 w - - 0 1"),
            "e7e8 1; e7d8 2; e7e8 3; e7d8 4; e7e8 5; e7d8 6; e7e8 7; e7d8 8; no total");
  EXPECT_EQ(read_in(kOneKnight, {"a1a2: 1", "a1b1: 1", "a1a2: 1", "a1b1: 1", "4"}),
            "a1a2 1; a1b1 1; a1a2 1; a1b1 1; total 4")
      << "the total counts them all";
}

std::string read_at(int depth, Lines lines, std::string_view fen = "startpos") {
  EngineOutputParser parser(*parse_position(fen), Depth(depth));
  for (const std::string_view line : lines) parser.feed(line);
  const EngineAnswer answer = parser.answer();
  std::string text = text_of(answer);
  for (const auto& [nodes, line] : answer.other_totals) text += " or " + nodes.to_string();
  return text;
}

TEST(EngineOutput, ATableByDepthHasTheTotalOfTheDepthThatWasAsked) {
  EXPECT_EQ(read_at(3, {"1 20", "2 400", "3 8902"}), "total 8902");
  EXPECT_EQ(read_at(3, {"0 1", "1 20", "2 400", "3 8902"}), "total 8902");
  EXPECT_EQ(read_at(2, {"Depth  Nodes  Time (s)", "1  20  0.001", "2  400  0.012"}), "total 400");
  EXPECT_EQ(read_at(2, {"| depth | time | nodes |", "|------|-----|-----|", "| 1 | 3 | 20 |",
                        "| 2 | 7 | 400 |"}),
            "total 400");
  EXPECT_EQ(read_at(2, {"Depth Nodes Captures E.p. Castles", "1 20 0 0 0", "2 400 0 0 0"}),
            "total 400");
  // Without a heading the column is unknown. If neither number is ours, there is no conclusion.
  EXPECT_EQ(read_at(2, {"1 20 3", "2 400 9"}), "total 400 or 9");
  EXPECT_EQ(read_at(1, {"1 20 0.001 s"}), "total 20");
  // The line that is called the total is above rows with other numbers.
  EXPECT_EQ(read_at(2, {"Nodes: 400", "depth hits", "0 7", "1 12", "2 3"}), "total 400");
  EXPECT_EQ(read_at(5, {"1 20", "2 400"}), "total 2400 or 2 or 400") << "none of depth 5";
}

TEST(EngineOutput, MovesAloneAreADivideOfDepthOne) {
  constexpr const char* kThree = "8/8/8/8/8/7k/8/K7 w - - 0 1";
  for (const Lines& lines :
       {Lines{"a1a2", "a1b1", "a1b2"}, Lines{"Ka2", "Kb1", "Kb2"},
        Lines{"1. a1a2", "2. a1b1", "3. a1b2"}, Lines{"legal moves: a1a2 a1b1 a1b2"},
        Lines{"1 a1a2", "2 a1b1", "3 a1b2"}, Lines{"a1a2, a1b1, a1b2"}}) {
    EXPECT_EQ(read_at(1, lines, kThree), "a1a2 1; a1b1 1; a1b2 1; no total");
  }
  EXPECT_EQ(read_at(1, {"a1a2", "a1b1", "a1b2", "3 moves"}, kThree),
            "a1a2 1; a1b1 1; a1b2 1; no total");
  // Moves without counts are not a divide if the depth is not 1, in a remark, or beside words that
  // are not moves.
  EXPECT_THAT(read_at(2, {"a1a2", "a1b1", "a1b2"}, kThree), HasSubstr("unread 'a1a2'"));
  EXPECT_EQ(read_at(1, {"usage: perft a1a2 a1b1"}, kThree), "no total");
  EXPECT_THAT(read_at(1, {"a1a2", "a1b1", "a1b9"}, kThree), HasSubstr("unread"));
  EXPECT_THAT(read_at(1, {"e2e4"}), HasSubstr("unread 'e2e4'")) << "one of twenty is no list";
}

using Counts = std::vector<NodeCount>;
using Columns = std::vector<std::pair<std::string, Counts>>;

/// Returns the columns of the only table, with their names.
Columns columns_of(Lines lines) {
  EngineOutputParser parser(*parse_position("startpos"));
  for (const std::string_view line : lines) parser.feed(line);
  const EngineAnswer answer = parser.answers().back();
  const auto counts = [](const std::vector<EngineRow>& rows) {
    Counts all;
    for (const EngineRow& row : rows) all.push_back(row.nodes);
    return all;
  };
  Columns columns{{answer.column, counts(answer.rows)}};
  for (const auto& other : answer.other_columns)
    columns.emplace_back(other.name, counts(other.rows));
  return columns;
}

TEST(EngineOutput, TheTotalTellsTheColumn) {
  EXPECT_EQ(read({"1 e2e4 2 20", "2 d2d4 2 22", "Nodes: 42"}), "e2e4 20; d2d4 22; total 42");
  EXPECT_EQ(read({"20 e2e4 3", "22 d2d4 3", "Nodes: 42"}), "e2e4 20; d2d4 22; total 42");
  EXPECT_EQ(read({"e2e4 1 234", "d2d4 22", "Nodes: 1256"}), "e2e4 1234; d2d4 22; total 1256");
  // If no column fits the total, each of them is a possible reading.
  const Columns both = columns_of({"e2e4 7 20", "d2d4 8 22"});
  EXPECT_THAT(
      both, ElementsAre(Pair("first column", Counts{7, 8}), Pair("second column", Counts{20, 22})));
  EXPECT_THAT(read({"e2e4 7 20", "d2d4 8 22"}),
              AllOf(HasSubstr("unread 'e2e4 7 20'"), HasSubstr("7 or 20"),
                    HasSubstr("unread 'd2d4 8 22'"), HasSubstr("8 or 22")));
}

TEST(EngineOutput, ADepthIsNoTotal) {
  EXPECT_EQ(read({"perft - starting depth=2 threads=1", "e2e4: 20", "d2d4: 22"}),
            "e2e4 20; d2d4 22; no total");
  EXPECT_EQ(read({"{'e2e4': 20, 'd2d4': 22}", "Depth: 2  Nodes: 42  Time: 0.0014s"}),
            "e2e4 20; d2d4 22; total 42");
}

TEST(EngineOutput, AHeadingTellsTheColumn) {
  const std::string both = "e2e4 20; d2d4 22; total 42";
  // The captures fit a total, too.
  EXPECT_EQ(read({"| Move | Captures | Time (ms) | Nodes |",
                  "|:-----|---------:|----------:|------:|", "| `e2e4` | 0 | 0.1 | 20 |",
                  "| `d2d4` | 3 | 0.1 | 22 |", "| **Total** | 3 | 0.2 | **42** |"}),
            both);
  EXPECT_EQ(read({"id,move,captures,nodes", "1,e2e4,0,20", "2,d2d4,3,22", ",total,3,42"}), both);
  EXPECT_EQ(read({"Move  Checks    Leaves", "e2e4   0   20", "d2d4   3   22", "all    3   42"}),
            both);
  EXPECT_EQ(read({"Nodes  Captures  Move", "20 0 e2e4", "22 3 d2d4", "42 3 total"}), both);
  EXPECT_EQ(rows_of({"move,captures,nodes", "e2e4,0,20", "d2d4,3,22", "Captures: 3"}),
            "e2e4 20; d2d4 22; no total");
  EXPECT_THAT(read({"move,captures,nodes", "e2e4,0,-20", "total,0,-20"}),
              HasSubstr("-20 is negative"));
  // A row of another form is read as if there were no heading. A sentence is not a heading.
  EXPECT_EQ(read({"no move nodes", "1 e2e4 1 234", "2 d2d4 22", "Nodes: 1256"}),
            "e2e4 1234; d2d4 22; total 1256");
  EXPECT_EQ(rows_of({"nodes for each move", "1. e2e4 20 5%"}), "e2e4 20; no total");
  EXPECT_EQ(rows_of({"move,captures,nodes", "e2e4: 20"}), "e2e4 20; no total");
}

TEST(EngineOutput, AHeadingBindsLinesOfItsShape) {
  // The line after the table has another form, but is still a row and not a remark.
  EXPECT_EQ(read({"move,nodes", "e2e4,20", "d2d4,22", "total,62", "e2e4: 20"}),
            "e2e4 20; d2d4 22; e2e4 20; total 62");
  // The total decides, even against the names of columns.
  EXPECT_EQ(read({"move,nodes,leaves", "e2e4,3,20", "d2d4,4,22", "leaves: 42"}),
            "e2e4 20; d2d4 22; total 42");
}

TEST(EngineOutput, SeveralColumnsMayFitATotal) {
  // The captures, 0 and 3, are included in the other numbers.
  EXPECT_THAT(
      columns_of({"e2e4 0 4 20", "d2d4 3 7 22", "total 3 11 42"}),
      ElementsAre(Pair("first column", Counts{4, 7}), Pair("second column", Counts{20, 22})));
}

TEST(EngineOutput, TheSumOfTheCapturesDoesNotSayThatAllRowsAreThere) {
  EXPECT_THAT(read_in(kOneKnight, {"a1a2 0 3", "a1b1 1 3", "i9i8 0 3", "total 1 9"}),
              HasSubstr("unread 'i9i8 0 3'"));
  // If a row is missing, the column of nodes fits no total, but it is still read.
  EXPECT_THAT(read({"e2e4 0 20", "d2d4 3 22", "total 3 63"}), HasSubstr("e2e4 20; d2d4 22; "));
}

TEST(EngineOutput, WhatTheRowsAddUpToIsTheTotalWhateverItIsCalled) {
  EXPECT_EQ(read_in(kOneKnight, {"a1a2: 3", "a1b1: 3", "Knoten: 6"}), "a1a2 3; a1b1 3; no total");
  EXPECT_THAT(read_in(kOneKnight, {"a1a2: 3", "a1b1: 3", "Knoten: 9"}),
              HasSubstr("unread 'Knoten: 9'"));
}

TEST(EngineOutput, APointMayBeThatOfThousands) {
  EXPECT_EQ(read({"e2e4: 1.234", "d2d4: 22", "Nodes: 1.256"}), "e2e4 1234; d2d4 22; total 1256");
  EXPECT_EQ(read({"e2e4 0.250 20", "d2d4 1.500 22"}), "e2e4 20; d2d4 22; no total");
  EXPECT_THAT(read({"e2e4: 1.234 0", "d2d4: 22 0"}), HasSubstr("1.234 contains a decimal point"));
}

TEST(EngineOutput, ATotalAmongTheRowsIsASumSoFar) {
  EXPECT_THAT(read_in(kOneKnight, {"a1a2: 3", "a1b1: 3", "so far 6 nodes", "h9h3: 3"}),
              HasSubstr("unread 'h9h3: 3'"));
  EXPECT_THAT(read_in(kOneKnight, {"a1a2: 3", "info nodes 3", "a1b1: 3", "info nodes 6", "h9h3: 3",
                                   "info nodes 9"}),
              HasSubstr("unread 'h9h3: 3'"));
  EXPECT_EQ(read_in(kOneKnight, {"Nodes: 6", "a1a2: 3", "a1b1: 3", "thinking of h9h3, 3"}),
            "a1a2 3; a1b1 3; total 6");
}

TEST(EngineOutput, ARowMustNotPassForATotal) {
  const std::string text = read_in(
      kOneKnight, {"a1a2: 3", "a1b1: 3", "castle kingside: 20 nodes", "Nodes searched: 26"});
  EXPECT_THAT(text, HasSubstr("unread 'castle kingside: 20 nodes'"));
  EXPECT_THAT(read_in(kOneKnight, {"a1a2: 3", "from 1 to 18: 20 nodes", "Nodes searched: 23"}),
              HasSubstr("unread 'from 1 to 18: 20 nodes', 20 is not the sum of the rows"));
}

TEST(EngineOutput, WithoutRowsEveryTotalMayBeTheOne) {
  const auto answer_to = [](Lines lines) {
    EngineOutputParser parser(*parse_position("startpos"));
    for (const std::string_view line : lines) parser.feed(line);
    return parser.answer();
  };
  const EngineAnswer first =
      answer_to({R"({"nodes": 400, "ms": 1.5})", R"({"from": 12, "to": 28, "nodes": 20})",
                 R"({"from": 6, "to": 21, "nodes": 22})"});
  EXPECT_TRUE(first.may_count(400));
  EXPECT_FALSE(first.may_count(401));
  ASSERT_EQ(first.other_totals.size(), 2U);
  EXPECT_EQ(first.passed_over.size(), 2U);
  const EngineAnswer last = answer_to({"Move { from: 12, to: 28 } => 20", "perft(2) = 400"});
  EXPECT_EQ(last.total, NodeCount(400));
  ASSERT_EQ(last.passed_over.size(), 1U);
  EXPECT_EQ(last.passed_over[0].text, "Move { from: 12, to: 28 } => 20");
  // One answer for each depth; the last depth was asked for.
  const EngineAnswer deeper =
      answer_to({"perft 1: 20", "perft 2: 400", "perft(3) = 8902 in 12 ms"});
  EXPECT_EQ(deeper.total, NodeCount(8902));
  EXPECT_EQ(deeper.other_totals.size(), 0U);
  EXPECT_EQ(deeper.passed_over.size(), 0U);
}

TEST(EngineOutput, SaysWhetherItIsComplete) {
  EngineOutputParser parser(*parse_position(kOneKnight));
  parser.feed("info depth 1 nodes 3");
  EXPECT_FALSE(parser.has_total()) << "that is a search";
  parser.feed("a1a2: 3");
  EXPECT_TRUE(parser.has_rows());
  parser.feed("4");
  EXPECT_TRUE(parser.has_total());
  EXPECT_FALSE(parser.is_complete());
  parser.feed("a1b1: 1");
  parser.feed("Nodes: 4");
  EXPECT_TRUE(parser.is_complete());
}

}  // namespace
}  // namespace manyply

// Tests which of the numbers beside a move, or in the line of a total, is a count.
#include <gmock/gmock.h>

#include "tests/tools/text/read_lines.h"
#include "tools/text/line_tokens.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;

TEST(PrintedNumber, HowDeepWasCountedIsNoCount) {
  for (const std::string_view line :
       each_of("2. a2a3 moves = 20 (0.000 sec)", "2. a2a3 nodes = 20", "2. a2a3 = 20", "2) a2a3 20",
               "2 a2a3 moves: 20", "a2a3 depth 2 20", "a2a3 (depth 2): 20", "a2a3 at depth 2: 20",
               "a2a3 2 plies: 20", "a2a3 for 2 plies: 20", "a2a3 (2 plies) 20",
               "a2a3 perft(2) = 20", "a2a3 perft 2 20", "a2a3 perft 20", "perft(2) a2a3 = 20",
               "depth 2 a2a3 20", "ply=2 move=a2a3 20", "[2] a2a3 has 20 moves",
               "a2a3 ply 2: 20 leaf nodes", "2 plies a2a3: 20"))
    EXPECT_EQ(rows_of({line}), "a2a3 20; no total") << line;
  for (const std::string_view line :
       each_of("Perft 1 leaf nodes: 20", "Number of possible positions for 1 plies: 20",
               "Number of possible positions for 1 ply: 20", "Depth 1 leaf nodes: 20",
               "perft 1 leaf nodes = 20", "Perft(1) leaf nodes: 20", "Leaf nodes at depth 1: 20",
               "Total nodes for depth 1 is 20", "Positions after 1 ply = 20", "1 ply: 20 nodes",
               "ply 1: 20 nodes", "Perft 1 20", "perft 1: 20 leaf nodes", "nodes 20 ply 1",
               "nodes: 20, depth: 1", "20 positions at depth 1", "total (depth 1): 20",
               "Nodes counted in 1 plies: 20", "leaves at ply 1 = 20", "Depth 1: 20",
               "1 plies = 20", "nodes(1) = 20", "Nodes[1]: 20", "perft[1] 20"))
    EXPECT_EQ(read({line}), "total 20") << line;
  for (const std::string_view line : {"perft 1", "perft(1)", "depth 1"})
    EXPECT_EQ(read({line}), "no total") << line;
}

TEST(PrintedNumber, OfTwoReadingsTheTotalTells) {
  // The number before the move may be that of the line or of the ply. The meaning of the words
  // after the move is unknown.
  EXPECT_EQ(read({"2 e2e4 leads somewhere 20", "2 d2d4 leads somewhere 22", "Nodes: 42"}),
            "e2e4 20; d2d4 22; total 42");
  EXPECT_EQ(read({"20 e2e4 leads somewhere 2", "22 d2d4 leads somewhere 2", "Nodes: 42"}),
            "e2e4 20; d2d4 22; total 42");
  EXPECT_THAT(read_in(kOneKnight, {"2 a1a2 leads somewhere 20", "2 a1b1 leads somewhere 22"}),
              HasSubstr("no total; unread '2 a1a2 leads somewhere 20', it is ambiguous which "
                        "number is the count"));
  EXPECT_THAT(
      read({"2. e2e4", "2. d2d4"}),
      HasSubstr("no total; unread '2. e2e4', has only a line or move number, but no count"));
  EXPECT_EQ(read({"1. e2e4", "1. d2d4", "Total: 2"}), "e2e4 1; d2d4 1; total 2");
}

TEST(PrintedNumber, OfTwoTotalsNoneIsChosen) {
  EngineOutputParser parser({});
  parser.feed("positions 1 plies: 20");
  const EngineAnswer answer = parser.answer();
  EXPECT_TRUE(answer.may_count(20));
  EXPECT_TRUE(answer.may_count(1));
  EXPECT_FALSE(answer.other_totals.empty());
}

TEST(PrintedNumber, AUsageLineIsNoEmptyList) {
  EngineOutputParser parser({});
  EXPECT_FALSE(parser.feed("usage: engine DEPTH FEN, as in engine 3 e2e4: 20"));
  EXPECT_FALSE(parser.feed("time 34 ms"));
  const EngineAnswer answer = parser.answer();
  EXPECT_TRUE(answer.rows.empty());
  EXPECT_FALSE(answer.total);
  ASSERT_EQ(answer.remarks.size(), 1U);
  EXPECT_THAT(answer.remarks[0].text, HasSubstr("usage"));
}

}  // namespace
}  // namespace manyply

// Tests numbers as programs print them.
#include "tools/text/numbers.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/tools/text/read_lines.h"
#include "tools/text/line_tokens.h"

namespace manyply {
namespace {

using testing::HasSubstr;

TEST(Numbers, GroupsByThreeDigits) {
  EXPECT_EQ(grouped("1"), "1");
  EXPECT_EQ(grouped("123"), "123");
  EXPECT_EQ(grouped("1234"), "1,234");
  EXPECT_EQ(grouped("61885021521585529237"), "61,885,021,521,585,529,237");
}

TEST(Numbers, RatesHaveThreeDigits) {
  EXPECT_EQ(si(0), "0");
  EXPECT_EQ(si(12), "12");
  EXPECT_EQ(si(999), "999");
  EXPECT_EQ(si(1000), "1.00 k");
  EXPECT_EQ(si(12'345), "12.3 k");
  EXPECT_EQ(si(231'512'345), "232 M");
  EXPECT_EQ(si(999'600), "1.00 M");
  EXPECT_EQ(si(2e21), "2.00 Z");
  EXPECT_EQ(si(8.03e32), "803 Q");
}

TEST(Numbers, RatesBeyond64BitsStayRates) {
  EXPECT_EQ(rate_json(0).dump(), "0");
  EXPECT_EQ(rate_json(1234567.5).dump(), "1234568");
  EXPECT_EQ(rate_json(9.2e18).dump(), "9200000000000000000");
  EXPECT_EQ(rate_json(2.5e23).dump(), "2.5e+23");
}

TEST(Numbers, DurationsSuitTheirLength) {
  EXPECT_EQ(duration(7.4), "7 s");
  EXPECT_EQ(duration(99), "99 s");
  EXPECT_EQ(duration(150), "2 min");
  EXPECT_EQ(duration(3 * 3600.0), "3.0 h");
  EXPECT_EQ(duration(5 * 86400.0), "5.0 days");
}

// Tests which of the numbers beside a move, or in the line of a total, is a count.

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

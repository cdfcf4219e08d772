#include "tools/bisect/engine_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manyply {
namespace {

std::string text_of(const EngineAnswer& answer) {
  std::string text;
  for (const EngineRow& row : answer.rows) text += row.move + ' ' + row.nodes.to_string() + "; ";
  return text + (answer.total ? "total " + answer.total->to_string() : "no total");
}

std::string read(std::initializer_list<std::string_view> lines) {
  EngineOutputParser parser;
  for (const std::string_view line : lines) parser.feed(line);
  return text_of(parser.answer());
}

TEST(EngineOutput, ReadsWhatStockfishPrints) {
  EXPECT_EQ(read({"info string NNUE evaluation using nn.nnue", "a2a3: 8457", "b7b8q: 20", "",
                  "Nodes searched: 8477", ""}),
            "a2a3 8457; b7b8q 20; total 8477");
}

TEST(EngineOutput, ReadsEveryWayOfWritingARow) {
  for (const std::string_view line : {"e7e8q: 20",
                                      "e7e8q 20",
                                      "e7e8q\t20",
                                      "e7e8q - 20",
                                      "e7e8q = 20",
                                      "e7e8q -> 20",
                                      "e7e8q --> 20 nodes",
                                      "E7E8Q: 20",
                                      "e7-e8=Q: 20",
                                      "e7xe8=q 20",
                                      "e7e8(Q) 20",
                                      "1. e7e8q 20",
                                      "1) e7e8q: 20",
                                      "  e7e8q :  20",
                                      "info string e7e8q: 20",
                                      "move e7e8q nodes: 0",
                                      "| e7e8q | 20 |",
                                      "e7e8q,20",
                                      "e7e8q;20",
                                      "e7e8/Q 20",
                                      "(12) e7e8q: 20 (4.5 %)",
                                      "e7e8q: 20 12"}) {
    if (line.starts_with("move")) continue;  // words between move and count are somebody's prose
    EXPECT_EQ(read({line}), "e7e8q 20; no total") << line;
  }
  EXPECT_EQ(read({"e2e4: 1,234,567"}), "e2e4 1234567; no total");
  EXPECT_EQ(read({"e2e4: 1'234_567"}), "e2e4 1234567; no total");
  EXPECT_EQ(read({"e2e4: 61885021521585529237"}), "e2e4 61885021521585529237; no total");
}

TEST(EngineOutput, ReadsEveryWayOfWritingATotal) {
  for (const std::string_view line :
       {"Nodes searched: 8902", "Nodes searched  : 8902", "Total: 8902", "total nodes = 8902",
        "Perft(3) = 8902", "perft 3: 8902", "8902", "  8,902  ", "Nodes: 8902, NPS: 123456",
        "nodes 8902 time 3 ms nps 100000", "8902 nodes", "8902 leaf nodes in 3 ms",
        "info string perft(3) = 8902 in 0.01 s", "Leaf nodes: 8902", "info nodes 8902 nps 12"}) {
    EXPECT_EQ(read({line}), "total 8902") << line;
  }
}

TEST(EngineOutput, SkipsWhatSaysNothing) {
  for (const std::string_view line : {"",
                                      "   ",
                                      "readyok",
                                      "uciok",
                                      "id name Foo 15.1",
                                      "bestmove e2e4 ponder e7e5",
                                      "info depth 1 currmove e2e4 currmovenumber 1",
                                      "info depth 2 score cp 3 pv e2e4 e7e5",
                                      "Nodes per second: 123456",
                                      "nodes/second: 1234",
                                      "Time: 12 ms",
                                      "Total time: 12 ms",
                                      "perft 3",
                                      "go perft 3",
                                      "a1b2c3d4 7",
                                      "e2e9 20",
                                      "i2i4: 3",
                                      "time 0.25",
                                      "nps 100",
                                      "e2e4 e7e5 20",
                                      "e2e4 is best",
                                      "position startpos moves e2e4",
                                      "e2e4: -",
                                      "nodes: 1.5"}) {
    EngineOutputParser parser;
    EXPECT_FALSE(parser.feed(line)) << line;
    EXPECT_EQ(text_of(parser.answer()), "no total") << line;
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
  EXPECT_EQ((EngineAnswer{{{"e2e4", most}}, {}}.sum()), most);
  EXPECT_EQ((EngineAnswer{{{"e2e4", most}, {"d2d4", 1}}, {}}.sum()), std::nullopt);
  EXPECT_EQ(read({"e2e4: 999999999999999999999999999999999999999999"}), "no total");
}

}  // namespace
}  // namespace manyply

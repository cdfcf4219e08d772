// Tests how suites are read. If their meaning is unclear, no count may be guessed.
#include "tools/text/suite.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "tests/support/oracle.h"
#include "tools/report/suite_format.h"
#include "tools/text/json_text.h"
#include "tools/text/suite_text.h"

namespace manyply {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kStart = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
constexpr const char* kKiwipete =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Returns "startpos;D3=8902" for each position of `text`, or the error.
std::vector<std::string> counts_of(const std::string& text) {
  const Result<Suite> suite = read_suite_text("my", text);
  if (!suite) return {suite.error().to_string()};
  std::vector<std::string> all;
  for (const SuiteLine& line : suite->lines) {
    std::string words = std::to_string(line.number);
    for (const EpdCount& count : line.record.counts)
      words += " D" + std::to_string(count.depth.plies()) + "=" + count.nodes.to_string();
    all.push_back(words);
  }
  return all;
}

std::vector<std::string> refusals_of(const std::string& text) {
  const Result<Suite> suite = read_suite_text("my", text);
  return suite ? refusal_texts(refused_json(suite->refused))
               : std::vector<std::string>{"all of it"};
}

std::vector<std::string> read_as(const std::string& text) {
  const Result<Suite> suite = read_suite_text("my", text);
  return suite ? suite->read_as : std::vector<std::string>{suite.error().to_string()};
}

// Rows of depth and nodes, and rows of counts from depth 1 on, with each separator. The numbers
// show which layout a row has.
TEST(SuiteRows, DepthAndNodesAreNoCountsOfTwoDepths) {
  for (const std::string mark : {",", ";", "|", "\t", " , ", " ; "}) {
    const auto row = [&](const char* fen, const char* one, const char* other) {
      return fen + mark + one + mark + other + "\n";
    };
    const std::string pairs =
        row(kStart, "3", "8902") + row(kKiwipete, "2", "2039") + row(kStart, "6", "119060324");
    EXPECT_THAT(counts_of(pairs), ElementsAre("1 D3=8902", "2 D2=2039", "3 D6=119060324")) << mark;
    ASSERT_EQ(read_as(pairs).size(), 1U) << mark;
    EXPECT_THAT(read_as(pairs)[0], HasSubstr("line 1 read as ")) << mark;
    EXPECT_THAT(read_as(pairs)[0], HasSubstr(": fen, depth, nodes")) << mark;

    const std::string counts = row(kStart, "20", "400") + row(kKiwipete, "48", "2039");
    EXPECT_THAT(counts_of(counts), ElementsAre("1 D1=20 D2=400", "2 D1=48 D2=2039")) << mark;
    EXPECT_THAT(read_as(counts), ElementsAre(HasSubstr(": fen, counts from depth 1 on"))) << mark;
  }
}

TEST(SuiteRows, OneRowIsEnoughWhereOneReadingFits) {
  const std::vector<std::pair<const char*, const char*>> rows{
      {"startpos,3,8902", "1 D3=8902"},
      {"startpos,1,20", "1 D1=20"},
      {"startpos,2,400", "1 D2=400"},
      {"startpos,0,1", "1 D0=1"},
      {"startpos,4,197281", "1 D4=197281"},
      {"startpos,10,69352859712417", "1 D10=69352859712417"},
      {"startpos,15,2015099950053364471960", "1 D15=2015099950053364471960"},
      {"kiwipete,5,193690690", "1 D5=193690690"},
      {"position3,8,3009794393", "1 D8=3009794393"},
      {"startpos,20,400", "1 D1=20 D2=400"},
      {"startpos,20", "1 D1=20"},
      {"startpos,20,400,", "1 D1=20 D2=400"},
      {"startpos,20,400,8902,197281,4865609", "1 D1=20 D2=400 D3=8902 D4=197281 D5=4865609"},
      // Wrong counts are read as they are in the file; only a comparison reports them.
      {"startpos,3,8903", "1 D3=8903"},
      {"startpos,20,401", "1 D1=20 D2=401"},
      {"startpos,21,401", "1 D1=21 D2=401"},
      {"startpos,19,400,8902", "1 D1=19 D2=400 D3=8902"},
      // Unusual orders, which the numbers reveal.
      {"startpos,1,20,400", "1 D0=1 D1=20 D2=400"},
      {"startpos,1,20,2,400", "1 D1=20 D2=400"},
      {"startpos,8902,3", "1 D3=8902"},
  };
  for (const auto& [row, counts] : rows) EXPECT_THAT(counts_of(row), ElementsAre(counts)) << row;
}

// If the position has three legal moves, the number 3 may be a depth or the count of depth 1. The
// next number shows which.
TEST(SuiteRows, ADepthMayEqualTheFirstCount) {
  const std::string fen = "8/8/8/8/8/8/5k2/7K w - - 0 1";  // one move
  ASSERT_EQ(oracle::perft(oracle::parse(fen), 1), 1U);
  const std::string kings = "k7/8/8/8/8/8/8/K7 w - - 0 1";
  const oracle::Position three = oracle::parse(kings);
  ASSERT_EQ(oracle::perft(three, 1), 3U);
  const std::string row = kings + ",3,";
  const std::string two = std::to_string(oracle::perft(three, 2));
  const std::string deep = std::to_string(oracle::perft(three, 3));
  EXPECT_THAT(counts_of(row + two), ElementsAre("1 D1=3 D2=" + two));
  EXPECT_THAT(counts_of(row + deep), ElementsAre("1 D3=" + deep));
  // The count of depth 1 is 1, but that of depth 2 is larger. So the first 1 is the depth.
  EXPECT_THAT(counts_of(fen + ",1,1"), ElementsAre("1 D1=1"));
}

TEST(SuiteRows, WhatNoReadingExplainsIsRefusedWithItsPlace) {
  const std::vector<std::pair<const char*, const char*>> rows{
      {"startpos,20\nstartpos,3,8902",
       "my:2: count: '3,8902' fit 'depth, nodes', but other rows fit 'counts from depth 1 on'; "
       "name the "
       "columns in a header such as 'fen,depth,nodes' or 'fen,D1,D2' (column 10)"},
      {"startpos,7",
       "my:1: count: '7' is neither the count at depth 1 (correct: 20) nor a depth and "
       "its nodes; name the columns in a header such as 'fen,depth,nodes' or 'fen,D1,D2' (column "
       "10)"},
      {"startpos,3,88888",
       "my:1: count: '3,88888' are neither the counts at depths 1, 2, … (correct: 20, "
       "400) nor a depth and its nodes (correct: 8902); name the columns in a header such as "
       "'fen,depth,nodes' or 'fen,D1,D2' (column 10)"},
  };
  for (const auto& [text, error] : rows) EXPECT_THAT(counts_of(text), ElementsAre(error));
  for (const char* text : {
           "startpos,8902",        // of which depth?
           "startpos,1,21,2,900",  // pairs, but wrong ones
           "startpos,20,400,3",    // and what is the 3?
           "startpos,8,902",       // one number in groups
           "startpos,5,197281",    // depth 4; a number of the row?
           "startpos,65,20",       // no depth
           "startpos,1,4865609\nkiwipete,2,193690690\nposition3,3,674624",  // numbers of rows
           "startpos,20,400\nkiwipete,48,2039\nposition3,2,191",
       })
    EXPECT_THAT(counts_of(text), ElementsAre(HasSubstr("'fen,D1,D2' (column "))) << text;
}

// A few wrong counts must not change how the other rows are read.
TEST(SuiteRows, OtherRowsDecideForOneThatIsWrong) {
  EXPECT_THAT(counts_of("startpos,20,400\nkiwipete,48,2039\nposition3,400,1"),
              ElementsAre("1 D1=20 D2=400", "2 D1=48 D2=2039", "3 D1=400 D2=1"));
  EXPECT_THAT(counts_of("startpos,3,8902\nkiwipete,3,97862\nposition3,3,1"),
              ElementsAre("1 D3=8902", "2 D3=97862", "3 D3=1"));
  EXPECT_THAT(
      refusals_of("startpos,3,8902\nkiwipete,3,97862\nposition3,3\nposition3,3,2812,4x"),
      ElementsAre("line 3 refused: count: expected depth, nodes, as in other rows (column 11)",
                  "line 4 refused: count: '4x' is not a whole number (column 18)"));
}

TEST(SuiteRows, AHeadDecides) {
  EXPECT_THAT(counts_of("fen,depth,nodes\nstartpos,3,8902"), ElementsAre("2 D3=8902"));
  EXPECT_THAT(counts_of("FEN,D1,D2\nstartpos,3,8902"), ElementsAre("2 D1=3 D2=8902"));
  EXPECT_THAT(counts_of("nodes;depth;fen\n8902;3;startpos\n20;1;startpos"),
              ElementsAre("2 D3=8902", "3 D1=20"));
  EXPECT_THAT(
      counts_of("\"fen\",\"depth\",\"nodes\"\r\n\"" + std::string(kStart) + "\",3,\"8902\""),
      ElementsAre("2 D3=8902"));
  EXPECT_THAT(
      counts_of("Name\tPosition\tPerft(1)\tperft 3\nx\tstartpos\t20\t8902\ny\tkiwipete\t48"),
      ElementsAre("2 D1=20 D3=8902", "3 D1=48"));
  EXPECT_THAT(read_as("# mine\nid,fen,nodes1\n7,startpos,20\n"),
              ElementsAre("line 2 read as CSV: id, fen, D1"));
  EXPECT_THAT(counts_of("fen,D1\nstartpos,20\nfen,D2\nstartpos,400\n"),
              ElementsAre("2 D1=20", "4 D2=400"));
  EXPECT_THAT(
      refusals_of("fen,depth,nodes\nstartpos,3,8902\nstartpos,3\nstartpos,,20\n"
                  "startpos,1,20,5\n\"startpos,1,20\n\"startpos\"x,1,20"),
      ElementsAre("line 3 refused: count: '' is not a whole number (column 11)",
                  "line 4 refused: depth: '' is not a whole number from 0 to 64 (column 10)",
                  "line 5 refused: field: '5' is beyond the 3 columns of the table (column 15)",
                  "line 6 refused: field: a quote is not closed (column 1)",
                  "line 7 refused: field: expected the next field, found 'x' (column 11)"));
  for (const auto& [head, why] : std::vector<std::pair<const char*, const char*>>{
           {"fen,name",
            "no column of counts; expected 'depth' and 'nodes', or 'D1', 'D2' and so on (column "
            "1)"},
           {"fen,depth", "'depth' requires a column 'nodes' (column 5)"},
           {"fen,nodes", "'nodes' requires a column 'depth' (column 5)"},
           {"fen,D1,d1", "'D1' is given twice (column 8)"},
           {"fen,depth,nodes,D1",
            "the header has columns 'depth' and 'nodes', but also columns for single depths "
            "(column 17)"}})
    EXPECT_THAT(counts_of(std::string(head) + "\nstartpos,20\n"),
                ElementsAre("my:1: head: " + std::string(why)));
}

TEST(SuiteLines, OneThatIsRefusedDoesNotEndTheOthers) {
  const std::string text =
      "startpos ;D1 20\n3Pk3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5\nstartpos ;D1 x\n"
      "kiwipete,48\nkiwipete,4x\n";
  EXPECT_THAT(counts_of(text), ElementsAre("1 D1=20", "4 D1=48"));
  EXPECT_THAT(refusals_of(text),
              ElementsAre("line 2 refused: placement: a pawn on d8 (column 2)",
                          "line 3 refused: count: 'x' is not a whole number (column 14)",
                          "line 5 refused: count: '4x' is not a whole number (column 10)"));
  EXPECT_THAT(counts_of("x\ny\n"),
              ElementsAre(HasSubstr(
                  "my:1: line: 'x' is neither a position nor counts; supported are EPD ")));
  EXPECT_THAT(counts_of("#\n"), ElementsAre("my: contains no positions"));
}

TEST(SuiteLines, NoMoreIsToldThanAnybodyReads) {
  std::string text = "startpos ;D1 20\n";
  for (int i = 0; i < 150; ++i) text += "x\n";
  EXPECT_EQ(refusals_of(text).size(), RefusedLines::kMostTold + 1);
  EXPECT_EQ(refusals_of(text).back(), "and 50 lines refused");
}

SuiteReport report_on(const std::string& text) {
  const Suite suite = read_suite_text("my", text).value();
  SuiteReport report;
  report.file = "my";
  report.positions = suite.lines.size();
  report.matches = 1;
  report.refused = suite.refused;
  report.read_as = suite.read_as;
  return report;
}

TEST(SuiteFormat, TellsWhatWasRefused) {
  const std::string text = "fen,depth,nodes\nstartpos,1,20\nstartpos,1,<\n";
  const auto document = suite_document(report_on(text));
  EXPECT_THAT(summary_text(document),
              HasSubstr(": 1 position, 1 count matches, 0 differ, 0 skipped, 1 line refused, "));
  EXPECT_THAT(suite_text(document), StartsWith("line 1 read as CSV"));
  EXPECT_THAT(suite_text(document),
              HasSubstr("\nline 3 refused: count: '<' is not a whole number"));
  const std::string junit = suite_junit(document, read_suite_text("my", text)->lines);
  EXPECT_THAT(junit, HasSubstr("tests=\"2\" failures=\"0\" errors=\"1\""));
  EXPECT_THAT(junit, HasSubstr("name=\"line 3\">\n      <error type=\"refused\" message=\"count: "
                               "'&lt;' is not a whole number (column 12)\"/>"));
}

TEST(SuiteFormat, ReadsDocumentsThatKnowNothingOfRefusals) {
  const auto document = read_json(
      R"({"file":"batch","positions":1,"matches":0,"mismatches":1,"skipped":0,"seconds":0.1,)"
      R"("differences":[{"line":1,"fen":"startpos","depth":1,"expected":"21","nodes":"20"}]})");
  EXPECT_EQ(suite_text(document),
            "line 1, depth 1: expected 21, counted 20  startpos\n"
            "batch: 1 position, 0 counts match, 1 differ, 0 skipped, 0.1 s\n");
}

// ---------------------------------------------------------------- no position is lost

constexpr std::string_view kKiwi =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
constexpr std::string_view kEndgame = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";

/// Replaces {K} and {E} in `text` by the two FENs above.
std::string filled(std::string text) {
  for (const auto& [mark, fen] : {std::pair("{K}", kKiwi), std::pair("{E}", kEndgame)}) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;)
      text.replace(at, 3, fen);
  }
  return text;
}

struct ReadSuite {
  std::string counts;  ///< "20/1 14/1": nodes and depth, row by row
  std::size_t refused = 0;
  std::size_t unread = 0;  ///< number of FENs that are reported as unread
};

ReadSuite read_all(const std::string& text) {
  const Result<Suite> suite = read_suite_text("x", filled(text));
  if (!suite) return {suite.error().to_string()};
  ReadSuite read{.counts = {}, .refused = suite->refused.count};
  for (const SuiteLine& line : suite->lines) {
    for (const auto& [depth, nodes] : line.record.counts) {
      read.counts += (read.counts.empty() ? "" : " ") + nodes.to_string() + '/' +
                     std::to_string(depth.plies());
    }
  }
  for (const std::string& note : suite->read_as)
    read.unread += note.find(" not read: ") != std::string::npos && note.starts_with("line ") &&
                           note.find(" read as ") == std::string::npos
                       ? 1
                       : 0;
  return read;
}

struct MixedSuite {
  const char* name;
  const char* text;
  const char* counts;
  std::size_t refused = 0;
  std::size_t unread = 0;
};

class MixedSuites : public ::testing::TestWithParam<MixedSuite> {};

TEST_P(MixedSuites, EachPositionIsReadOrNamed) {
  const ReadSuite read = read_all(GetParam().text);
  EXPECT_EQ(read.counts, GetParam().counts);
  EXPECT_EQ(read.refused, GetParam().refused);
  EXPECT_EQ(read.unread, GetParam().unread);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, MixedSuites,
    ::testing::Values(
        MixedSuite{"object_beside_a_key", R"({"{K}": {"1": 48}, "three": {"fen": "{E}", "1": 99}})",
                   "48/1 99/1"},
        MixedSuite{"name_as_a_key", R"({"startpos": {"1": 21}, "{K}": {"1": 48}})", "21/1 48/1"},
        MixedSuite{"line_beside_an_object",
                   R"([{"fen": "{K}", "depth": 1, "nodes": 999}, "{E} ;D1 14"])", "999/1 14/1"},
        MixedSuite{"constant", R"(const TESTS = [
  {name: 'a', fen: START_FEN, depth: 2, nodes: 400},
  {name: 'b', fen: '{K}', depth: 2, nodes: 2040},
];)",
                   "2040/2", 1},
        MixedSuite{"casts", R"(const suite = .{
    .{ "{K}", .{ 48, 2039, 97862 } },
    .{ "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", .{ 20, 400, 8902 } },
};
test { try expectEqual(@as(u64, 2812), try perft("{E}", 3)); })",
                   "48/1 2039/2 97862/3 20/1 400/2 8902/3 2812/3"},
        MixedSuite{"script", R"(run prog startpos 4 197281 > /dev/null
run prog "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -" 3 97862 > log)",
                   "197281/4 97862/3"},
        MixedSuite{"log",
                   "[12:01] perft: fen={K} depth=3 nodes=97862 time=0.2s\n"
                   "[12:02] perft: fen={E} depth=1 nodes=14 time=0.1s\n",
                   "97862/3 14/1"},
        MixedSuite{"mediawiki", R"({K}
{| class="wikitable"
! Depth !! Nodes !! Captures
|-
| 1 || 48 || 8
|-
| 2 || 2039 || 351
|})",
                   "48/1 2039/2"},
        MixedSuite{"grid", R"({K}

+-------+---------+
| Depth | Nodes   |
+=======+=========+
| 1     | 48      |
+-------+---------+
| 2     | 2,039   |
+-------+---------+)",
                   "48/1 2039/2"},
        MixedSuite{"vertical", R"({K} (second)

Depth       1
Nodes       48
Captures    8

Depth       2
Nodes       2,039: passed in 0.4s
Captures    351

{E}

Depth       1
Nodes       14)",
                   "48/1 2039/2 14/1"},
        MixedSuite{"german_head", "Name;Stellung;Tiefe;Knoten\nKiwi;{K};3;97.862\n", "97862/3"},
        MixedSuite{"after", R"([{"fen": "{K}", "after": "{E}", "depth": 1, "nodes": 48}])", "48/1",
                   0, 1},
        MixedSuite{"comment", "{K} ;D1 48\n# {E} ;D1 14\n", "48/1"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(SuiteLines, AnUnknownHeadIsCalledOne) {
  const Result<Suite> suite = read_suite_text("x", "Nom;Echecs;Coups\n");
  EXPECT_EQ(suite.error().field, "x:1: head");
}

TEST(FindFen, FindsItAmidWords) {
  const std::string text = filled("a/b {K}, \"{E}\" end");
  const auto first = find_fen(text);
  ASSERT_TRUE(first);
  EXPECT_EQ(text.substr(first->begin, first->end - first->begin), kKiwi);
  const auto second = find_fen(text, first->end);
  ASSERT_TRUE(second);
  EXPECT_EQ(text.substr(second->begin, second->end - second->begin), kEndgame);
  EXPECT_FALSE(find_fen(text, second->end));
  EXPECT_FALSE(find_fen("8/8/8/8/8/8/8/8 white to move"));
}

}  // namespace
}  // namespace manyply

// Suites in the forms in which projects publish them; tests/data/suites has a small file of each
// form. All counts that are read must be right by the oracle, and the report must say how the file
// was read.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/oracle.h"
#include "tools/cli/suite_file.h"
#include "tools/report/suite_format.h"
#include "tools/text/suite.h"
#include "tools/text/suite_text.h"

namespace manyply {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace files = std::filesystem;

std::string bytes_of(const files::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct FormOfSuite {
  const char* file;
  const char* counts;   ///< lines and depths, in the order of the file
  const char* read_as;  ///< how the first row is read; empty for ordinary EPD
};

constexpr FormOfSuite kForms[] = {
    {"usual.epd", "2:123 3:12", ""},
    {"depths_alone.epd", "1:12 2:12", "line 1 read as EPD with counts named only by depth"},
    {"operations.epd", "1:123 2:12", "line 1 read as EPD with counts named 'perft'"},
    {"equals.txt", "2:3 4:2", "line 2 read as EPD with counts named 'perft'"},
    {"semicolons.txt", "1:123 2:12", "line 1 read as EPD: fen, counts from depth 1 on"},
    {"commas.csv", "1:123 2:12", "line 1 read as CSV: fen, counts from depth 1 on"},
    {"pairs.csv", "1:3 2:2", "line 1 read as CSV: fen, depth, nodes"},
    {"head.csv", "2:3 3:2", "line 1 read as CSV: id, fen, depth, nodes"},
    {"columns.csv", "2:12 3:12", "line 1 read as table with ';': name, fen, D1, D2"},
    {"tabs.tsv", "1:12 2:12", "line 1 read as TSV: fen, counts from depth 1 on"},
    {"pipes.txt", "1:3 2:2", "line 1 read as table with '|': fen, depth, nodes; not read: remarks"},
    {"blanks.txt", "1:3 2:2", "line 1 read as table with two spaces: fen, depth, nodes"},
    {"table_md.txt", "3:3 4:2", "line 1 read as table with '|': fen, depth, nodes; not read: '#'"},
    {"blocks.txt", "3:12 8:12", "line 3 read as EPD with counts named 'perft'"},
    {"below.txt", "1:12 5:12", "line 1 read as EPD with counts named only by depth"},
    {"moves.epd", "1:1 2:1", ""},
    {"strings.txt", "1:12 2:1", ""},
    {"list.json", "2:3 3:2", "line 2 read as JSON: fen, depth, nodes"},
    {"by_name.json", "1:12 2:1", "line 1 read as JSON: fen, counts by depth"},
    {"from_zero.json", "1:12 1:1",
     "line 1 read as JSON: fen, counts by depth; its depths start at 0; depth 0 there is depth 1 "
     "here"},
    {"by_fen.json", "1:12 2:12", "line 1 read as JSON: fen, counts from depth 1 on"},
    {"objects.json", "1:12", "line 1 read as JSON: fen, counts by depth"},
    {"escaped.json", "1:2", "line 1 read as JSON: fen, depth, nodes"},
    {"list.yaml", "2:2 5:12", "line 2 read as YAML: fen, depth, nodes"},
    {"by_name.yaml", "2:12 7:1", "line 2 read as YAML: fen, counts by depth"},
    {"tuples_rs.txt", "2:3 3:2", "line 2 read as source code: fen, depth, nodes"},
    {"cases_cs.txt", "1:3 2:2", "line 1 read as source code: fen, depth, nodes"},
    {"cases_py.txt", "2:12 3:1", "line 2 read as source code: fen, counts by depth"},
    {"cases_ts.txt", "3:3 7:2", "line 3 read as source code: fen, depth, nodes"},
    {"cases_java.txt", "3:3 4:2", "line 3 read as source code: fen, depth, nodes"},
    {"cases_cpp.txt", "2:12 3:12", "line 2 read as source code: fen, counts from depth 1 on"},
    {"asserts_rs.txt", "3:3 4:2", "line 3 read as source code: fen, depth, nodes"},
    {"crlf.epd", "1:1 2:1", ""},
    {"utf8_mark.epd", "1:1", ""},
    {"utf16_little.epd", "1:12 2:1", ""},
    {"utf16_big.csv", "2:2", "line 1 read as CSV: fen, depth, nodes"},
    {"zero.epd", "1:1 2:1", ""},
    {"lines.jsonl", "1:3 2:2", "line 1 read as JSON Lines: fen, depth, nodes"},
    {"commas.json", "2:3 3:2", "line 2 read as JSON with trailing commas: fen, depth, nodes"},
    {"comments.json", "2:3 3:2", "line 2 read as JSON with comments: fen, depth, nodes"},
    {"floats.json", "1:3 2:2", "line 1 read as JSON: fen, depth, nodes"},
    {"nested.json", "2:12 4:2", "line 2 read as JSON: fen, counts by depth"},
    {"page.html", "5:3 6:2", "line 4 read as TSV: Position, fen, depth, nodes"},
    {"tests.toml", "5:3 11:2", "line 5 read as TOML: fen, depth, nodes"},
    {"tables.toml", "2:12 8:12", "line 2 read as TOML: fen, counts by depth"},
    {"sections.ini", "4:3 8:2", "line 4 read as TOML: fen, depth, nodes"},
    {"ids.epd", "1:12 2:2", ""},
    {"old_mac.epd", "1:12 2:2", ""},
    {"no_break.epd", "1:12 2:2", ""},
    {"pasted_page.txt", "1:12 6:2", ""},
    {"csv_source_java.txt", "2:3 3:2", "line 2 read as CSV: fen, depth, nodes"},
    {"map_kotlin.txt", "2:12 3:12", "line 2 read as source code: fen, counts from depth 1 on"},
    {"map_scala.txt", "2:12 3:12", "line 2 read as source code: fen, counts from depth 1 on"},
    {"slices_go.txt", "5:12 6:12", "line 5 read as source code: fen, counts from depth 1 on"},
    {"typeset.csv", "2:3 3:2", "line 1 read as CSV: fen, depth, nodes"},
};

const files::path kFolder = MANYPLY_SOURCE_DIR "/tests/data/suites";

/// Returns "2:12 3:1": the number of counts for each depth. Each count must equal the oracle's.
std::string shape_of(const Suite& suite) {
  std::string shape;
  for (const SuiteLine& line : suite.lines) {
    shape += (shape.empty() ? "" : " ") + std::to_string(line.number) + ':';
    const oracle::Position position =
        oracle::parse(to_fen(line.record.root.position, line.record.root.notation));
    for (const EpdCount& count : line.record.counts) {
      shape += std::to_string(count.depth.plies());
      EXPECT_EQ(NodeCount(oracle::perft(position, count.depth.plies())), count.nodes)
          << suite.name << " line " << line.number << " depth " << count.depth.plies();
    }
  }
  return shape;
}

/// Returns whether this build can read the file.
bool is_readable(const std::string& file) {
  static const bool kReadsYaml = read_yaml_values("- 1").ok();
  return kReadsYaml || !file.ends_with(".yaml");
}

TEST(SuiteForms, EachIsReadRightAndSaid) {
  std::map<std::string, bool> listed;
  for (const auto& [file, counts, read_as] : kForms) {
    SCOPED_TRACE(file);
    listed[file] = true;
    if (!is_readable(file)) continue;
    const Result<Suite> suite = read_suite_text(file, bytes_of(kFolder / file));
    ASSERT_TRUE(suite.ok()) << suite.error().to_string();
    EXPECT_FALSE(suite->refused.any()) << refusal_texts(refused_json(suite->refused)).front();
    EXPECT_EQ(shape_of(*suite), counts);
    EXPECT_EQ(suite->read_as.empty() ? "" : suite->read_as.front(), read_as);
  }
  for (const auto& entry : files::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(listed.contains(name)) << name << " is read by no test";
  }
}

// A wrong count is read as it is in the file. Only a comparison reports it.
TEST(SuiteForms, AWrongCountIsReadAsItStands) {
  for (const auto& [file, counts, read_as] : kForms) {
    std::string text = bytes_of(kFolder / file);
    const std::size_t at = text.find("1486");
    if (at == std::string::npos || !is_readable(file)) continue;
    text.replace(at, 4, "1487");
    const Result<Suite> suite = read_suite_text(file, text);
    ASSERT_TRUE(suite.ok()) << file << ": " << suite.error().to_string();
    EXPECT_FALSE(suite->refused.any()) << file;
    std::size_t wrong = 0;
    for (const SuiteLine& line : suite->lines) {
      for (const EpdCount& count : line.record.counts)
        wrong += count.nodes == NodeCount(1487) && count.depth == Depth(2) ? 1 : 0;
    }
    EXPECT_EQ(wrong, 1u) << file;
  }
}

std::vector<std::string> refusals(const std::string& text) {
  const Result<Suite> suite = read_suite_text("my", text);
  return suite ? refusal_texts(refused_json(suite->refused))
               : std::vector<std::string>{suite.error().to_string()};
}

TEST(SuiteForms, WhatIsNotUnderstoodIsQuotedWithItsPlace) {
  const std::pair<const char*, const char*> kRefused[] = {
      {"[{\"fen\": \"startpos\", \"depth\": 1,\n \"nodes\": twenty}]",
       "my:2: JSON: is not valid JSON from here on (column 12)"},
      {"[{\"fen\": \"8/8/8/8/8/8/8/K6k w - - 0 1\",\n  \"depth\": 70, \"nodes\": 3}]",
       "my:2: depth: '70' is above the maximum depth of 64 (column 12)"},
      {"hello\nworld\n",
       "my:1: line: 'hello' is neither a position nor counts; supported are EPD (FEN ;D1 20 ;D2 "
       "400), "
       "tables with or without a header, HTML tables, JSON, YAML, TOML, tables in source code, and "
       "positions with their counts in the lines below (column 1)"},
      {"startpos ;D1 20\n  hello\n",
       "line 2 refused: line: 'hello' is neither a position nor counts (column 3)"},
      {"1 20\nstartpos ;D1 20\n",
       "line 1 refused: line: '1 20' has no position above it (column 1)"},
      {"startpos ;D1 20 ;X2 400\nkiwipete ;D1 48\n",
       "line 1 refused: depth: expected a count such as 'D3 8902', found 'X2' (column 18)"},
      {"startpos ;D1 20 ;D1 20\nkiwipete ;D1 48\n",
       "line 1 refused: depth: D1 is given twice (column 18)"},
      {"startpos ;D1 20 ;D2 -400\nkiwipete ;D1 48\n",
       "line 1 refused: count: '-400' is negative (column 21)"},
      {"startpos\n1 20\n2 -400\nkiwipete ;D1 48\n",
       "line 3 refused: count: '-400' is negative (column 3)"},
      {"startpos\nkiwipete ;D1 48\n",
       "line 1 refused: count: no count given; expected a count such as ' ;D1 20' after the FEN "
       "(column "
       "9)"},
      {"\"8/8/8/8/8/8/8/K6k w - - 0 1\",4oo\nkiwipete,48\n",
       "line 1 refused: count: '4oo' is not a whole number (column 31)"},
      {"f(\"8/8/8/8/8/8/8/K6k w - - 0 1\", \"8/8/8/8/8/8/8/K5k1 w - - 0 1\", 3, 3);\n"
       "f(\"8/8/8/8/8/8/8/K6k w - - 0 1\", 1, 3);\n",
       "line 1 refused: count: no count given; expected a count such as ' ;D1 20' after the FEN "
       "(column "
       "4)"},
      // A truncated file: the last number may have had more digits.
      {"[(\"8/8/8/8/8/8/8/K6k w - - 0 1\", 1, 3),\n (\"8/8/8/8/8/8/8/K6k w - - 0 1\", 2, 1",
       "line 2 refused: list: the list is not closed (column 2)"},
      {"[{\"fen\": \"8/8/8/8/8/8/8/K6k w - - 0 1\", \"depth\": 1, \"nodes\": 3},\n"
       " {\"fen\": \"8/8/8/8/8/8/8/K6k w - - 0 1\", \"depth\": 2, \"nodes\": 1",
       "line 2 refused: list: the list is not closed (column 2)"},
      {"{\"fen\": \"8/8/8/8/8/8/8/K6k w - - 0 1\", \"depth\": 1, \"nodes\": 3}\n"
       "{\"fen\": \"8/8/8/8/8/8/8/K6k w - - 0 1\", \"depth\": 2, \"nodes\n"
       "{\"fen\": \"8/8/8/8/8/8/8/K6k w - - 0 1\", \"depth\": 1, \"nodes\": 3}\n",
       "line 2 refused: JSON: is not valid JSON from here on (column 58)"},
      {"f(8/8/8/8/8/8/8/K6k w - - 0 1\", 1, 3);\nf(\"8/8/8/8/8/8/8/K6k w - - 0 1\", 1, 3);",
       "line 1 refused: position: is outside of quotes or brackets (column 3)"},
      {"f(\"8/8/8/8/8/8/8/K6k w - - 0 1\", 1, 3);\nf(\"8/8/8/8/8/8/8/K6k w - - 0 1, 1, 3);",
       "line 2 refused: position: is outside of quotes or brackets (column 4)"},
      // Values outside all lists belong to no position.
      {"x = \"8/8/8/8/8/8/8/K6k w - - 0 1\"\ny = (\"8/8/8/8/8/8/8/K6k w - - 0 1\", 1, 3)",
       "line 1 refused: position: is not in the same brackets as its counts (column 6)"},
      // Digits that a spreadsheet has dropped, and numbers that are not counts.
      {"fen,depth,nodes\n8/8/8/8/8/8/8/K6k w - - 0 1,1,3\n8/8/8/8/8/8/8/K6k w - - 0 1,9,1.19E+08",
       "line 3 refused: count: '1.19E+08' may be rounded; write all digits (column 31)"},
      {"startpos ;D1 20\nstartpos ;D3 2e3",
       "line 2 refused: count: '2e3' may be rounded; write all digits (column 14)"},
      {"[{\"fen\": \"startpos\", \"depth\": 1, \"nodes\": 20},\n"
       " {\"fen\": \"startpos\", \"depth\": 3, \"nodes\": 8.902}]",
       "line 2 refused: count: '8.902' is not a whole number (column 43)"},
      // An error must not name fields that the line does not have and the reader only assumed.
      {"8/8/8/8/8/8/8/K6k w ;D1 3\nstartpos ;D1 20\n",
       "line 1 refused: FEN: is incomplete; state every field in a suite; these values would be "
       "assumed: no castling, no en passant (column 1)"},
  };
  for (const auto& [text, why] : kRefused) EXPECT_THAT(refusals(text), Contains(why)) << text;
}

// Names of moves can look like depths, and statistics like counts.
TEST(SuiteForms, OtherNumbersAreNoCounts) {
  const std::string fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
  for (const char* rest : {
           R"("divide": {"b4d4": 16, "e4": 2, "d4": 3})",
           R"("captures": [1, 14], "checks": [2, 10])",
           R"("elo": "1 400", "moves": ["e2e4"])",
           R"("source": "https://b.c/d/e/f/g", "after": "8/2p5/3p4/KP5r/1R3p1k/4P3/6P1/8 b - -")",
       }) {
    const Result<Suite> suite = read_suite_text(
        "my", "[{\"fen\": \"" + fen + "\", \"depth\": 2, \"nodes\": 191, " + rest + "}]");
    ASSERT_TRUE(suite.ok()) << rest << ": " << suite.error().to_string();
    EXPECT_EQ(shape_of(*suite), "1:2") << rest;
    EXPECT_THAT(suite->read_as, ElementsAre(HasSubstr("JSON: fen, depth, nodes; not read: '")));
  }
}

TEST(SuiteForms, ALostBracketLosesNoRow) {
  const std::string fen = "\"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -\"";
  const Result<Suite> suite = read_suite_text(
      "my", "x = [(" + fen + ", 1, 14), (" + fen + ", 2, 191,\n (" + fen + ", 3, 2812)]]");
  ASSERT_TRUE(suite.ok()) << suite.error().to_string();
  EXPECT_EQ(shape_of(*suite), "1:1 2:3 1:2");
  EXPECT_THAT(
      refusals("[[test]]\nfen = " + fen + "\ndepth = 1\nnodes = 14\n[[test]]]\nfen = " + fen +
               "\ndepth = 2\nnodes = 191\n[[test]]\nfen = " + fen + "\ndepth = 3\nnodes = 2812\n"),
      Contains("line 6 refused: position: is outside of quotes or brackets (column "
               "8)"));
  // After one quote too many, the reader takes all strings of the line for text outside of strings.
  EXPECT_THAT(refusals("[{\"a\": {\"fen\": " + fen +
                       "}, \"expected\": [{\"depth\": 1, \"nodes\": 14},"
                       " {\"depth\": 2, \"nodes\"\": 191}]}, {\"a\": {\"fen\": " +
                       fen + "}}]\n"),
              Contains(HasSubstr("line 1 refused: position: is outside of quotes")));
  EXPECT_THAT(refusals("8/8/8/8/8/8/8/K6k w - - id \"a; b\" D1 3; D2 9;\nstartpos ;D1 20\n"),
              ElementsAre("line 1 refused: operation: expected ';', found 'D1 3' (column 35)"));
}

// A title with a bracket that is never closed is not source code.
TEST(SuiteForms, ABracketIsNoCode) {
  const Result<Suite> suite = read_suite_text(
      "my", "# mine\nid mine (all of them\n8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - ;D1 14\n");
  ASSERT_TRUE(suite.ok()) << suite.error().to_string();
  EXPECT_EQ(shape_of(*suite), "3:1");
  EXPECT_FALSE(suite->refused.any());
}

// A title above the lines is not YAML.
TEST(SuiteForms, TitlesAreToldAndTheLinesBelowAreRead) {
  if (!is_readable(".yaml")) GTEST_SKIP() << "what looks like YAML is refused as a whole";
  const std::string text = "Three:\n8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - ;D1 14\n";
  EXPECT_THAT(
      refusals(text + text),
      ElementsAre("line 1 refused: line: 'Three:' is neither a position nor counts (column 1)",
                  "line 3 refused: line: 'Three:' is neither a position nor counts (column 1)"));
  EXPECT_THAT(refusals("id three\n8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - ;D1 14\n"), IsEmpty());
}

std::string names_in(const std::string& text) {
  const Result<Suite> suite = read_suite_text("my", text);
  if (!suite) return suite.error().to_string();
  std::string names;
  for (const SuiteLine& line : suite->lines) names += '[' + line.name + ']';
  return names;
}

TEST(SuiteForms, NamesOfPositionsAreKept) {
  for (const char* const file : {"lines.jsonl", "commas.json", "nested.json", "tests.toml",
                                 "tables.toml", "sections.ini", "slices_go.txt"})
    EXPECT_EQ(names_in(bytes_of(kFolder / file)), "[three][five]") << file;
  EXPECT_EQ(names_in(bytes_of(kFolder / "ids.epd")), "[three ;D1 15 # no][five]");
  EXPECT_EQ(names_in(bytes_of(kFolder / "page.html")), "[three][five 5]");
  EXPECT_EQ(names_in("id a  b\nepd startpos\nperft 1 20\n\nepd kiwipete\nperft 1 48\n"), "[a b][]");
  EXPECT_EQ(names_in("name,fen,D1\n\"the \"\"first\"\"\",startpos,20\n"), "[the \"first\"]");
  EXPECT_EQ(names_in("startpos ;D1 20 ;id \"the \"\"first\"\"; or so\"\n"),
            "[the \"first\"; or so]");
  EXPECT_EQ(names_in("Kiwipete\n8/8/8/8/8/8/8/K6k w - - 0 1\n1 3\n"), "[Kiwipete]");
  EXPECT_EQ(names_in("{\"begin\": {\"fen\": \"startpos\", \"D1\": 20}}"), "[begin]");
}

// A server stores texts of unknown clients. However many values a text has, they must take no more
// memory than this.
TEST(SuiteForms, ValuesAreBounded) {
  constexpr std::size_t kBody = std::size_t{4} << 20;
  static_assert(most_suite_values(kBody) * sizeof(SuiteValue) < std::size_t{128} << 20);
  const std::string row = "{\"fen\": \"8/8/8/8/8/8/8/K6k w - - 0 1\", \"depth\": 1, \"nodes\": 3}";
  const auto many = [](const char* value) {
    std::string text;
    while (text.size() < 100'000) text += value;
    return text;
  };
  EXPECT_THAT(refusals("[" + many("1,") + row + "]"),
              ElementsAre(HasSubstr("JSON: has more values than a suite of its size can have")));
  if (!is_readable(".yaml")) return;
  EXPECT_THAT(refusals("- " + row + "\n- \n" + many("- \n")),
              ElementsAre(HasSubstr("has more values than a suite of its size can have")));
  EXPECT_THAT(
      refusals("- " + row + "\n- [" + many("a,") + "a]\n"),
      ElementsAre(HasSubstr("my:2: is longer than 65536 bytes, the limit for a line of YAML")));
}

TEST(SuiteForms, ListsInListsInListsEndNobodysStack) {
  const std::string deep(100'000, '[');
  EXPECT_THAT(refusals(deep), ElementsAre(HasSubstr("my:1: JSON: is ")));
  EXPECT_THAT(refusals("- " + deep), ElementsAre(HasSubstr("my")));
  EXPECT_THAT(refusals("x = " + deep + "\"8/8/8/8/8/8/8/K6k w - - 0 1\", 1, 3"),
              ElementsAre(HasSubstr("the list is not closed")));
}

// Suites that are written and read again must not lose anything. Also reads our suites after
// converting them to the forms of other projects: every count must be found.

std::vector<SuiteLine> lines_of(const char* name) {
  return read_suite_text(name, *builtin_suite(name)).value().lines;
}

std::size_t counts_in(const std::vector<SuiteLine>& lines) {
  std::size_t counts = 0;
  for (const SuiteLine& line : lines) counts += line.record.counts.size();
  return counts;
}

/// Returns "position D1=20" for each count.
std::vector<std::string> all_counts(const std::vector<SuiteLine>& lines) {
  std::vector<std::string> all;
  for (const SuiteLine& line : lines) {
    for (const EpdCount& count : line.record.counts) {
      const NamedPosition& root = line.record.root;
      all.push_back(fmt::format("{} D{}={}", to_fen(root.position, root.notation),
                                count.depth.plies(), count.nodes.to_string()));
    }
  }
  return all;
}

void expect_read(const std::string& text, const std::vector<SuiteLine>& lines,
                 const std::string& read_as) {
  const Result<Suite> suite = read_suite_text("written", text);
  ASSERT_TRUE(suite.ok()) << suite.error().to_string();
  EXPECT_FALSE(suite->refused.any()) << refusal_texts(refused_json(suite->refused)).front();
  EXPECT_EQ(all_counts(suite->lines), all_counts(lines));
  EXPECT_THAT(suite->read_as.empty() ? "" : suite->read_as.front(), HasSubstr(read_as));
}

TEST(SuiteWriting, ComesBackAsItWas) {
  for (const char* const name : {"classic", "tricky", "chess960", "deep", "corpus"}) {
    SCOPED_TRACE(name);
    const std::vector<SuiteLine> lines = lines_of(name);
    expect_read(written_suite(SuiteForm::kEpd, lines), lines, "");
    expect_read(written_suite(SuiteForm::kJson, lines), lines, "JSON: fen, counts by depth");
    expect_read(written_suite(SuiteForm::kCsv, lines), lines, "CSV: fen, D1, D2");
  }
}

TEST(SuiteWriting, KeepsTags) {
  const std::vector<SuiteLine> lines = lines_of("corpus");
  for (const SuiteForm form : {SuiteForm::kEpd, SuiteForm::kJson, SuiteForm::kCsv}) {
    const std::vector<SuiteLine> again =
        read_suite_text("written", written_suite(form, lines)).value().lines;
    ASSERT_EQ(again.size(), lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
      ASSERT_EQ(again[i].tags, lines[i].tags) << kSuiteFormNames[static_cast<std::size_t>(form)];
  }
}

/// Returns a word of `characters`, each of which has a special meaning in some form.
std::string awkward_word(std::mt19937& random, std::string_view characters) {
  std::string word(1 + random() % 8, ' ');
  for (char& c : word) c = characters[random() % characters.size()];
  return word;
}

// For any names of positions, and any number of tags.
TEST(SuiteWriting, KeepsNamesAndTagsOfAnyText) {
  std::mt19937 random(1);  // the same words in each run
  const std::string_view letters = "ab:;,#\"'`|/\\-_.%&<>[]{}()=0123456789\xC3\xA9";
  const std::vector<SuiteLine> positions = lines_of("classic");
  for (int round = 0; round < 200; ++round) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const SuiteLine& line : positions) {
      nlohmann::ordered_json position = position_document(line);
      const std::size_t tags = round % 10 == 0 ? 40 : random() % 4;
      std::string name = awkward_word(random, letters);
      if (random() % 2 == 0) name += ' ' + awkward_word(random, letters);
      if (random() % 5 > 0) position["name"] = name;
      for (std::size_t i = 0; i < tags; ++i)
        position["tags"].push_back(awkward_word(random, letters));
      list.push_back(std::move(position));
    }
    // Bytes that are not UTF-8 make the JSON reader report an error.
    const std::string text = list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const Result<Suite> suite = read_suite_text("made", text);
    ASSERT_TRUE(suite.ok()) << suite.error().to_string();
    for (const SuiteForm form : {SuiteForm::kEpd, SuiteForm::kJson, SuiteForm::kCsv}) {
      const std::string written = written_suite(form, suite->lines);
      const Result<Suite> again = read_suite_text("written", written);
      ASSERT_TRUE(again.ok()) << again.error().to_string() << '\n' << written;
      ASSERT_FALSE(again->refused.any())
          << refusal_texts(refused_json(again->refused)).front() << '\n'
          << written;
      ASSERT_EQ(again->lines.size(), suite->lines.size()) << written;
      for (std::size_t i = 0; i < suite->lines.size(); ++i) {
        ASSERT_EQ(again->lines[i].name, suite->lines[i].name) << written;
        ASSERT_EQ(again->lines[i].tags, suite->lines[i].tags) << written;
      }
      ASSERT_EQ(all_counts(again->lines), all_counts(suite->lines)) << written;
    }
  }
}

TEST(SuiteWriting, LooksAsPeopleExpect) {
  const std::vector<SuiteLine> lines =
      read_suite_text("my", "startpos ;D1 20 ;D3 8902\nkiwipete ;D1 48\n").value().lines;
  const std::string start(kStartFen);
  const std::string kiwipete(kKiwipeteFen);
  EXPECT_EQ(written_suite(SuiteForm::kEpd, lines),
            start + " ;D1 20 ;D3 8902\n" + kiwipete + " ;D1 48\n");
  EXPECT_EQ(written_suite(SuiteForm::kCsv, lines),
            "fen,D1,D3\n" + start + ",20,8902\n" + kiwipete + ",48,\n");
  EXPECT_EQ(written_suite(SuiteForm::kJson, lines),
            "[\n{\"fen\":\"" + start +
                "\",\"counts\":{\"1\":\"20\",\"3\":\"8902\"}},\n{\"fen\":\"" + kiwipete +
                "\",\"counts\":{\"1\":\"48\"}}\n]\n");
  EXPECT_EQ(written_suite(SuiteForm::kJson, {}), "[\n]\n");
  const std::vector<SuiteLine> named =
      read_suite_text("my", "startpos ;D1 20 ;id \"the \"\"first\"\"\"\nkiwipete ;D1 48\n")
          .value()
          .lines;
  EXPECT_EQ(written_suite(SuiteForm::kEpd, named),
            start + " ;D1 20 ;id \"the \"\"first\"\"\"\n" + kiwipete + " ;D1 48\n");
  EXPECT_EQ(written_suite(SuiteForm::kCsv, named),
            "fen,D1,name\n" + start + ",20,\"the \"\"first\"\"\"\n" + kiwipete + ",48,\n");
}

/// Returns the text of `count` for each count of each line, between `head` and `end`.
std::string each_count(
    const std::vector<SuiteLine>& lines, const std::string& head,
    const std::function<std::string(const std::string& fen, const EpdCount& count)>& count,
    const std::string& end) {
  std::string text = head;
  for (const SuiteLine& line : lines) {
    for (const EpdCount& one : line.record.counts) text += count(line.record.fen, one);
  }
  return text + end;
}

std::string grouped_by_underscores(NodeCount nodes) {
  std::string digits = nodes.to_string();
  for (std::size_t at = digits.size(); at > 3; digits.insert(at, "_")) at -= 3;
  return digits;
}

TEST(SuiteWriting, FormsOfOtherProjectsSayTheSame) {
  std::vector<SuiteLine> lines = lines_of("corpus");
  const std::vector<SuiteLine> tricky = lines_of("tricky");
  lines.insert(lines.begin(), tricky.begin(), tricky.end());
  ASSERT_GE(counts_in(lines), 1000u);

  std::string blocks = "# as python-chess has them\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    blocks += fmt::format("id gentest-{}\nepd {}\n", i + 1, lines[i].record.fen);
    for (const EpdCount& count : lines[i].record.counts)
      blocks += fmt::format("perft {} {}\n", count.depth.plies(), count.nodes.to_string());
    blocks += '\n';
  }
  expect_read(blocks, lines, "EPD with counts named 'perft'");

  const auto of = [&](const char* form) {
    return [form](const std::string& fen, const EpdCount& count) {
      return fmt::format(fmt::runtime(form), fmt::arg("fen", fen),
                         fmt::arg("depth", count.depth.plies()),
                         fmt::arg("nodes", count.nodes.to_string()),
                         fmt::arg("grouped", grouped_by_underscores(count.nodes)));
    };
  };
  expect_read(each_count(lines, "describe('Perft', () => {\n  const perfts = [\n",
                         of("    {{\n      fen: '{fen}',\n      depth: {depth},\n"
                            "      nodes: {nodes},\n    }},\n"),
                         "  ];\n\n  perfts.forEach(({ fen, depth, nodes }) => {\n"
                         "    it(`has ${nodes} nodes`, () => expect(1).toBe(1));\n  });\n});\n"),
              lines, "source code: fen, depth, nodes");
  std::string list = each_count(lines, "[\n",
                                of("  {{\n    \"depth\":{depth},\n    \"nodes\":{nodes},\n"
                                   "    \"fen\":\"{fen}\"\n  }},\n"),
                                "");
  expect_read(list.substr(0, list.size() - 2) + "\n]\n", lines, "JSON: fen, depth, nodes");
  expect_read(each_count(lines, "#[rustfmt::skip]\nconst TESTS: &[(&str, u32, u64)] = &[\n",
                         of("    (\"{fen}\", {depth}, {grouped}),\n"),
                         "];\n\nfn it<'a>(x: &'a str) -> Option<&'static str> { None }\n"),
              lines, "source code: fen, depth, nodes");
  constexpr int kDeepest = 12;  // the largest depth in tricky and corpus
  std::string csv = "FEN";
  for (int depth = 1; depth <= kDeepest; ++depth) csv += fmt::format(",depth{}", depth);
  csv += '\n';
  for (const SuiteLine& line : lines) {
    csv += '"' + line.record.fen + '"';
    for (int depth = 1; depth <= kDeepest; ++depth) {
      csv += ',';
      for (const EpdCount& count : line.record.counts)
        csv += count.depth == Depth(depth) ? count.nodes.to_string() : "";
    }
    csv += '\n';
  }
  expect_read(csv, lines, "CSV: fen, D1, D2, D3, D4, D5, D6, D7, D8, D9, D10, D11, D12");
}

// Found by the fuzzer: a tab in a FEN must be a blank in JSON, too.
TEST(SuiteWriting, KeepsAFenWithATab) {
  const std::vector<SuiteLine> lines =
      read_suite_text("my", "\"8/8/8/8/8/8/8/K6k w\t- - 0 1\",1,3\nstartpos,1,20\n").value().lines;
  for (const SuiteForm form : {SuiteForm::kEpd, SuiteForm::kJson, SuiteForm::kCsv}) {
    const Result<Suite> again = read_suite_text("written", written_suite(form, lines));
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_EQ(all_counts(again->lines), all_counts(lines));
  }
}

// The comparisons above must detect a changed count.
TEST(SuiteWriting, AChangedCountWouldBeSeen) {
  std::vector<SuiteLine> lines = lines_of("classic");
  const std::vector<std::string> before = all_counts(lines);
  lines[0].record.counts[0].nodes += NodeCount(1);
  const Result<Suite> again = read_suite_text("x", written_suite(SuiteForm::kCsv, lines));
  EXPECT_NE(all_counts(again->lines), before);
}

}  // namespace
}  // namespace manyply

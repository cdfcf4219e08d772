// Suites that are written and read again must not lose anything. Also reads our suites after
// converting them to the forms of other projects: every count must be found.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "tools/cli/suite_file.h"
#include "tools/report/suite_format.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;

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

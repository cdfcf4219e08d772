// Checks the built-in corpora. Their tags must be right by two definitions that share no code: the
// oracle's and that of tools/diagnose/kinds_in_tree.h. Their counts must be right by both
// generators and by Stockfish.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "core/counting.h"
#include "tests/support/oracle.h"
#include "tests/support/position_tags.h"
#include "tests/support/process.h"
#include "tests/tools/framework/command_run.h"
#include "tools/cli/suite_file.h"
#include "tools/diagnose/kinds_in_tree.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;

constexpr const char* kStockfish = "/usr/games/stockfish";

Result<std::vector<SuiteLine>> read_suite_file(const std::string& name) {
  std::ostringstream out;
  std::ostringstream err;
  Io io{out, err};
  Result<Suite> suite = read_suite(name, io);
  if (!suite) return suite.error();
  EXPECT_FALSE(suite->refused.any());
  return std::move(suite).value().lines;
}

const std::vector<SuiteLine>& corpus() {
  static const std::vector<SuiteLine> lines = read_suite_file("corpus").value();
  return lines;
}

const std::vector<SuiteLine>& large() {
  static const std::vector<SuiteLine> lines = read_suite_file("large").value();
  return lines;
}

std::vector<std::string> oracle_tags(const SuiteLine& line) {
  const auto names = tags::of(oracle::parse(line.record.fen));
  return {names.begin(), names.end()};
}

/// Returns the kinds of moves in kinds_in_tree.h that correspond to a tag, if there are any.
MoveKinds kinds_of(const std::string& tag) {
  using enum MoveKindSeen;
  static const std::map<std::string_view, std::vector<MoveKindSeen>> kKinds{
      {"castling", {kCastlingKingSide, kCastlingQueenSide}},
      {"castling-forbidden", {kCastlingForbidden}},
      {"castling-check", {kCastlingCheck}},
      {"right-lost", {kRightLost}},
      {"rook-captured", {kRightCaptured}},
      {"en-passant", {kEnPassant}},
      {"en-passant-check", {kEnPassantCheck}},
      {"promotion", {kPromotion}},
      {"promotion-capture", {kPromotionCapture}},
      {"promotion-check", {kPromotionCheck}},
      {"pinned", {kPinned}},
      {"check", {kEvasion}},
      {"double-check", {kDoubleEvasion}},
      {"gives-check", {kCheck}},
      {"gives-discovered-check", {kDiscoveredCheck}},
      {"gives-double-check", {kDoubleCheck}},
      {"mates", {kMate}},
      {"stalemates", {kStalemate}},
  };
  MoveKinds kinds;
  const auto found = kKinds.find(tag);
  if (found == kKinds.end()) return kinds;
  for (const MoveKindSeen kind : found->second) kinds.set(static_cast<std::size_t>(kind));
  return kinds;
}

void expect_counts(const SuiteLine& line) {
  const oracle::Position theirs = oracle::parse(line.record.fen);
  for (const EpdCount& count : line.record.counts) {
    const int depth = count.depth.plies();
    EXPECT_EQ(NodeCount(oracle::perft(theirs, depth)), count.nodes) << line.number;
    EXPECT_EQ(count_nodes(line.record.root.position, count.depth).value(), count.nodes)
        << line.number;
  }
}

void expect_enough(const std::vector<SuiteLine>& lines, std::size_t least_chess960,
                   std::size_t of_each_tag) {
  std::map<std::string, std::size_t> with_tag;
  std::set<std::string> positions;
  std::size_t chess960 = 0;
  for (const SuiteLine& line : lines) {
    EXPECT_FALSE(line.tags.empty()) << line.number;
    EXPECT_GE(line.record.counts.size(), 2u) << line.number;
    EXPECT_TRUE(positions.insert(oracle::identity(oracle::parse(line.record.fen))).second)
        << line.number;
    for (const std::string& tag : line.tags) ++with_tag[tag];
    if (line.record.root.notation == CastlingNotation::kChess960) ++chess960;
  }
  EXPECT_GE(chess960, least_chess960);
  EXPECT_GE(lines.size() - chess960, least_chess960);
  EXPECT_EQ(with_tag.size(), tags::all().size());
  for (const tags::Tag& tag : tags::all())
    EXPECT_GE(with_tag[std::string(tag.name)], of_each_tag) << tag.name;
}

TEST(BuiltinSuites, AreTheirFilesToTheByte) {
  for (const std::string_view name : kSuiteNames) {
    const std::string ending = name == "large" ? ".txt" : ".epd";
    std::ifstream file(MANYPLY_SOURCE_DIR "/tools/suites/" + std::string(name) + ending);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_FALSE(text.empty()) << name;
    EXPECT_EQ(builtin_suite(name).value_or(""), text) << name;
  }
}

TEST(Corpus, HasEnoughOfEverythingAndNothingTwice) {
  EXPECT_GE(corpus().size(), 2000u);
  expect_enough(corpus(), 300, 30);
}

TEST(LargeCorpus, HasEnoughOfEverythingAndNothingTwice) {
  EXPECT_EQ(large().size(), 20'000u);
  expect_enough(large(), 3000, 150);
  EXPECT_LE(std::filesystem::file_size(MANYPLY_SOURCE_DIR "/tools/suites/large.txt"), 1'500'000u);
}

TEST(Corpus, TagsAreWhatTheOracleSees) {
  for (std::size_t i = 0; i < corpus().size(); i += 4)
    EXPECT_EQ(corpus()[i].tags, oracle_tags(corpus()[i])) << corpus()[i].number;
}

TEST(Corpus, SlowTagsAreWhatTheOracleSeesEverywhere) {
  for (const SuiteLine& line : corpus()) EXPECT_EQ(line.tags, oracle_tags(line)) << line.number;
}

TEST(Corpus, TagsAreTheKindsOfTheRootsMoves) {
  for (const SuiteLine& line : corpus()) {
    const MoveKinds kinds =
        kinds_below(parse_line(line.record.fen, "", std::nullopt).value(), Depth(1));
    for (const tags::Tag& tag : tags::all()) {
      const std::string name(tag.name);
      const MoveKinds of_tag = kinds_of(name);
      if (of_tag.none()) continue;
      EXPECT_EQ((kinds & of_tag).any(), std::ranges::count(line.tags, name) == 1)
          << name << " in line " << line.number << ": " << line.record.fen;
    }
    // `kinds` may lack an illegal en passant capture if another en passant capture is legal. So
    // this check is in one direction only.
    if (kinds[static_cast<std::size_t>(MoveKindSeen::kEnPassantForbidden)]) {
      EXPECT_THAT(line.tags, ::testing::Contains("en-passant-forbidden")) << line.number;
    }
  }
}

TEST(Corpus, CountsAreThoseOfBothGenerators) {
  for (std::size_t i = 0; i < corpus().size(); i += 40) expect_counts(corpus()[i]);
}

TEST(Corpus, SlowCountsAreThoseOfBothGeneratorsEverywhere) {
  for (const SuiteLine& line : corpus()) expect_counts(line);
}

TEST(LargeCorpus, ASampleIsWhatTheOracleSays) {
  for (std::size_t i = 0; i < large().size(); i += 200) {
    EXPECT_EQ(large()[i].tags, oracle_tags(large()[i])) << large()[i].number;
    expect_counts(large()[i]);
  }
}

TEST(LargeCorpus, SlowTagsAndCountsAreWhatTheOracleSaysEverywhere) {
  for (const SuiteLine& line : large()) {
    EXPECT_EQ(line.tags, oracle_tags(line)) << line.number;
    expect_counts(line);
  }
}

TEST(LargeCorpus, SlowCountsAreStockfishsEverywhere) {
  if (!std::filesystem::exists(kStockfish)) GTEST_SKIP() << "no Stockfish is installed";
  const CommandRun ran = perft({"suite", "large", "--engine", kStockfish, "--budget", "1e12"});
  EXPECT_EQ(ran.exit_code, kExitOk) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("agrees"));
}

void expect_made_anew(const std::vector<std::string>& arguments, const std::string& name) {
  std::vector<std::string> command{MANYPLY_MAKE_CORPUS};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const ProcessResult made = run_process(command);
  EXPECT_EQ(made.exit_code, 0) << made.err;
  std::ifstream file(MANYPLY_SOURCE_DIR "/tools/suites/" + name);
  const std::string committed((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(made.out == committed) << made.out.size() << " and " << committed.size() << " bytes";
}

TEST(Corpus, SlowIsMadeAnewByteForByte) { expect_made_anew({}, "corpus.epd"); }
TEST(LargeCorpus, SlowIsMadeAnewByteForByte) { expect_made_anew({"large"}, "large.txt"); }

TEST(Corpus, ATagIsAPartOfIt) {
  const auto part = read_suite_file("corpus:en-passant-forbidden");
  ASSERT_TRUE(part.ok()) << part.error().to_string();
  EXPECT_GE(part->size(), 30u);
  EXPECT_LT(part->size(), 300u);
  for (const SuiteLine& line : *part)
    EXPECT_THAT(line.tags, ::testing::Contains("en-passant-forbidden"));
  EXPECT_THAT(
      read_suite_file("corpus:en-passent").error().to_string(),
      HasSubstr("corpus: no tag 'en-passent'; the tags of the suite are bare-kings, castling, "));
  EXPECT_THAT(read_suite_file("tricky:pinned").error().to_string(),
              HasSubstr("tricky: no tag 'pinned'; the suite has no tags"));
}

}  // namespace
}  // namespace manyply

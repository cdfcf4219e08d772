// The corpus that is built in: its tags by two definitions, the oracle's and that of
// tools/bisect/move_kinds.h, which share nothing; its counts by both generators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "core/counting.h"
#include "tests/support/oracle.h"
#include "tests/support/position_tags.h"
#include "tests/support/process.h"
#include "tools/bisect/move_kinds.h"
#include "tools/cli/suite_file.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;

Result<std::vector<SuiteLine>> read(const std::string& name) {
  std::ostringstream out;
  std::ostringstream err;
  Io io{out, err};
  Result<Suite> suite = read_suite(name, io);
  if (!suite) return suite.error();
  EXPECT_FALSE(suite->refused.any());
  return std::move(suite).value().lines;
}

const std::vector<SuiteLine>& corpus() {
  static const std::vector<SuiteLine> lines = read("corpus").value();
  return lines;
}

std::vector<std::string> oracle_tags(const SuiteLine& line) {
  const auto names = tags::of(oracle::parse(line.record.fen));
  return {names.begin(), names.end()};
}

/// Tags that move_kinds.h knows, too.
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

TEST(Corpus, HasEnoughOfEverythingAndNothingTwice) {
  EXPECT_GE(corpus().size(), 2000u);
  std::map<std::string, std::size_t> with_tag;
  std::set<std::string> positions;
  std::size_t chess960 = 0;
  for (const SuiteLine& line : corpus()) {
    EXPECT_FALSE(line.tags.empty()) << line.number;
    EXPECT_GE(line.record.counts.size(), 2u) << line.number;
    EXPECT_TRUE(positions.insert(oracle::identity(oracle::parse(line.record.fen))).second)
        << line.number;
    for (const std::string& tag : line.tags) ++with_tag[tag];
    if (line.record.root.notation == CastlingNotation::kChess960) ++chess960;
  }
  EXPECT_GE(chess960, 300u);
  EXPECT_GE(corpus().size() - chess960, 1000u);
  EXPECT_EQ(with_tag.size(), tags::all().size());
  for (const tags::Tag& tag : tags::all())
    EXPECT_GE(with_tag[std::string(tag.name)], 30u) << tag.name;
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
    // There, one that is legal as well hides that another one is not.
    if (kinds[static_cast<std::size_t>(MoveKindSeen::kEnPassantForbidden)])
      EXPECT_THAT(line.tags, ::testing::Contains("en-passant-forbidden")) << line.number;
  }
}

TEST(Corpus, CountsAreThoseOfBothGenerators) {
  for (std::size_t i = 0; i < corpus().size(); i += 40) expect_counts(corpus()[i]);
}

TEST(Corpus, SlowCountsAreThoseOfBothGeneratorsEverywhere) {
  for (const SuiteLine& line : corpus()) expect_counts(line);
}

TEST(Corpus, SlowIsMadeAnewByteForByte) {
  const ProcessResult made = run_process({MANYPLY_MAKE_CORPUS});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  std::ifstream file(MANYPLY_SOURCE_DIR "/tools/suites/corpus.epd");
  const std::string committed((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(made.out == committed) << made.out.size() << " and " << committed.size() << " bytes";
}

TEST(Corpus, ATagIsAPartOfIt) {
  const auto part = read("corpus:en-passant-forbidden");
  ASSERT_TRUE(part.ok()) << part.error().to_string();
  EXPECT_GE(part->size(), 30u);
  EXPECT_LT(part->size(), 300u);
  for (const SuiteLine& line : *part)
    EXPECT_THAT(line.tags, ::testing::Contains("en-passant-forbidden"));
  EXPECT_THAT(read("corpus:en-passent").error().to_string(),
              HasSubstr("corpus: no tag 'en-passent'; there are bare-kings, castling, "));
  EXPECT_THAT(read("tricky:pinned").error().to_string(),
              HasSubstr("tricky: no tag 'pinned'; it has none"));
}

}  // namespace
}  // namespace manyply

// Tests `perft gen`, which makes suites for testing other programs.
#include <set>
#include <sstream>

#include "tests/e2e/perft.h"
#include "tests/support/oracle.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> gen(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "gen");
  const ProcessResult result = perft(std::move(arguments));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<std::string> lines;
  std::istringstream in(result.out);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Gen, WritesDistinctPositionsWithTheOraclesCounts) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--chess960"}}) {
    std::vector<std::string> arguments{"--positions", "60", "--seed", "3", "--depth", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const std::vector<std::string> lines = gen(arguments);
    ASSERT_EQ(lines.size(), 60u);
    std::set<std::string> fens;
    for (const std::string& line : lines) {
      const std::string fen = line.substr(0, line.find(" ;"));
      fens.insert(fen);
      const oracle::Position position = oracle::parse(fen, !more.empty());
      EXPECT_EQ(line, fen + " ;D1 " + std::to_string(oracle::perft(position, 1)) + " ;D2 " +
                          std::to_string(oracle::perft(position, 2)));
      EXPECT_EQ(oracle::identity(position) + " 0 1", fen);
    }
    EXPECT_EQ(fens.size(), 60u);
  }
}

TEST(Gen, MeetsCastlingEnPassantAndPromotion) {
  bool castling = false;
  bool en_passant = false;
  bool promotion = false;
  for (const std::string& line : gen({"--positions", "400", "--depth", "1"})) {
    const oracle::Position position = oracle::parse(line.substr(0, line.find(" ;")));
    for (const oracle::Move& move : oracle::legal_moves(position)) {
      const std::string text = oracle::uci(position, move);
      castling |= text == "e1g1" && position[move.from] == 'K';
      en_passant |= move.to == position.en_passant && (position[move.from] | 0x20) == 'p';
      promotion |= move.promotion != 0;
    }
  }
  EXPECT_TRUE(castling && en_passant && promotion) << castling << en_passant << promotion;
}

TEST(Gen, TheSeedDecides) {
  const auto one = gen({"--positions", "5", "--seed", "1", "--depth", "1"});
  EXPECT_EQ(gen({"--positions", "5", "--seed", "1", "--depth", "1", "--threads", "3"}), one);
  EXPECT_NE(gen({"--positions", "5", "--seed", "2", "--depth", "1"}), one);
}

TEST(Gen, ItsSuitesPass) {
  std::string suite;
  for (const std::string& line : gen({"--positions", "20", "--chess960", "--depth", "3"}))
    suite += line + '\n';
  const ProcessResult result = perft({"suite", "-"}, suite);
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("20 positions, 60 counts match, 0 differ"));
}

TEST(Gen, RefusesNonsense) {
  expect_refusal(perft({"gen", "--depth", "0"}), "--depth: must be at least 1");
  EXPECT_EQ(perft({"gen", "--positions", "0"}).exit_code, 2);
}

}  // namespace
}  // namespace manyply

// Tests `perft zobrist --engine`, which checks keys of other programs.
#include <filesystem>

#include "tests/e2e/perft.h"
#include "tests/tools/diagnose/keys/planted_keys.h"

namespace manyply {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string hashing(const std::string& arguments) {
  return engine_command(MANYPLY_HASHING_ENGINE, arguments);
}

ProcessResult zobrist(std::vector<std::string> more) {
  more.insert(more.begin(), "zobrist");
  return perft(std::move(more));
}

json zobrist_json(std::vector<std::string> more, int exit_code, std::string_view input = {}) {
  more.insert(more.begin(), "zobrist");
  return perft_json(std::move(more), exit_code, input);
}

TEST(ZobristEngine, NamesTheFaultWithItsProof) {
  const ProcessResult result =
      zobrist({"--engine", hashing("rook-left"), "--budget", "4500", "--timeout", "600"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(result.err, "");
  const PlantedKeys planted("rook-left");
  char key[32];
  std::snprintf(
      key, sizeof key, "0x%016llx",
      static_cast<unsigned long long>(planted.key("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1")));
  for (const std::string line :
       {"engine     Hashing Engine (", "key by 'd' behind 'key', 64 bits\n",
        "fault      after castling, the key has the rook in its corner and beside the king\n",
        "           e1c1: too much: white rook a1",
        "played     r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1c1\n",
        "set up     r3k2r/8/8/8/8/8/8/2KR3R b kq - 1 1\n", "verdict    WRONG: 1 fault\n"}) {
    EXPECT_THAT(result.out, HasSubstr(line));
  }
  EXPECT_THAT(result.out, HasSubstr(std::string("           ") + key + "\n"));
}

TEST(ZobristEngine, RightKeysAreSound) {
  const json report = zobrist_json(
      {"--engine", hashing("none usable decimal"), "--budget", "3000", "--timeout", "600"}, 0);
  EXPECT_EQ(report["verdict"], "sound");
  EXPECT_EQ(report["engine"]["label"], "hash");
  EXPECT_EQ(report["scheme"]["linearity"], "xor");
  const PlantedKeys planted;
  char side[32];
  std::snprintf(side, sizeof side, "0x%016llx", static_cast<unsigned long long>(planted.side));
  EXPECT_EQ(report["numbers"]["black to move"], side);
}

TEST(ZobristEngine, WhatCannotBeToldIsNoFault) {
  const json report = zobrist_json(
      {"--engine", hashing("none history"), "--budget", "3000", "--timeout", "600"}, 2);
  EXPECT_EQ(report["verdict"], "cannot tell");
  EXPECT_TRUE(report["scheme"]["remembers_moves"]);
  EXPECT_EQ(report["findings"].size(), 0U);
}

TEST(ZobristEngine, AProgramThatIsRunAnewIsAskedToo) {
  const json report = zobrist_json(
      {"--run", hashing("zero polyglot once {fen} {moves}"), "--budget", "1", "--timeout", "600"},
      1);
  EXPECT_EQ(report["findings"][0]["name"], "zero-number");
}

TEST(ZobristEngine, KeysMayBeWrittenDownAndPasted) {
  const PlantedKeys planted("capture-kept");
  std::istringstream lines(printed({"zobrist", "--questions", "3000"}));
  std::string answers;
  for (std::string line; std::getline(lines, line);) {
    ASSERT_THAT(line, EndsWith(" ;"));
    const std::size_t at = line.find(" moves ");
    const std::string moves =
        at == std::string::npos ? "" : line.substr(at + 7, line.size() - at - 9);
    const std::string fen = line.substr(0, at == std::string::npos ? line.size() - 2 : at);
    answers += line + ' ' + std::to_string(planted.key(fen, moves)) + '\n';
  }
  const json report = zobrist_json({"--paste", "-"}, 1, answers);
  EXPECT_EQ(report["findings"].size(), 1U);
  EXPECT_EQ(report["findings"][0]["name"], "capture-kept");
}

// Eight correct keys are too few to draw a conclusion.
TEST(ZobristEngine, AFewPastedKeysCannotTell) {
  const PlantedKeys planted;
  std::string lines;
  for (const char* board :
       {"4k3/8/8/8/8/8/8/4K3", "7k/8/8/8/8/8/8/K7", "k7/8/8/8/8/8/8/7K", "8/5k2/8/8/2K5/8/8/8"}) {
    for (const char* side : {" w - - 0 1", " b - - 0 1"}) {
      const std::string fen = std::string(board) + side;
      lines += fen + " ; " + std::to_string(planted.key(fen, "")) + '\n';
    }
  }
  const json report = zobrist_json({"--paste", "-"}, 2, lines);
  EXPECT_EQ(report["verdict"], "cannot tell");
  EXPECT_EQ(report["findings"].size(), 0U);
}

TEST(ZobristEngine, MovesThatAreNotPlayedAccuseNobody) {
  const json report = zobrist_json(
      {"--engine", hashing("ignores-promotion"), "--budget", "4500", "--timeout", "600"}, 2);
  EXPECT_EQ(report["findings"].size(), 0U);
  std::size_t not_played = 0;
  for (const json& row : report["moves"]) {
    if (row["kind"] == "promotions") not_played = row["not_played"];
  }
  EXPECT_GT(not_played, 0U);
}

TEST(ZobristEngine, TroubleIsToldInOneLine) {
  expect_refusal(zobrist({"--ask", "d"}), "--ask: requires --engine");
  expect_refusal(zobrist({"--engine", "x", "--key-seed", "3"}),
                 "--key-seed: is only for checks of Manyply's own keys");
  expect_refusal(zobrist({"--engine", "x", "--paste", "-"}),
                 "only one of --engine, --run, --paste and --questions may be given");
  expect_refusal(zobrist({"--run", "x"}), "--run: must contain {fen}");
  expect_refusal(perft({"zobrist", "--paste", "-"}, "hello\n"),
                 "standard input:1: expected 'FEN ; KEY' or 'FEN moves e2e4 ; KEY', found 'hello'");
}

TEST(ZobristEngine, SaysHowAProgramFailed) {
  const ProcessResult crashed =
      zobrist({"--engine", hashing("none polyglot crash"), "--timeout", "600"});
  EXPECT_EQ(crashed.exit_code, 2);
  EXPECT_THAT(crashed.err, HasSubstr("was killed by signal 6"));
}

void expect_innocent(const std::string& engine, const std::string& budget) {
  const std::string program = "/usr/games/" + engine;
  if (!std::filesystem::exists(program)) GTEST_SKIP() << engine << " is not installed";
  const json report = zobrist_json({"--engine", program, "--budget", budget}, 0);
  EXPECT_EQ(report["verdict"], "sound");
  EXPECT_EQ(report["scheme"]["linearity"], "xor");
}

TEST(ZobristEngine, StockfishIsInnocent) { expect_innocent("stockfish", "4000"); }
TEST(ZobristEngine, FairyStockfishIsInnocent) { expect_innocent("fairy-stockfish", "4000"); }
TEST(ZobristEngineSlow, StockfishIsInnocentOfAHundredThousand) {
  expect_innocent("stockfish", "100000");
}

}  // namespace
}  // namespace manyply

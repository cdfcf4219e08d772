// Tests `perft suite --engine` with correct engines, with engines that have one deliberate error,
// and with engines that fail. Tests `perft zobrist --engine`, which checks keys of other programs.
#include <utility>

#include "tests/e2e/perft.h"
#include "tests/support/budget.h"
#include "tests/tools/diagnose/keys/planted_keys.h"
#include "tools/cli/suite_file.h"

namespace manyply {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ProcessResult ask(const std::string& engine, std::vector<std::string> more,
                  std::string_view input = {}) {
  more.insert(more.begin(), {"suite", "--engine", engine, "--timeout", "600"});
  return perft(std::move(more), input);
}

json ask_json(const std::string& engine, std::vector<std::string> more,
              std::string_view input = {}) {
  more.insert(more.end(), {"--format", "json"});
  const ProcessResult result = ask(engine, std::move(more), input);
  EXPECT_EQ(result.out.empty(), false) << result.err;
  return json::parse(result.out);
}

constexpr std::string_view kEnPassant =
    "startpos ;D1 20 ;D2 400\n"
    "8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1 ;D1 5 ;D2 85\n"
    "8/8/8/8/k1pP3Q/8/8/4K3 b - d3 0 1 ;D1 6\n"
    "kiwipete,48\n";

TEST(EngineSuite, ARightEngineAgrees) {
  for (const std::string style : {"stockfish", "letters", "total", "juddperft", "lines"}) {
    const ProcessResult result =
        ask(broken("none " + style), {"classic", "chess960", "--max-nodes", "100"});
    EXPECT_EQ(result.exit_code, 0) << style << result.out << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, HasSubstr("\nclassic: 6 positions, 6 agree, 0 differ, 0 failed, 0 "
                                      "skipped, 0 not asked\n"));
    EXPECT_THAT(result.out, EndsWith("\nverdict    agrees\n"));
  }
}

TEST(EngineSuite, NamesWhatDiffersWhatItSharesAndHowToGoOn) {
  const std::string engine = broken("en-passant-unsafe");
  const ProcessResult result = ask(engine, {"-"}, kEnPassant);
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nstandard input line 2, depth 1: expected 5, the engine "
                                    "counts 6  8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1\n"));
  EXPECT_THAT(result.out, HasSubstr("\nstandard input: 4 positions, 2 agree, 2 differ, 0 failed, "
                                    "0 skipped, 0 not asked\n"));
  const std::string next = "perft bisect 1 --engine '";
  EXPECT_THAT(result.out, HasSubstr("\nnext       " + next));
  EXPECT_THAT(result.out, HasSubstr(" --fen '8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1'\n"));
  EXPECT_THAT(result.out, EndsWith("\nverdict    DIFFERS\n"));

  // The order of the positions does not matter: the difference in the smallest tree is reported.
  const ProcessResult larger_first = ask(engine, {"-"},
                                         "8/8/8/8/k1pP3Q/8/8/4K3 b - d3 0 1 ;D1 6\n"
                                         "8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1 ;D1 5\n");
  EXPECT_THAT(larger_first.out, HasSubstr(" --fen '8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1'\n"));

  // Run the suggested command in a shell.
  const std::size_t at = result.out.find(next) + std::string_view("perft").size();
  const std::string command = result.out.substr(at, result.out.find('\n', at) - at);
  const ProcessResult gone_on =
      run_process({"/bin/sh", "-c", "'" + perft_command() + "'" + command});
  EXPECT_EQ(gone_on.exit_code, 1) << gone_on.err;
  EXPECT_THAT(gone_on.out, HasSubstr("en passant"));
}

TEST(EngineSuite, SaysWhichQuestionAWrongAnswerIsOneTo) {
  const std::string engine = "sed -u 's/^position fen.*/position startpos/' | " + broken("none");
  const ProcessResult text = ask(engine, {"-"}, "kiwipete ;D1 48\n");
  EXPECT_EQ(text.exit_code, 1) << text.err;
  EXPECT_THAT(text.out, HasSubstr("expected 48, the engine counts 20: these are the moves of the "
                                  "start position"));
  const json report = ask_json(engine, {"-"}, "kiwipete ;D1 48\n");
  EXPECT_EQ(report["differences"][0]["causes"][0]["name"], "fen-not-taken");
  EXPECT_EQ(ask_json(broken("en-passant-unsafe"), {"-"}, kEnPassant)["differences"][0]["causes"],
            json::array());
}

TEST(EngineSuite, FindsTheKindOfMovesThatWrongPositionsShare) {
  const auto shared = [](const std::string& bug) {
    const json report = ask_json(broken(bug), {"tricky", "--max-nodes", "3000"});
    std::vector<std::string> kinds;
    for (const json& kind : report["shared"]) kinds.push_back(kind["kind"]);
    EXPECT_GT(report["differences"].size(), 1u);
    EXPECT_EQ(report["verdict"], "DIFFERS");
    return kinds;
  };
  EXPECT_EQ(shared("en-passant-unsafe").front(),
            "en passant captures that would leave the king in check");
  EXPECT_THAT(shared("promotion-bulk"), Contains("promotions"));
}

// The error of each engine of broken_engine.cpp, and the tag of the corpus that names it. The last
// three errors have no tag, because they show in various positions.
constexpr std::array<std::pair<const char*, const char*>, 30> kTagOfBug{{
    {"castling-through-attack", "castling-through-attack"},
    {"castling-out-of-check", "castling-in-check"},
    {"castling-over-b1", "castling-blocked"},
    {"castling-refused-b1", "castling-rook-attacked"},
    {"castling-uncovers-king", "castling-uncovers"},
    {"castling-twice", "castling"},
    {"castling-without-rook", "rook-captured"},
    {"right-after-capture", "rook-captured"},
    {"right-after-rook-move", "right-lost"},
    {"en-passant-unsafe", "en-passant-forbidden"},
    {"en-passant-kept", "en-passant"},
    {"en-passant-single-step", "single-step"},
    {"en-passant-never", "en-passant-offered"},
    {"en-passant-not-in-check", "en-passant-evasion"},
    {"promotion-once", "promotion"},
    {"underpromotion-missing", "promotion-check"},
    {"promotion-bulk", "promotion-capture"},
    {"pinned-moves", "pinned"},
    {"pinned-stuck", "pinned-moves"},
    {"king-along-ray", "king-along-line"},
    {"king-captures-protected", "king-protected"},
    {"kings-adjacent", "king-near-king"},
    {"check-ignored", "check"},
    {"stalemate-counts", "stalemates"},
    {"bare-kings-end", "bare-kings"},
    {"double-step-over-piece", "double-step-blocked"},
    {"knight-wraps", "knight-at-edge"},
    {"two-bugs", "castling"},
    {"leaf-damage", "crowded"},
    {"undo-damage", "gives-check"},
}};

TEST(EngineSuite, TheCorpusFindsEachBugByItsTag) {
  // The engines are the same in every build, so only the fast build tests all of them.
  for (std::size_t i = 0; i < kTagOfBug.size(); i += kIsFastBuild ? 1 : 24) {
    const auto& [bug, tag] = kTagOfBug.at(i);
    // If a castling right is kept wrongly, the castling move appears only four or five plies later.
    const bool deep = std::string_view(bug).starts_with("right-after");
    const json report =
        ask_json(broken(bug), {std::string("corpus:") + tag, "--max-nodes", deep ? "20000" : "1000",
                               "--budget", deep ? "4000000" : "30000"});
    EXPECT_EQ(report["verdict"], "DIFFERS") << bug;
    EXPECT_EQ(report["failures"].size(), 0u) << bug;
  }
}

TEST(EngineSuite, TheCorpusNamesTheTagThatWrongPositionsShare) {
  for (const auto& [bug, tag] : {std::pair("castling-refused-b1", "castling-rook-attacked"),
                                 {"en-passant-unsafe", "en-passant-forbidden"},
                                 {"castling-without-rook", "rook-captured"},
                                 {"bare-kings-end", "bare-kings"}}) {
    if (!kIsFastBuild && std::string_view(tag) != "rook-captured") continue;
    const json report =
        ask_json(broken(bug), {"corpus", "--max-nodes", kIsFastBuild ? "400" : "100"});
    std::vector<std::string> tags;
    for (const json& shared : report["shared_tags"]) tags.push_back(shared["tag"]);
    EXPECT_THAT(tags, Contains(tag)) << bug;
  }
  if (!kIsFastBuild) return;
  const std::string engine = broken("bare-kings-end");
  const ProcessResult text = ask(engine, {"corpus", "classic", "--max-nodes", "400"});
  EXPECT_THAT(text.out, HasSubstr("\ntag        bare-kings: in "));
  const ProcessResult junit =
      ask(engine, {"corpus", "classic", "--max-nodes", "400", "--format", "junit"});
  EXPECT_THAT(junit.out, HasSubstr(">tag: bare-kings: in "));
  EXPECT_EQ(ask_json(broken("none"), {"corpus", "--max-nodes", "30"})["shared_tags"].size(), 0u);
}

// JUnit must report the same as the text and JSON, for both ways of counting.
TEST(EngineSuite, JUnitSaysWhatJsonSays) {
  const std::string engine = broken("en-passant-unsafe no960");
  const std::string suite = std::string(kEnPassant) + "4k3/8/8/8/8/8/8/1RK5 w B - 0 1 ;D1 17\n";
  const std::vector<std::string> words{"-", "classic", "--budget", "600"};
  const json report = ask_json(engine, words, suite);
  std::vector<std::string> as_junit = words;
  as_junit.insert(as_junit.end(), {"--format", "junit"});
  const ProcessResult junit = ask(engine, as_junit, suite);
  EXPECT_EQ(junit.exit_code, 1) << junit.err;
  EXPECT_TRUE(report["budget_spent"]);
  EXPECT_THAT(junit.out, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "));

  const std::string python = "/usr/bin/python3";
  if (run_process({python, "-c", "import junitparser"}).exit_code != 0)
    GTEST_SKIP() << "python3-junitparser is not installed";
  const ProcessResult read = run_process({python, "-c", R"(
import json, sys
from junitparser import JUnitXml
xml = JUnitXml.fromstring(sys.stdin.read())
suites = []
for suite in xml:
    results = [result for case in suite for result in case.result]
    suites.append({
        "name": suite.name, "tests": suite.tests, "failures": suite.failures,
        "errors": suite.errors, "skipped": suite.skipped, "cases": len(list(suite)),
        "messages": [result.message for result in results if type(result).__name__ == "Failure"],
    })
print(json.dumps(suites))
)"},
                                         junit.out);
  ASSERT_EQ(read.exit_code, 0) << read.err;
  const json suites = json::parse(read.out);
  ASSERT_EQ(suites.size(), report["suites"].size());
  for (std::size_t i = 0; i < suites.size(); ++i) {
    const json& ours = report["suites"][i];
    const json& theirs = suites[i];
    EXPECT_EQ(theirs["name"], ours["name"]);
    EXPECT_EQ(theirs["tests"], ours["positions"]);
    EXPECT_EQ(theirs["cases"], ours["positions"]);
    EXPECT_EQ(theirs["failures"], ours["differ"]);
    EXPECT_EQ(theirs["errors"], ours["failed"]);
    EXPECT_EQ(theirs["skipped"], ours["skipped"].get<int>() + ours["not_asked"].get<int>());
  }
  EXPECT_EQ(suites[0]["failures"], 2);
  EXPECT_EQ(suites[0]["skipped"], 1);
  EXPECT_EQ(suites[0]["messages"][0], "depth 1: expected 5, the engine counts 6");
}

TEST(EngineSuite, AnEngineThatFailsIsStartedAgainForSomeTime) {
  // The engine answers depth 1 correctly, and never answers larger depths.
  const json report = ask_json(broken("crash"), {"tricky", "--max-nodes", "1000"});
  EXPECT_EQ(report["verdict"], "failed");
  EXPECT_TRUE(report["gave_up"]);
  ASSERT_GE(report["failures"].size(), 10u) << "ten in a row";
  EXPECT_THAT(report["failures"][0]["why"].get<std::string>(), HasSubstr("signal 11"));
  EXPECT_GE(report["failures"][0]["depth"], 2);
  EXPECT_EQ(ask(broken("crash"), {"classic", "--max-nodes", "1000"}).exit_code, 2);

  EXPECT_THAT(refusal_of({"suite", "--engine", "no-such-engine-here", "classic"}),
              HasSubstr("could not be started (exit code 127)"));
}

TEST(EngineSuite, OnlyTenFailuresInARowEndIt) {
  // The engine dies at depth 2, and for any position without castling rights.
  const std::string engine = R"(while read -r line; do case $line in
    uci) echo uciok;; isready) echo readyok;; quit) exit;;
    position*" w - -"*) exit 1;; *r3k2r*) nodes=48;; position*) nodes=20;;
    "go perft 1") echo "Nodes searched: $nodes";; go*) exit 1;;
    esac; done)";
  std::string in_turns;
  for (int i = 0; i < 12; ++i)
    in_turns += "startpos ;D1 20\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1 ;D1 20\n";
  const json all = ask_json(engine, {"-"}, in_turns);
  EXPECT_EQ(all["suites"][0]["agree"], 12) << all.dump();
  EXPECT_EQ(all["suites"][0]["failed"], 12);
  EXPECT_FALSE(all["gave_up"]);

  std::string in_a_row;  // the command asks for smaller counts first
  for (int i = 0; i < 12; ++i) in_a_row += "startpos ;D2 400\nkiwipete ;D1 48\n";
  const ProcessResult text = ask(engine, {"-"}, in_a_row);
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_THAT(text.out, HasSubstr(": 24 positions, 12 agree, 0 differ, 10 failed, 0 skipped, 2 not "
                                  "asked\n"));
  EXPECT_THAT(text.out, EndsWith("\nverdict    failed, 2 of 24 not asked\n"));
}

TEST(EngineSuite, OneRefusedPositionIsToldAndTheOthersAreAsked) {
  const std::string suite =
      "startpos ;D1 20\n3Pk3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5\nkiwipete ;D1 48\n";
  const ProcessResult text = ask(broken("none"), {"-"}, suite);
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_EQ(text.err, "perft: standard input:2: placement: a pawn on d8 (column 2)\n");
  EXPECT_THAT(text.out, HasSubstr("\nstandard input: 2 positions, 2 agree, 0 differ, 0 failed, 0 "
                                  "skipped, 0 not asked, 1 line refused\n"));
  EXPECT_THAT(text.out, EndsWith("\nverdict    agrees, 1 line refused\n"));
  const json report = ask_json(broken("none"), {"-"}, suite);
  EXPECT_EQ(report["verdict"], "agrees");
  EXPECT_EQ(report["suites"][0]["refused"], 1);
  EXPECT_EQ(report["suites"][0]["refusals"][0]["line"], 2);
  const ProcessResult junit = ask(broken("none"), {"-", "--format", "junit"}, suite);
  EXPECT_EQ(junit.exit_code, 2);
  EXPECT_THAT(junit.out, HasSubstr("tests=\"3\" failures=\"0\" errors=\"1\""));
  EXPECT_THAT(junit.out, HasSubstr("name=\"line 2\">\n      <error type=\"refused\" message=\""
                                   "placement: a pawn on d8 (column 2)\"/>"));
}

TEST(EngineSuite, NobodyIsAccusedOfWhatWasNotReadOrOfAWrongSuite) {
  const ProcessResult unread = ask(broken("none castles"), {"-"}, "kiwipete ;D1 48\n");
  EXPECT_EQ(unread.exit_code, 2) << unread.err;
  EXPECT_THAT(unread.out, HasSubstr("depth 1: not understood: 'castles short: 1'"));
  EXPECT_THAT(unread.out, EndsWith("\nverdict    failed\n"));
  EXPECT_THAT(unread.out, Not(HasSubstr("shared")));

  const ProcessResult wrong = ask(broken("none"), {"-"}, "startpos ;D1 20 ;D2 401\n");
  EXPECT_EQ(wrong.exit_code, 2) << wrong.err;
  EXPECT_THAT(wrong.out,
              HasSubstr("the suite is wrong: it expects 401, but the correct count is 400"));
  EXPECT_THAT(wrong.out, HasSubstr(" 0 differ, 1 failed"));
}

TEST(EngineSuite, StopsAtItsBudget) {
  const json report = ask_json(broken("none"), {"-", "--budget", "470"},
                               "startpos ;D1 20 ;D2 400\nkiwipete ;D1 48 ;D2 2039\n"
                               "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 ;D2 191\n");
  EXPECT_EQ(report["nodes"], "259");  // 20 + 48 + 191; 400 would exceed the limit
  EXPECT_TRUE(report["budget_spent"]);
  EXPECT_EQ(report["verdict"], "agrees");
  const ProcessResult partly =
      ask(broken("none"), {"-", "--budget", "70"},
          "startpos ;D1 20\nkiwipete ;D1 48\n8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 ;D2 191\n");
  EXPECT_EQ(partly.exit_code, 0);
  EXPECT_THAT(partly.out, EndsWith("\nverdict    agrees, 1 of 3 not asked\n"));
  const ProcessResult nothing = ask(broken("none"), {"-", "--budget", "10"}, "startpos ;D1 20\n");
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.out, EndsWith("\nverdict    nothing was asked, 1 of 1 not asked\n"));
  EXPECT_EQ(ask(broken("none"), {"classic", "--max-nodes", "50", "--budget", "10min"}).exit_code,
            0);
  for (const char* budget : {"", "x", "s", "0s", "-1", "1.5min"}) {
    expect_refusal(ask("x", {"classic", "--budget", budget}),
                   std::string("--budget: '") + budget +
                       "' is neither a number of nodes (1e9) nor a time (90s, 10min, 1h)");
  }
}

TEST(EngineSuite, CtrlCEndsIt) {
  const ProcessResult result = interrupt(
      {"suite", "--engine", broken("hang"), "--progress", "json", "classic"}, "\"depth\":2");
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_THAT(result.err, EndsWith("perft: interrupted\n"));
}

class EngineSuiteStockfish : public StockfishTest {
 protected:
  static void expect_agreement(const char* budget) {
    const json report = ask_json(kStockfish, {"--budget", budget});
    EXPECT_EQ(report["verdict"], "agrees") << report.dump();
    EXPECT_EQ(report["suites"].size(), kQuickSuites);
    for (const json& suite : report["suites"]) {
      EXPECT_EQ(suite["agree"], suite["positions"]) << suite.dump();
    }
  }
};

TEST_F(EngineSuiteStockfish, AgreesWithAllThatIsBuiltIn) {
  expect_agreement(kIsFastBuild ? "3e6" : "3e5");
}

TEST_F(EngineSuiteStockfish, SlowAgreesWithAllOfIt) {
  expect_agreement(kIsFastBuild ? "2e9" : "1e6");
}

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

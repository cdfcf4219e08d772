// Tests `perft bisect` with engines that have one deliberate error each, with engines that fail,
// and with correct ones.
#include <fstream>
#include <sstream>

#include "tests/e2e/perft.h"
#include "tests/support/budget.h"
#include "tests/support/oracle.h"
#include "tests/tools/diagnose/hunts.h"

namespace manyply {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kData = MANYPLY_SOURCE_DIR "/tools/suites/";

std::string joined(const json& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word.get<std::string>();
  return text;
}

/// Uses the oracle to check a difference: the moves lead to the position, missing moves are legal
/// in this position, and extra moves are illegal.
void expect_true(const json& difference, const std::string& start) {
  oracle::Position position = oracle::parse(start);
  for (const auto& move : difference["moves"])
    position = oracle::after(position, oracle::move_from_uci(position, move.get<std::string>()));
  const oracle::Position told = oracle::parse(difference["fen"].get<std::string>());
  EXPECT_EQ(oracle::identity(told), oracle::identity(position));
  std::vector<std::string> legal;
  for (const oracle::Move& move : oracle::legal_moves(position))
    legal.push_back(oracle::uci(position, move));
  for (const auto& move : difference["missed"]) EXPECT_THAT(legal, Contains(move));
  for (const auto& move : difference["invented"]) EXPECT_THAT(legal, Not(Contains(move)));
}

class BrokenEngine : public ::testing::TestWithParam<Hunt> {};

void expect_found_out(const Hunt& hunt, const std::string& style) {
  SCOPED_TRACE(style);
  const json report =
      perft_json({"bisect", hunt.depth, "--engine", broken(std::string(hunt.bug) + ' ' + style),
                  "--fen", hunt.fen, "--timeout", "600"},
                 1);
  EXPECT_FALSE(report["agrees"]);
  ASSERT_EQ(report["differences"].size(), 1u);
  const json& difference = report["differences"][0];
  const std::string start = report["fen"];
  expect_true(difference, start);
  EXPECT_EQ(difference["causes"][0]["name"], hunt.cause) << difference.dump();
  EXPECT_EQ(difference["causes"].size(), 1u) << difference.dump();
  const auto is = [&](const char* what, const char* expected) {
    if (*expected != '\0') {
      EXPECT_EQ(joined(difference[what]), expected) << difference.dump();
    }
  };
  is("moves", hunt.path);
  is("missed", hunt.missed);
  is("invented", hunt.invented);
  if (*hunt.culprit != '\0') {
    EXPECT_EQ(difference["culprit"]["move"], hunt.culprit) << difference.dump();
  }
}

TEST_P(BrokenEngine, IsFoundOut) { expect_found_out(GetParam(), "stockfish"); }

TEST_P(BrokenEngine, IsFoundOutHoweverItPrints) {
  for (const char* style : {"first", "words"}) expect_found_out(GetParam(), style);
}

INSTANTIATE_TEST_SUITE_P(Bisect, BrokenEngine, ::testing::ValuesIn(kHunts), [](const auto& info) {
  std::string name = info.param.bug;
  std::erase(name, '-');
  return name;
});

ProcessResult bisect(const std::string& engine, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"bisect", "3", "--engine", engine});
  return perft(std::move(more));
}

json bisect_json(const std::string& engine, std::vector<std::string> more, int exit_code = 1) {
  more.insert(more.begin(), {"bisect", "3", "--engine", engine});
  return perft_json(std::move(more), exit_code);
}

/// Returns the JSON report about a suite that `perft bisect` reads from standard input.
json suite_json(const std::string& depth, const std::string& engine, const std::string& suite,
                int exit_code) {
  return perft_json({"bisect", depth, "--suite", "-", "--engine", engine}, exit_code, suite);
}

TEST(Bisect, TheSameEngineWithoutTheBugAgrees) {
  for (const std::string fen : {"startpos", "kiwipete", kPosition3, kRookTrap})
    EXPECT_THAT(printed({"bisect", "3", "--engine", broken("none"), "--fen", fen}),
                EndsWith("verdict    agrees\n"));
}

TEST(Bisect, ShowsPathBoardMovesAndRule) {
  const ProcessResult result =
      perft({"bisect", "4", "--engine", broken("right-after-capture"), "--fen", kRookTrap});
  EXPECT_EQ(result.exit_code, 1);
  for (const char* line :
       {"agrees     up to depth 3: 4015\n", "after      f3h1 h2h1 e8d7\n",
        "fen        8/3k4/8/8/8/8/8/4K2R w - - 1 3\n", " |   |   |   | k |   |   |   |   | 7\n",
        "invented   e1g1\n", ": f3h1 (move 1)\n",
        "cause      a castling right is kept after its rook was captured\n",
        "verdict    DIFFERS\n"}) {
    EXPECT_THAT(result.out, HasSubstr(line));
  }
}

TEST(Bisect, UnderstandsEngineOfEveryStyle) {
  for (const std::string style : {"stockfish", "plain", "numbered", "info", "rows", "mute",
                                  "mute-rows", "no-moves", "lines"}) {
    const json report = bisect_json(broken("pinned-moves " + style), {"--fen", "kiwipete"});
    EXPECT_EQ(report["engine"]["dialect"], style == "lines" ? "lines" : "stockfish");
    EXPECT_EQ(report["differences"][0]["causes"][0]["name"], "pinned-leaves-line") << style;
    EXPECT_EQ(joined(report["differences"][0]["moves"]), "e2b5") << style;
  }
}

TEST(Bisect, ARightEngineAgreesHoweverItPrints) {
  for (const std::string style : {"letters", "first", "words"}) {
    for (const std::string fen : {"kiwipete", kPosition3, "1n2k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1",
                                  "4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1"}) {
      const ProcessResult result = bisect(broken("none " + style), {"--fen", fen});
      EXPECT_EQ(result.exit_code, 0) << style << result.out << result.err;
      EXPECT_THAT(result.out, EndsWith("verdict    agrees\n"));
    }
  }
}

TEST(Bisect, SaysWhatExplainsEveryCount) {
  const ProcessResult result =
      bisect(broken("promotion-bulk"), {"--fen", "8/P6k/8/8/8/8/8/K7 b - - 0 1"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr(": every count is what it would be if a pawn's four "
                                    "promotions on one square counted as one move\n"));
  EXPECT_THAT(bisect(broken("undo-damage")).out, HasSubstr(" paths of 2 plies after "));
  EXPECT_THAT(bisect(broken("leaf-damage")).out,
              ::testing::ContainsRegex(
                  "the engine counts 21 paths of 1 ply after .*, it counts 20([^0-9]|$)"));
}

TEST(Bisect, NothingFollowsFromRowsThatItCannotRead) {
  const ProcessResult negative = bisect(broken("none negative"), {"--fen", "kiwipete"});
  EXPECT_EQ(negative.exit_code, 2) << negative.out;
  EXPECT_THAT(negative.out,
              HasSubstr("unread     'e1g1: -1', -1 is negative, so it is not a count\n"
                        "           'e1c1: -1', "));
  EXPECT_THAT(negative.out, EndsWith("\nverdict    not understood\n"));
  EXPECT_THAT(negative.out, Not(HasSubstr("cause")));

  const json report = bisect_json(broken("none castles"), {"--fen", "kiwipete"}, 2);
  EXPECT_EQ(report["agrees"], false);
  EXPECT_EQ(report["understood"], false);
  EXPECT_EQ(report["differences"], json::array());
  EXPECT_EQ(report["unread"]["depth"], 1);
  EXPECT_EQ(report["unread"]["lines"][0]["text"], "castles short: 1");

  // A divide that is not understood ends the comparison of the suite.
  const ProcessResult suite =
      perft({"bisect", "2", "--suite", "-", "--engine", broken("none castles")},
            "startpos ;D2 400\nr3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 ;D1 26\nkiwipete ;D1 48\n");
  EXPECT_EQ(suite.exit_code, 2) << suite.out;
  EXPECT_THAT(suite.out, HasSubstr("(line 2)"));
  EXPECT_THAT(suite.out, EndsWith("compared   2 of 3 positions, 0 skipped\n"
                                  "verdict    not understood\n"));
}

TEST(Bisect, AsksEnginesThatTellNoMovesForTotals) {
  for (const std::string style : {"total", "juddperft"}) {
    const json difference =
        bisect_json(broken("pinned-moves " + style), {"--fen", "kiwipete"})["differences"][0];
    EXPECT_EQ(joined(difference["moves"]), "e2b5") << style;
    EXPECT_EQ(difference["causes"][0]["name"], "move-list-wrong");
    EXPECT_EQ(difference["total"]["ours"], "39");
    EXPECT_EQ(difference["total"]["engine"], "40") << style;
  }
  const json report =
      perft_json({"bisect", "4", "--engine", broken("right-after-capture juddperft"), "--fen",
                  kRookTrap, "--dialect", "juddperft"},
                 1);
  EXPECT_EQ(report["differences"][0]["causes"][0]["name"], "played-wrong");
}

TEST(Bisect, SaysThatOnlyTotalsWereCompared) {
  const ProcessResult right = bisect(broken("none indexes"), {"--fen", kRookTrap});
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  EXPECT_THAT(right.out, HasSubstr("unread     'Move { from: "));
  EXPECT_THAT(right.out,
              EndsWith("           not understood, so only the engine's totals were compared\n"
                       "verdict    agrees, totals only\n"));
  const ProcessResult wrong = bisect(broken("pinned-moves indexes"), {"--fen", "kiwipete"});
  EXPECT_EQ(wrong.exit_code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("after      e2b5\n"));
  EXPECT_THAT(wrong.out, EndsWith("\nverdict    DIFFERS, totals only\n"));
  EXPECT_EQ(suite_json("2", broken("none indexes"), "startpos ;D2 400\n", 0)["passed_over"].size(),
            20U);
}

TEST(Bisect, OneRefusedPositionIsToldAndTheOthersAreCompared) {
  const std::string suite =
      "startpos ;D1 20\n3Pk3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5\nkiwipete ;D1 48\n";
  const char* const why = "perft: standard input:2: placement: a pawn on d8 (column 2)\n";
  std::vector<std::string> command{"bisect", "1", "--suite", "-", "--engine", broken("none")};
  const ProcessResult text = perft(command, suite);
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_EQ(text.err, why);
  EXPECT_THAT(text.out, EndsWith("compared   2 of 2 positions, 0 skipped, 1 line refused\n"
                                 "verdict    agrees\n"));
  command.insert(command.end(), {"--format", "json"});
  const ProcessResult result = perft(command, suite);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, why);
  const json report = json::parse(result.out);
  EXPECT_EQ(report["positions"], 2);
  EXPECT_EQ(report["refused"], 1);
  EXPECT_EQ(report["refusals"][0]["column"], 2);
}

TEST(Bisect, ASuiteEndsAfterEnoughCauses) {
  const std::string suite =
      "startpos ;D1 20 ;D2 400\n" + std::string(kPosition3) + " ;D1 14 ;D2 191\n" +
      "r3k2r/8/8/3q4/8/8/8/R3K2R b KQkq - 0 1 ;D2 900\n" + kRookTrap + " ;D1 17\n";
  const json report = suite_json("2", broken("en-passant-unsafe"), suite, 1);
  EXPECT_EQ(report["positions"], 2);
  EXPECT_EQ(report["differences"][0]["line"], 2);
  EXPECT_EQ(report["differences"][0]["causes"][0]["name"], "en-passant-opens-rank");

  EXPECT_EQ(suite_json("2", broken("none"), suite, 0)["positions"], 4);
  const json skipping =
      suite_json("2", broken("none no960"), suite + "4k3/8/8/8/8/8/8/1RK5 w B - 0 1 ;D1 17\n", 0);
  EXPECT_EQ(skipping["positions"], 4);
  EXPECT_EQ(skipping["skipped"], 1);
}

// The engine crashes at depth 2 of every position. The suite must report as much as possible about
// the others.
TEST(Bisect, ASuiteGoesOnAfterACrash) {
  const std::vector<std::string> command{"bisect",        "2",        "--suite", "-", "--engine",
                                         broken("crash"), "--causes", "2"};
  const std::string suite = "startpos ;D2 400\nkiwipete ;D1 48\n" + std::string(kPosition3) +
                            " ;D2 191\n4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5\n";
  const ProcessResult text = perft(command, suite);
  EXPECT_EQ(text.exit_code, 2) << text.out << text.err;
  EXPECT_THAT(text.out, HasSubstr("(line 1)\nfailed     "));
  EXPECT_THAT(text.out, HasSubstr("was killed by signal 11"));
  EXPECT_THAT(text.out, EndsWith("\ncompared   4 of 4 positions, 0 skipped, 2 failed\n"
                                 "verdict    failed\n"));
  EXPECT_THAT(text.err, HasSubstr("  | about to read a null pointer\n"));

  const json report = perft_json(command, 2, suite);
  EXPECT_EQ(report["agrees"], false);
  EXPECT_EQ(report["gave_up"], false);
  EXPECT_EQ(report["positions"], 4);
  ASSERT_EQ(report["failures"].size(), 2U);
  EXPECT_EQ(report["failures"][1]["line"], 3);
}

TEST(Bisect, ASuiteEndsAfterTenCrashesInARow) {
  std::string suite;
  for (int i = 0; i < 12; ++i) suite += "startpos ;D2 400\n";
  const json report = suite_json("2", broken("exit"), suite, 2);
  EXPECT_EQ(report["gave_up"], true);
  EXPECT_EQ(report["positions"], 10);
  EXPECT_EQ(report["failures"].size(), 10U);
}

/// Returns a script that is run as CMD DEPTH FEN [MOVES]. It prints its usage unless `condition` is
/// true.
std::string script_if(const std::string& condition) {
  return "ask() { if " + condition + "; then exec " + broken("none lines") +
         R"( "$@"; else echo 'Usage: ask DEPTH FEN'; fi; }; ask "$@" #)";
}

TEST(Bisect, SaysThatNoGameReachesAPosition) {
  const std::vector<std::string> command{"bisect",   "1",
                                         "--engine", broken("king-into-attack"),
                                         "--fen",    "4k3/8/8/b7/8/2K5/8/4b3 w - - 0 1"};
  EXPECT_THAT(perft(command).out, HasSubstr("note       this position cannot occur in a game: "));
  EXPECT_TRUE(perft_json(command, 1)["differences"][0].contains("unreachable"));
}

TEST(Bisect, AUsageLineIsNoEmptyList) {
  const ProcessResult result = bisect(script_if("[ \"$1\" -lt 2 ]"), {"--dialect", "lines"});
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("agrees     up to depth 1: 20\n"));
  EXPECT_THAT(result.out, HasSubstr("unread     'Usage: ask DEPTH FEN'\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("cause")));
  // A program that takes no moves gets FENs.
  const ProcessResult fens = bisect(script_if("[ $# -lt 3 ]"), {"--dialect", "lines"});
  EXPECT_EQ(fens.exit_code, 0) << fens.out << fens.err;
  EXPECT_THAT(fens.out, HasSubstr("receives each position as a FEN\n"));
}

TEST(Bisect, AnEngineThatDoesNotTakeTheFenHasOneCause) {
  const std::string engine = "sed -u 's/^position fen.*/position startpos/' | " + broken("none");
  const json report = bisect_json(engine, {"--fen", "kiwipete"});
  ASSERT_EQ(report["differences"].size(), 1U);
  ASSERT_EQ(report["differences"][0]["causes"].size(), 1U);
  EXPECT_EQ(report["differences"][0]["causes"][0]["name"], "fen-not-taken");
}

TEST(Bisect, GoesOnForMoreCauses) {
  // The engine misses castling at the root, and en passant one ply deeper.
  const auto causes_found = [](const std::string& wanted) {
    std::vector<std::string> names;
    const json report = bisect_json(broken("two-bugs"), {"--fen", "kiwipete", "--causes", wanted});
    for (const json& difference : report["differences"]) {
      for (const json& cause : difference["causes"]) names.push_back(cause["name"]);
    }
    return names;
  };
  EXPECT_THAT(causes_found("1"), ElementsAre("castling-missed"));
  EXPECT_THAT(causes_found("3"), Contains("en-passant-missed"));
}

TEST(Bisect, BreaksSentencesBetweenWords) {
  Process process(perft_argv({"bisect", "2", "--engine", broken("leaf-damage")}),
                  Process::Stdout::kPipe, Process::Stderr::kTerminal);
  const ProcessResult result = process.finish();
  EXPECT_THAT(result.out,
              HasSubstr("cause      the count of a move is wrong, but the count of the"));
  std::istringstream lines(result.out);
  int sentences = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("cause") && !line.starts_with("           ")) continue;
    EXPECT_LE(line.size(), 80U) << line;
    EXPECT_NE(line.back(), ' ');
    ++sentences;
  }
  EXPECT_GE(sentences, 4) << result.out;
}

// ---------------------------------------------------------------- engines that fail

struct Failure {
  const char* engine;
  const char* says;
  const char* err = "";
};

TEST(Bisect, SaysHowAnEngineFailed) {
  const std::vector<Failure> failures{
      {"crash", "was killed by signal 11 (Segmentation fault)",
       "  | about to read a null pointer\n"},
      {"abort", "was killed by signal 6 (Aborted)", "  | assertion failed: square < 64\n"},
      {"exit", "ended with exit code 3"},
      {"lie", "prints a total of 21, but its 20 moves add up to 20"},
      {"fickle", "gives different answers to the same question"},
      {"flood", "prints without end"},
      {"flood-line", "prints without end"},
      {"search", "it does not know 'go perft'"},
  };
  for (const Failure& failure : failures) {
    if (!kIsFastBuild && std::string_view(failure.engine).starts_with("flood")) continue;
    const ProcessResult result = bisect(broken(failure.engine));
    EXPECT_EQ(result.exit_code, 2) << failure.engine;
    EXPECT_EQ(result.out, "") << failure.engine;
    EXPECT_THAT(result.err, HasSubstr(failure.says)) << failure.engine;
    EXPECT_THAT(result.err, HasSubstr(failure.err)) << failure.engine;
  }
  EXPECT_THAT(bisect("no-such-engine-here").err, HasSubstr("could not be started (exit code 127)"));
}

// tests/tools/engine/engine_test.cpp tests how the time limit is measured and shared.
TEST(Bisect, GivesUpOnASilentProgram) {
  EXPECT_THAT(refusal_of({"bisect", "3", "--engine", "sleep 1000; :", "--timeout", "1"}),
              HasSubstr("gave no answer in 1 s (--timeout)"));
}

TEST(Bisect, GivesUpOnAnEngineThatHangsSlow) {
  const ProcessResult result =
      bisect(broken("hang"), {"--timeout", "20", "--dialect", "stockfish"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("gave no answer in 20 s (--timeout)"));
  EXPECT_THAT(result.err, EndsWith("; go perft 2\n"));
  EXPECT_THAT(result.err, HasSubstr("perft: the engine agrees up to depth 1: 20\n"));
  EXPECT_THAT(result.err, HasSubstr("'perft suite tricky --engine CMD'"));
}

// The script says that it is ready, and then stops `perft` for 7 s. These 7 s must not count as
// silence, because `perft` gives up after 5 s of silence. Before its first `sleep`, the script uses
// only built-in commands of the shell, because starting a program may take long on a busy machine.
TEST(Bisect, NoLimitPassesWhileItCannotRunSlow) {
  const std::string divide = perft({"divide", "1", "--format", "stockfish"}).out;
  ASSERT_THAT(divide, HasSubstr("a2a3: 1\n"));
  const ProcessResult result = bisect(
      "read uci; read ready; echo uciok; echo readyok; read position; read go; read ready; "
      "echo readyok; sleep 0.2; kill -STOP $PPID; sleep 7; kill -CONT $PPID; sleep 0.2; echo '" +
          divide + "'; exec " + broken("none"),
      {"--timeout", "20"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

void expect_engine_killed_by(int signal) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("manyply_bisect_" + std::to_string(::getpid()) + ".pid");
  Process process(perft_argv({"bisect", "3", "--progress", "json", "--engine",
                              "echo $$ > '" + file.string() + "'; exec " + broken("hang")}));
  ASSERT_TRUE(process.wait_for_error_output("\"number\":2"));
  process.signal(signal);
  const ProcessResult result = process.finish();
  expect_interrupted(result);
  pid_t engine = 0;
  std::ifstream(file) >> engine;
  std::filesystem::remove(file);
  ASSERT_GT(engine, 1);
  EXPECT_EQ(::kill(engine, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}
TEST(Bisect, CtrlCKillsTheEngine) { expect_engine_killed_by(SIGINT); }
TEST(Bisect, TerminationKillsTheEngine) { expect_engine_killed_by(SIGTERM); }

TEST(Bisect, RefusesWhatItCannotDo) {
  EXPECT_THAT(perft({"bisect", "3", "--engine", "x", "--dialect", "klingon"}).err,
              StartsWith("perft: --dialect: 'klingon' is not one of auto, stockfish"));
  expect_refusal(perft({"bisect", "3", "--engine", "x", "--moves", "e2e4 e2e4"}),
                 "moves: move 2, 'e2e4' is not legal here (column 6)");
  expect_refusal(bisect("x", {"--suite", kData + "classic.epd", "--moves", "e2e4"}),
                 "--moves: cannot be combined with --suite, whose file contains the positions");
  expect_refusal(bisect("x", {"--max-nodes", "1000"}), "--max-nodes: requires --suite");
  EXPECT_THAT(bisect(broken("none no960"), {"--fen", "4k3/8/8/8/8/8/8/1RK5 w B - 0 1"}).err,
              HasSubstr("does not offer UCI_Chess960"));
}

// ---------------------------------------------------------------- a real engine

class BisectStockfish : public StockfishTest {
 protected:
  static void expect_agreement(const std::string& suite, const char* depth, const char* max_nodes) {
    const ProcessResult result =
        perft({"bisect", depth, "--engine", kStockfish, "--suite", kData + suite, "--max-nodes",
               max_nodes, "--timeout", "600"});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr(" 0 skipped\n"));
  }
};

TEST_F(BisectStockfish, AgreesOnTheClassicSix) {
  expect_agreement("classic.epd", kIsFastBuild ? "4" : "3", "5000000");
}

TEST_F(BisectStockfish, AgreesOnTheSuites) {
  for (const char* suite : {"tricky.epd", "chess960.epd", "deep.epd"})
    expect_agreement(suite, kIsFastBuild ? "3" : "2", "1000000");
}

TEST_F(BisectStockfish, SlowAgreesOnTheSuites) {
  for (const char* suite : {"classic.epd", "tricky.epd", "chess960.epd", "deep.epd"})
    expect_agreement(suite, "5", kIsFastBuild ? "200000000" : "100000");
}

TEST_F(BisectStockfish, AgreesWithItsOwnStandIn) {
  const ProcessResult result = bisect("'" + perft_command() + "' uci");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace manyply

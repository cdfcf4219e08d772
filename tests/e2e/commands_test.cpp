// Tests `perft suite`, `gen`, `stats`, `estimate` and `unique` as a shell runs them.
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>

#include "tests/e2e/perft.h"
#include "tests/support/budget.h"
#include "tests/support/eventually.h"
#include "tests/support/oracle.h"

namespace manyply {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;
namespace fs = std::filesystem;

constexpr std::string_view kGood =
    "# Standard and Chess960\n"
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400;D3 8902\n"
    "\n"
    "  kiwipete\t;D1 48 ; D2 2039   # named\r\n"
    "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w CFcf - ;D1 19 ;D2 361\n";
constexpr std::string_view kBad =
    "startpos ;D1 20 ;D2 401\n"
    "kiwipete ;D2 2039\n"
    "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1 ;D4 92202\n";

TEST(Suite, ExitsZeroWhenAllCountsMatch) {
  EXPECT_THAT(printed({"suite", "-"}, kGood),
              MatchesRegex(
                  "standard input: 3 positions, 7 counts match, 0 differ, 0 skipped, [0-9.]+ s\n"));
}

TEST(Suite, NamesLineDepthAndBothValuesOfEachDifference) {
  const ProcessResult result = perft({"suite", "-"}, kBad);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("line 1, depth 2: expected 401, counted 400  startpos\n"));
  EXPECT_THAT(
      result.out,
      HasSubstr("line 3, depth 4: expected 92202, counted 92197  4k3/8/8/8/8/5b2/7R/4K2R b K"));
  EXPECT_THAT(result.out, HasSubstr("2 counts match, 2 differ, 0 skipped"));
}

TEST(Suite, CsvListsEveryCountAndJsonTheDifferences) {
  const ProcessResult csv = perft({"suite", "-", "--format", "csv"}, kBad);
  EXPECT_EQ(csv.exit_code, 1);
  EXPECT_EQ(csv.out,
            "line,depth,expected,nodes,verdict\n1,1,20,20,match\n1,2,401,400,mismatch\n"
            "2,2,2039,2039,match\n3,4,92202,92197,mismatch\n");
  const auto json = perft_json({"suite", "-"}, 1, kBad);
  EXPECT_EQ(json["matches"], 2);
  EXPECT_EQ(json["mismatches"], 2);
  EXPECT_EQ(json["differences"][1]["line"], 3);
  EXPECT_EQ(json["differences"][1]["expected"], "92202");
  EXPECT_EQ(json["differences"][1]["nodes"], "92197");
}

TEST(Suite, AUtf8MarkIsNoPartOfThePosition) {
  EXPECT_THAT(printed({"suite", "-"}, "\xEF\xBB\xBFstartpos ;D1 20\r\n"),
              MatchesRegex("standard input: 1 position, 1 count matches, .*\n"));
  // A byte order mark in the middle, as when files are joined.
  EXPECT_THAT(perft({"suite", "-"}, "startpos ;D1 20\n\xEF\xBB\xBFstartpos ;D1 20\n").out,
              MatchesRegex("standard input: 2 positions, 2 counts match, .*\n"));
}

TEST(Suite, LimitsSkipCounts) {
  EXPECT_THAT(perft({"suite", "-", "--max-nodes", "400"}, kGood).out,
              HasSubstr("5 counts match, 0 differ, 2 skipped"));
  EXPECT_THAT(perft({"suite", "-", "--max-depth", "1"}, kGood).out,
              HasSubstr("3 counts match, 0 differ, 4 skipped"));
  EXPECT_EQ(perft({"suite", "-", "--max-nodes", "400"}, kBad).exit_code, 0);
}

TEST(Suite, ReadsTheProjectsOwnFiles) {
  const ProcessResult built_in = perft({"suite", "classic", "tricky", "chess960", "deep", "corpus",
                                        "--max-nodes", "2000", "--format", "csv"});
  EXPECT_EQ(built_in.exit_code, 0) << built_in.out << built_in.err;
  std::vector<std::string> files{"suite", "--max-nodes", "2k", "--format", "csv"};
  std::string expected = built_in.out;
  for (const std::string name : {"classic", "tricky", "chess960", "deep", "corpus"}) {
    const std::string file = MANYPLY_SOURCE_DIR "/tools/suites/" + name + ".epd";
    files.push_back(file);
    for (std::size_t at = 0; (at = expected.find('\n' + name + ',', at)) != std::string::npos;)
      expected.replace(at + 1, name.size(), file);
  }
  EXPECT_EQ(perft(files).out, expected);
}

TEST(Suite, TakesSeveralFilesAndOtherPeoplesNotations) {
  const ProcessResult result = perft({"suite", "-", "classic", "--max-nodes", "400"},
                                     "startpos ;d1 20 ;d2 401\nkiwipete,48,2039\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, MatchesRegex("standard input: 2 positions, 2 counts match, 0 differ, 2 "
                                       "skipped, .* s\nclassic: 6 positions, .*\n"));
  const ProcessResult wrong =
      perft({"suite", "-", "classic", "--max-nodes", "401"}, "startpos ;d1 20 ;d2 401\n");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.out,
              ::testing::StartsWith("standard input line 1, depth 2: expected 401, counted 400"));
  expect_refusal(perft({"suite", "clasic"}),
                 "clasic: No such file or directory; did you mean 'classic'?");
  expect_refusal(perft({"suite"}),
                 "without --engine, FILES is required; 'perft suite --help' has examples");
  // All files are read before anything is counted.
  expect_refusal(perft({"suite", "-", "/no/such.epd"}, "startpos ;D1 20\n"),
                 "/no/such.epd: No such file or directory");
}

TEST(Suite, WhatCannotBeReadIsAnErrorBeforeAnythingIsCounted) {
  expect_refusal(perft({"suite", "/no/such.epd"}), "/no/such.epd: No such file or directory");
  expect_refusal(perft({"suite", "/"}), "/: Is a directory");
  expect_refusal(perft({"suite", "/dev/null"}), "/dev/null: contains no positions");
  expect_refusal(perft({"suite", "-"}, "# nothing\n\n"), "standard input: contains no positions");
  expect_refusal(perft({"suite", "-"}, "# one\nstartpos ;D1 x\n"),
                 "standard input:2: count: 'x' is not a whole number (column 14)");
  expect_refusal(perft({"suite", "-"}, "startpos,7\n"),
                 "standard input:1: count: '7' is neither the count at depth 1 (correct: 20) nor a "
                 "depth and its nodes; name the columns in a header such as 'fen,depth,nodes' or "
                 "'fen,D1,D2' (column 10)");
}

constexpr std::string_view kOneRefused =
    "startpos ;D1 20\n3Pk3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5\nkiwipete ;D1 48\n";
constexpr const char* kWhy = "perft: standard input:2: placement: a pawn on d8 (column 2)\n";

TEST(Suite, OneRefusedPositionIsToldAndTheOthersAreCounted) {
  const ProcessResult text = perft({"suite", "-"}, kOneRefused);
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_EQ(text.err, kWhy);
  EXPECT_THAT(text.out, MatchesRegex("standard input: 2 positions, 2 counts match, 0 differ, 0 "
                                     "skipped, 1 line refused, [0-9.]+ s\n"));

  const ProcessResult json_form = perft({"suite", "-", "--format", "json"}, kOneRefused);
  EXPECT_EQ(json_form.exit_code, 2);
  EXPECT_EQ(json_form.err, kWhy);
  const auto json = nlohmann::json::parse(json_form.out);
  EXPECT_EQ(json["matches"], 2);
  EXPECT_EQ(json["refusals"][0]["line"], 2);
  EXPECT_EQ(json["refusals"][0]["column"], 2);

  const ProcessResult csv = perft({"suite", "-", "--format", "csv"}, kOneRefused);
  EXPECT_EQ(csv.exit_code, 2);
  EXPECT_EQ(csv.out,
            "line,depth,expected,nodes,verdict\n2,,,,refused\n1,1,20,20,match\n3,1,48,48,match\n");

  // If a suite has differences and unreadable lines, the differences decide the exit code, because
  // the unreadable lines may be right.
  const ProcessResult both = perft({"suite", "-", "classic", "--max-nodes", "50"},
                                   std::string(kOneRefused) + "startpos ;D1 21\n");
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_THAT(both.out, HasSubstr("\nclassic: 6 positions, "));
}

TEST(Suite, ThreeNumbersAreNotThreeFalseDifferences) {
  const ProcessResult result =
      perft({"suite", "-"}, "startpos,3,8902\nkiwipete,2,2039\nposition3,4,43238\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "perft: standard input: line 1 read as CSV: fen, depth, nodes\n");
  EXPECT_THAT(result.out, HasSubstr(": 3 positions, 3 counts match, 0 differ,"));
}

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

TEST(Stats, EveryFormatSaysTheSame) {
  EXPECT_THAT(
      printed({"stats", "4", "--fen", "kiwipete", "--format", "csv"}),
      EndsWith("\ntotal,4085603,757163,1929,128013,15172,25432,42,6,0,43,0,0,0,25480,43\n"));
  const auto json = perft_json({"stats", "4", "--fen", "kiwipete"});
  EXPECT_EQ(json["captures"], "757163");
  EXPECT_EQ(json["discovered_checks"], "42");
  EXPECT_EQ(json["known"], "match");
  EXPECT_EQ(json["divide"].size(), 48U);
  const std::string text = perft({"stats", "4", "--fen", "kiwipete", "--divide"}).out;
  EXPECT_THAT(text, HasSubstr("checks, no mate      25480  (25,480)\n"));
  EXPECT_THAT(text, HasSubstr("checks with mates    25523  (25,523)\n"));
  EXPECT_THAT(text, HasSubstr("\ne1g1 "));
}

TEST(Stats, CtrlCLeavesNoPartialResult) {
  expect_interrupted(interrupt({"stats", "11", "--progress", "json", "--hash", "64M"}));
}

TEST(Stats, RefusesWhatCountRefuses) {
  expect_refusal(perft({"stats", "4", "--hash", "off", "--key-seed", "3"}),
                 "--key-seed: has no effect without a table");
  EXPECT_EQ(perft({"stats", "many"}).err, perft({"count", "many"}).err);
}

TEST(Estimate, TellsTheIntervalAndThePublishedCount) {
  const std::vector<std::string> words{"estimate", "8", "--samples", "200", "--seed", "3"};
  EXPECT_THAT(printed(words), HasSubstr("\npublished  84998978956, "));
  const auto json = perft_json(words);
  EXPECT_EQ(json["published"], "84998978956");
  EXPECT_LT(json["low"], json["estimate"]);
  EXPECT_GT(json["high"], json["estimate"]);
  const auto exact = perft_json({"estimate", "3"});
  EXPECT_EQ(exact["estimate"], 8902);
  EXPECT_EQ(exact["exact"], true);
}

TEST(Estimate, CtrlCAndUsage) {
  expect_refusal(perft({"estimate", "8", "--samples", "5"}),
                 "--samples: '5' is not a whole number from 100 to 1000000000000");
  expect_interrupted(
      interrupt({"estimate", "20", "--samples", "1000000000", "--progress", "json"}));
}

TEST(Estimate, WarnsOfAnIntervalThatNobodyShouldRelyOn) {
  const std::vector<std::string> few{"estimate", "64", "--samples", "100", "--threads", "2"};
  EXPECT_THAT(perft(few).out, HasSubstr("\nwarning    the samples differ too much"));
  EXPECT_EQ(perft_json(few)["reliable"], false);
  for (const char* depth : {"3", "9"}) {
    EXPECT_THAT(perft({"estimate", depth, "--samples", "1000"}).out,
                ::testing::Not(HasSubstr("warning")))
        << depth;
  }
}

/// Has a folder that is removed at the end.
class UniqueCommand : public ::testing::Test {
 protected:
  UniqueCommand()
      : directory_(fs::temp_directory_path() / ("manyply_unique_" + std::to_string(::getpid()))) {
    fs::create_directory(directory_);
  }
  ~UniqueCommand() override { fs::remove_all(directory_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_ / name).string();
  }

  fs::path directory_;
};

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST_F(UniqueCommand, Tables) {
  const std::string text = printed({"unique", "3"});
  EXPECT_THAT(text, StartsWith("  ply       distinct "));
  EXPECT_EQ(std::ranges::count(text, '\n'), 5);
  EXPECT_THAT(text, HasSubstr("\n    3           5362                     8902     match "));
  EXPECT_EQ(perft({"unique", "4", "--format", "csv"}).out,
            "ply,distinct,paths\n0,1,1\n1,20,20\n2,400,400\n3,5362,8902\n4,72078,197281\n");
  const auto json = perft_json({"unique", "2", "--fen", "kiwipete"});
  EXPECT_THAT(json["fen"], StartsWith("r3k2r/"));
  EXPECT_EQ(json["plies"][2]["distinct"], "2038");
  EXPECT_EQ(json["plies"][2]["paths"], "2039");
  EXPECT_EQ(json["plies"][2]["known"], "unknown");
}

TEST_F(UniqueCommand, WritesPositions) {
  const std::string file = path("positions.epd");
  const ProcessResult to_file = perft({"unique", "2", "--epd", file, "--format", "csv"});
  EXPECT_EQ(to_file.exit_code, 0);
  EXPECT_THAT(to_file.out, EndsWith("2,400,400\n"));
  const std::string positions = text_of(file);
  EXPECT_EQ(std::ranges::count(positions, '\n'), 400);
  EXPECT_THAT(positions,
              HasSubstr("\nr1bqkbnr/pppppppp/n7/8/8/N7/PPPPPPPP/R1BQKBNR w KQkq - paths 1;\n"));
  const ProcessResult to_stdout = perft({"unique", "2", "--epd", "-", "--threads", "1"});
  EXPECT_EQ(to_stdout.out, positions);
  EXPECT_THAT(to_stdout.err, HasSubstr(" 400 "));
  const auto castling = [](const char* depth) {
    return perft({"unique", depth, "--fen", "5k2/8/8/8/8/8/8/R3K3 w Q - 3 9", "--chess960", "--epd",
                  "-"})
        .out;
  };
  EXPECT_THAT(castling("1"), HasSubstr("5k2/8/8/8/8/8/8/2KR4 b - - paths 1;\n"));
  EXPECT_EQ(castling("0"), "5k2/8/8/8/8/8/8/R3K3 w A - paths 1;\n");
  EXPECT_THAT(castling("3"), HasSubstr("8/5k2/8/8/8/8/8/R3K3 b - - paths 14;\n"));
  EXPECT_TRUE(fs::remove(file));
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(UniqueCommand, LeavesNothingBehindAfterCtrlC) {
  const ProcessResult result = interrupt(
      {"unique", "6", "--memory", "400M", "--progress", "json", "--epd", path("positions.epd")});
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_THAT(result.err, EndsWith("perft: interrupted\n"));
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(UniqueCommand, Refusals) {
  for (const char* size : {"off", "1023K"})
    expect_refusal(perft({"unique", "4", "--memory", size}), "--memory: must be at least 1M");
  expect_refusal(perft({"unique", "4", "--memory", "many"}),
                 "--memory: 'many' is not a size such as 512M, 1.5G or off");
  const ProcessResult full = perft({"unique", "3", "--epd", "/dev/full"});
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_EQ(full.err, "perft: --epd: /dev/full: No space left on device\n");
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(UniqueCommand, KilledAgainAndAgainItGoesOn) {
  const std::string file = path("positions.ckpt");
  const std::vector<std::string> words{
      "unique",  kIsFastBuild ? "7" : "5", "--memory", "100M", "--checkpoint", file, "--kernel",
      "portable"};
  const auto size = [&] { return fs::exists(file) ? fs::file_size(file) : 0; };
  for (int kill = 0; kill < 4; ++kill) {
    Process process(perft_argv(words));
    const std::uintmax_t before = size();
    ASSERT_TRUE(eventually([&] { return size() > before + 200 || process.has_ended(); }));
    process.signal(SIGKILL);
    process.finish();
  }
  EXPECT_GT(size(), 800U);
  const ProcessResult done = perft(words);
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(
      done.out,
      HasSubstr(kIsFastBuild ? "\n    7       96400068               3195901860     match "
                             : "\n    5         822518                  4865609     match "));
  const ProcessResult other = perft({"unique", "6", "--checkpoint", file});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("holds another count: distinct positions of "));
}

TEST_F(UniqueCommand, SaysWhatItWillTake) {
  const ProcessResult little = perft({"unique", "6", "--memory", "4M", "--checkpoint", path("c")});
  EXPECT_EQ(little.exit_code, 0);
  EXPECT_THAT(little.err,
              ::testing::MatchesRegex("perft: ply 6, about .* positions: up to .* MiB of "
                                      "memory, in [0-9]+ parts.*\n"));
  EXPECT_TRUE(fs::remove(path("c")));
  EXPECT_EQ(perft({"unique", "5"}).err, "");
  const ProcessResult kept = perft({"unique", "7", "--memory", "1M", "--checkpoint", path("c")});
  EXPECT_EQ(kept.exit_code, 2);
  EXPECT_THAT(kept.err, ::testing::MatchesRegex("perft: --memory: .*; the limit is 1 MiB\n"));
  fs::remove(path("c"));
  const ProcessResult one_by_one = perft({"unique", "4", "--memory", "2M", "--epd", "/dev/null"});
  EXPECT_EQ(one_by_one.exit_code, 0);
  EXPECT_THAT(one_by_one.err, ::testing::MatchesRegex(
                                  "perft: ply 4, about .* positions, one by one: up to 2 MiB of "
                                  "memory, in [0-9]+ passes.*\n"));
  expect_refusal(perft({"unique", "4", "--checkpoint", path("c")}),
                 "--checkpoint: supports depths from 5 on; smaller depths take no time");
  expect_refusal(
      perft({"unique", "5", "--checkpoint", path("c"), "--epd", "-"}),
      "--checkpoint: cannot be combined with --epd, because a checkpoint cannot store positions");
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(UniqueCommand, AClosedPipeEndsItQuietly) {
  for (std::vector<std::string> words : {std::vector<std::string>{"unique", "9"},
                                         {"unique", "4", "--epd", "-", "--format", "csv"}}) {
    words.insert(words.end(), {"--memory", "64M"});
    Process process(perft_argv(words), Process::Stdout::kClosedPipe);
    EXPECT_EQ(process.finish().exit_code, 0);
  }
}

}  // namespace
}  // namespace manyply

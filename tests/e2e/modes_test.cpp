// Tests `perft stats`, `perft estimate` and `perft unique` as a shell runs them.
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tests/e2e/perft.h"
#include "tests/support/budget.h"
#include "tests/support/eventually.h"

namespace manyply {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

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

// Tests `perft estimate` as a shell runs it.

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

// Tests `perft unique` as a shell runs it.

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

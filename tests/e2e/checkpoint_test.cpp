#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "core/fen.h"
#include "tests/e2e/perft.h"
#include "tests/support/budget.h"
#include "tests/support/eventually.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;

class Checkpoint : public testing::Test {
 protected:
  Checkpoint()
      : file_(std::filesystem::temp_directory_path() /
              ("manyply-e2e-" + std::to_string(getpid()) + ".ckpt")) {
    std::filesystem::remove(file_);
  }
  ~Checkpoint() override { std::filesystem::remove(file_); }

  ProcessResult count(const char* depth, std::vector<std::string> more = {}) {
    return kept("count", depth, std::move(more));
  }
  nlohmann::json kept_json(const char* command, const char* depth,
                           std::vector<std::string> more = {}) {
    more.insert(more.begin(), {command, depth, "--checkpoint", file_});
    return perft_json(std::move(more));
  }
  ProcessResult kept(const char* command, const char* depth, std::vector<std::string> more = {}) {
    std::vector<std::string> words{command, depth, "--checkpoint", file_, "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return perft(words);
  }

  std::uintmax_t size() const {
    return std::filesystem::exists(file_) ? std::filesystem::file_size(file_) : 0;
  }

  const std::filesystem::path file_;
};

TEST_F(Checkpoint, ASecondRunFindsEverything) {
  const auto first = kept_json("divide", "6");
  EXPECT_EQ(first["resumed_units"], 0);
  const auto second = kept_json("divide", "6", {"--threads", "1", "--hash", "off"});
  EXPECT_EQ(first["divide"].size(), 20U);
  EXPECT_EQ(second["nodes"], "119060324");
  EXPECT_EQ(second["resumed_units"], second["units"]);
  EXPECT_EQ(second["divide"], first["divide"]);
}

TEST_F(Checkpoint, KeepsStatisticsToo) {
  const auto first = kept_json("stats", "5");
  EXPECT_EQ(first["resumed_units"], 0);
  std::filesystem::resize_file(file_, size() - 5);
  const ProcessResult damaged = kept("stats", "5", {"--hash", "off"});
  EXPECT_THAT(damaged.err, HasSubstr("damaged"));
  const auto second = nlohmann::json::parse(damaged.out);
  EXPECT_EQ(second["resumed_units"], second["units"].get<int>() - 1);
  EXPECT_EQ(second["captures"], "82719");
  EXPECT_EQ(second["divide"], first["divide"]);
  EXPECT_THAT(count("5").err, HasSubstr("holds another count: move statistics of perft(5) of "));
}

TEST_F(Checkpoint, KilledAgainAndAgainTheTotalIsTheSame) {
  std::mt19937 random(1);
  const char* const depth = kIsFastBuild ? "7" : "6";
  const auto whole = perft_json({"divide", depth});
  int kills = 0;
  for (; kills < (kIsFastBuild ? 20 : 5); ++kills) {
    Process process(perft_argv(
        {"count", depth, "--checkpoint", file_, "--hash", "64K", "--kernel", "portable"}));
    const std::uintmax_t before = size();
    ASSERT_TRUE(eventually([&] { return size() > before + 200 || process.has_ended(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 20));
    process.signal(SIGKILL);
    process.finish();
  }
  const auto resumed = kept_json("divide", depth);
  EXPECT_EQ(resumed["nodes"], kIsFastBuild ? "3195901860" : "119060324");
  EXPECT_EQ(resumed["divide"], whole["divide"]);
  EXPECT_GT(resumed["resumed_units"], 0);
}

/// Arguments of a count by configurations in parts.
std::vector<std::string> in_parts(std::vector<std::string> more) {
  more.insert(more.begin(), {"--method", "configurations"});
  return more;
}

/// Kills a count in parts `kills` times: two times of three after the count has stored a part,
/// otherwise at a random time. Then counts to the end.
nlohmann::json count_killed(const std::filesystem::path& file, const char* depth,
                            const std::vector<std::string>& how, int kills,
                            std::chrono::milliseconds longest) {
  std::mt19937 random(2);
  const auto size = [&file] {
    return std::filesystem::exists(file) ? std::filesystem::file_size(file) : 0;
  };
  std::vector<std::string> words{"count", depth, "--checkpoint", file};
  words.insert(words.end(), how.begin(), how.end());
  for (int kill = 0; kill < kills; ++kill) {
    std::vector<std::string> here = words;
    here.insert(here.end(), {"--kernel", kill % 2 == 0 ? "auto" : "portable", "--threads",
                             std::to_string(1 + kill % 3)});
    Process process(perft_argv(here));
    const std::uintmax_t before = size();
    if (kill % 3 != 0) {
      EXPECT_TRUE(eventually([&] { return size() > before || process.has_ended(); }));
    }
    std::this_thread::sleep_for(longest * (random() % 100) / 100);
    process.signal(SIGKILL);
    process.finish();
  }
  return perft_json(words);
}

TEST_F(Checkpoint, PartsSurviveKills) {
  using std::chrono::milliseconds;
  const auto resumed = count_killed(file_, kIsFastBuild ? "7" : "5", in_parts({"--parts", "60"}),
                                    12, milliseconds(30));
  EXPECT_EQ(resumed["nodes"], kIsFastBuild ? "3195901860" : "4865609");
  EXPECT_EQ(resumed["known"], "match");
  EXPECT_EQ(resumed["method"], "configurations");
  EXPECT_GT(resumed["resumed_units"], 0);
  EXPECT_GE(resumed["units"], resumed["resumed_units"]);
  EXPECT_EQ(resumed["matrix"]["rows"],
            kept_json("count", kIsFastBuild ? "7" : "5", in_parts({}))["matrix"]["rows"]);
}

TEST_F(Checkpoint, PartsSurviveAHundredKillsSlow) {
  using std::chrono::milliseconds;
  const auto resumed = count_killed(file_, "10", in_parts({"--parts", "60", "--memory", "1500M"}),
                                    100, milliseconds(1500));
  EXPECT_EQ(resumed["nodes"], "69352859712417");
  EXPECT_GT(resumed["resumed_units"], 0);
}

TEST_F(Checkpoint, PartsGoOnInOtherMemoryWithTheShareThatIsDone) {
  const auto first = kept_json("count", "6", in_parts({"--parts", "9"}));
  EXPECT_EQ(first["units"], 9);
  EXPECT_EQ(first["resumed_units"], 0);
  EXPECT_EQ(first["matrix"]["parts"], 9);
  EXPECT_FALSE(first.contains("divide"));
  const std::uintmax_t whole = size();
  constexpr int kRecordBytes = 56;
  std::filesystem::resize_file(file_, whole - 3 * kRecordBytes - 1);
  const ProcessResult result = perft({"count", "6", "--method", "configurations", "--checkpoint",
                                      file_, "--parts", "2", "--memory", "128M", "--threads", "1"});
  EXPECT_THAT(result.err, HasSubstr("damaged"));
  EXPECT_THAT(result.err, HasSubstr("9 parts, 5 of them"));
  EXPECT_THAT(result.out, HasSubstr("119,060,324"));
  EXPECT_THAT(result.out, HasSubstr("resumed    5 of 9 parts, "));
  EXPECT_EQ(size(), whole);
}

TEST_F(Checkpoint, PartsOfAnotherCountAreRefused) {
  ASSERT_EQ(count("5", in_parts({})).exit_code, 0);
  const std::string held = "perft(5) of " + std::string(kStartFen);
  const std::uintmax_t whole = size();
  for (const ProcessResult& result :
       {count("6", in_parts({})), count("6"), count("5", in_parts({"--fen", "kiwipete"})),
        count("5", {"--method", "hashed"})}) {
    expect_refusal(result, "checkpoint: " + file_.string() + ": holds another count: " + held +
                               " by configurations");
  }
  EXPECT_EQ(size(), whole);
  std::fstream(file_, std::ios::in | std::ios::out | std::ios::binary).seekp(5'000).put('\x7F');
  expect_refusal(count("5", in_parts({})),
                 "checkpoint: " + file_.string() + ": has a damaged header");
  std::filesystem::remove(file_);
  ASSERT_EQ(count("5", {"--method", "hashed"}).exit_code, 0);
  expect_refusal(count("5", in_parts({})), "checkpoint: " + file_.string() + ": holds " + held +
                                               ", counted by another method");
}

TEST_F(Checkpoint, TheMethodIsChosenAsWithoutIt) {
  const auto method_of = [&](const char* depth, std::vector<std::string> more = {}) {
    return kept_json("count", depth, std::move(more))["method"];
  };
  EXPECT_EQ(method_of("6"), "configurations");
  EXPECT_EQ(method_of("6"), "configurations");  // goes on
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--divide"}, {"--hash", "1M"}, {"--method", "hashed"}}) {
    std::filesystem::remove(file_);
    EXPECT_EQ(method_of("6", more), "hashed") << more.front();
    EXPECT_EQ(method_of("6"), "hashed") << "a hashed count goes on, " << more.front();
  }
  std::filesystem::remove(file_);
  EXPECT_EQ(method_of("4"), method_of("4", {"--method", "hashed"}));
}

TEST_F(Checkpoint, ADamagedTailIsCountedAgainWithAWarning) {
  ASSERT_EQ(count("6").exit_code, 0);
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) - 5);
  const ProcessResult result = count("6");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("damaged"));
  EXPECT_EQ(nlohmann::json::parse(result.out)["nodes"], "119060324");
}

TEST_F(Checkpoint, ItsNameReachesNoTerminalAsItIs) {
  const std::filesystem::path file = file_.string() + "\x1b[31m";
  std::string errors;
  for (int run = 0; run < 2; ++run) {
    errors = perft({"count", "4", "--checkpoint", file}).err;
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 5);
  }
  std::filesystem::remove(file);
  EXPECT_THAT(errors, HasSubstr(".ckpt\\x1B[31m: the last "));
}

TEST_F(Checkpoint, CtrlCSaysThatTheSameCommandGoesOn) {
  for (const auto& [command, depth] : {std::pair{"count", "9"}, {"stats", "8"}}) {
    std::filesystem::remove(file_);
    Process process(perft_argv({command, depth, "--checkpoint", file_, "--hash", "1M"}));
    ASSERT_TRUE(eventually([&] { return size() >= 200; }));
    process.signal(SIGINT);
    const ProcessResult result = process.finish();
    expect_interrupted(result);
    EXPECT_EQ(result.err,
              "perft: checkpoint: " + file_.string() +
                  ": the finished part is stored; run the same command again to continue\n"
                  "perft: interrupted\n");
  }
}

TEST_F(Checkpoint, AnotherJobsFileIsRefusedAndKept) {
  ASSERT_EQ(count("5", {"--method", "hashed"}).exit_code, 0);
  const auto before = size();
  for (const ProcessResult& result :
       {count("6"), count("5", {"--fen", "kiwipete"}), count("5", {"--key-bits", "40"})}) {
    expect_refusal(result, "checkpoint: " + file_.string() + ": holds another count: perft(5) of " +
                               std::string(kStartFen));
  }
  EXPECT_EQ(size(), before);
}

TEST(Placement, PinnedAndInterleavedTheCountIsTheSame) {
  const ProcessResult result =
      perft({"count", "6", "--pin", "--interleave", "--threads", "2", "--format", "csv"});
  if (result.exit_code == 2) GTEST_SKIP() << result.err;  // a system may refuse to interleave
  EXPECT_THAT(result.out, HasSubstr("total,119060324\n"));
}

}  // namespace
}  // namespace manyply

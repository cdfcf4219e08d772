// Tests `perft stats` as a shell runs it.
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/e2e/perft.h"

namespace manyply {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(Stats, EveryFormatSaysTheSame) {
  const ProcessResult csv = perft({"stats", "4", "--fen", "kiwipete", "--format", "csv"});
  EXPECT_EQ(csv.exit_code, 0);
  EXPECT_THAT(
      csv.out,
      EndsWith("\ntotal,4085603,757163,1929,128013,15172,25432,42,6,0,43,0,0,0,25480,43\n"));
  const auto json =
      nlohmann::json::parse(perft({"stats", "4", "--fen", "kiwipete", "--format", "json"}).out);
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
  Process process(perft_argv({"stats", "11", "--progress", "json", "--hash", "64M"}));
  ASSERT_TRUE(process.wait_for_error_output("\"event\""));
  process.signal(SIGINT);
  const ProcessResult result = process.finish();
  expect_interrupted(result);
}

TEST(Stats, RefusesWhatCountRefuses) {
  expect_refusal(perft({"stats", "4", "--hash", "off", "--key-seed", "3"}),
                 "--key-seed: has no effect without a table");
  EXPECT_EQ(perft({"stats", "many"}).err, perft({"count", "many"}).err);
}

}  // namespace
}  // namespace manyply

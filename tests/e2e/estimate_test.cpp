// Tests `perft estimate` as a shell runs it.
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/e2e/perft.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;

TEST(Estimate, TellsTheIntervalAndThePublishedCount) {
  const ProcessResult text = perft({"estimate", "8", "--samples", "200", "--seed", "3"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, HasSubstr("\npublished  84998978956, "));
  const auto json = nlohmann::json::parse(
      perft({"estimate", "8", "--samples", "200", "--seed", "3", "--format", "json"}).out);
  EXPECT_EQ(json["published"], "84998978956");
  EXPECT_LT(json["low"], json["estimate"]);
  EXPECT_GT(json["high"], json["estimate"]);
  const auto exact = nlohmann::json::parse(perft({"estimate", "3", "--format", "json"}).out);
  EXPECT_EQ(exact["estimate"], 8902);
  EXPECT_EQ(exact["exact"], true);
}

TEST(Estimate, CtrlCAndUsage) {
  expect_refusal(perft({"estimate", "8", "--samples", "5"}),
                 "--samples: '5' is not a whole number from 100 to 1000000000000");
  Process process(perft_argv({"estimate", "20", "--samples", "1000000000", "--progress", "json"}));
  ASSERT_TRUE(process.wait_for_error_output("\"event\""));
  process.signal(SIGINT);
  const ProcessResult result = process.finish();
  expect_interrupted(result);
}

TEST(Estimate, WarnsOfAnIntervalThatNobodyShouldRelyOn) {
  const std::vector<std::string> few{"estimate", "64", "--samples", "100", "--threads", "2"};
  EXPECT_THAT(perft(few).out, HasSubstr("\nwarning    the samples differ too much"));
  std::vector<std::string> as_json = few;
  as_json.insert(as_json.end(), {"--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(perft(as_json).out)["reliable"], false);
  for (const char* depth : {"3", "9"}) {
    const ProcessResult fine = perft({"estimate", depth, "--samples", "1000"});
    EXPECT_THAT(fine.out, ::testing::Not(HasSubstr("warning"))) << depth;
  }
}

}  // namespace
}  // namespace manyply

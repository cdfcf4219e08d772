// Tests `perft estimate` as a shell runs it.
#include "tests/e2e/perft.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace manyply

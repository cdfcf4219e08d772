// Tests `perft stats` as a shell runs it.
#include "tests/e2e/perft.h"

namespace manyply {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace manyply

// Tests the output about campaigns, without a database.
#include "tools/campaign/campaign_format.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace manyply {
namespace {

using nlohmann::json;
using testing::ElementsAre;

json rates_of(const std::vector<CountedPart>& history) {
  return json::parse(campaign_view({}, {}, {}, history, {}).rate);
}

TEST(CampaignFormat, LeavesOfAPartAreSpreadOverItsTime) {
  const json rates = rates_of(
      {{.begin = 100, .end = 120, .leaves = 60}, {.begin = 115, .end = 125, .leaves = 20}});
  EXPECT_EQ(rates["step_seconds"], 10);
  EXPECT_THAT(rates["leaves_per_second"], ElementsAre(3, 4, 1));
}

TEST(CampaignFormat, LongCampaignsHaveLongerSteps) {
  const json rates = rates_of({{.begin = 0, .end = 2400, .leaves = 4800}});
  EXPECT_EQ(rates["step_seconds"], 20);
  EXPECT_EQ(rates["leaves_per_second"].size(), 120U);
  EXPECT_EQ(rates["leaves_per_second"][119], 2);
}

TEST(CampaignFormat, WithoutPartsThereAreNoRates) {
  EXPECT_THAT(rates_of({})["leaves_per_second"], testing::IsEmpty());
}

json status_of(const CampaignStatus& status) {
  return json::parse(status_output(status, {}, Format::kJson));
}

TEST(CampaignFormat, TimeLeftIsThatOfTheWorkersThatCountNow) {
  CampaignStatus status;
  status.passes[0] = {.weight = 1, .weight_done = 0.25};
  status.passes[1] = {.weight = 0.5, .weight_done = 0};
  EXPECT_TRUE(status_of(status)["seconds_left"].is_null());
  status.seconds = 100;
  status.leaves = 4000;
  EXPECT_TRUE(status_of(status)["seconds_left"].is_null()) << "nobody counts";
  status.workers_counting = 2;
  EXPECT_EQ(status_of(status)["seconds_left"], 250);
  EXPECT_EQ(status_of(status)["leaves_per_second"], 80);
}

}  // namespace
}  // namespace manyply

// What is printed of a campaign, without a database.
#include "tools/campaign/campaign_format.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace manyply {
namespace {

using nlohmann::json;
using testing::ElementsAre;

json rates_of(const CampaignHistory& history, CampaignState state) {
  CampaignStatus status;
  status.campaign.state = state;
  return json::parse(campaign_view(status, {}, {}, history, {}).rate);
}

TEST(CampaignFormat, RatesAreOfSlotsThatAreOver) {
  const CampaignHistory history{.leaves = {{100, 50.0}, {102, 20.0}}, .now = 102};
  const json running = rates_of(history, CampaignState::kRunning);
  EXPECT_EQ(running["step_seconds"], CampaignHistory::kSlotSeconds);
  EXPECT_THAT(running["leaves_per_second"], ElementsAre(5, 0)) << "the third is not over";
  EXPECT_THAT(rates_of(history, CampaignState::kDone)["leaves_per_second"], ElementsAre(5, 0, 2));
}

TEST(CampaignFormat, LongCampaignsHaveLongerSteps) {
  const CampaignHistory history{.leaves = {{0, 60.0}, {239, 20.0}}, .now = 240};
  const json rates = rates_of(history, CampaignState::kRunning);
  EXPECT_EQ(rates["step_seconds"], 2 * CampaignHistory::kSlotSeconds);
  EXPECT_EQ(rates["leaves_per_second"].size(), 120U);
  EXPECT_EQ(rates["leaves_per_second"][0], 3);
  EXPECT_EQ(rates["leaves_per_second"][119], 1);
}

TEST(CampaignFormat, AClockThatWasSetBackHidesTheRates) {
  const CampaignHistory history{.leaves = {{100, 50.0}}, .now = 90};
  EXPECT_THAT(rates_of(history, CampaignState::kRunning)["leaves_per_second"], testing::IsEmpty());
}

}  // namespace
}  // namespace manyply

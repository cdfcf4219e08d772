// Tests campaigns over HTTP with a database, but without sockets.
#include "tests/support/eventually.h"
#include "tests/tools/campaign/campaign_fixture.h"
#include "tests/tools/server/routes_fixture.h"
#include "tools/campaign/campaign_commands.h"

namespace manyply {
namespace {

using testing::ElementsAre;

class CampaignRoutes : public RoutesTest {
 protected:
  void SetUp() override {
    PostgresServer* const server = PostgresServer::get();
    if (server == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    address_ = server->conninfo("postgres");
    Postgres postgres = Postgres::connect({.conninfo = address_}, {}).value();
    ASSERT_EQ(postgres.execute("DROP SCHEMA IF EXISTS manyply CASCADE"), std::nullopt);
    ASSERT_TRUE(CampaignStore({.conninfo = address_}).init().ok());
  }
  void TearDown() override { routes_.reset(); }

  /// Returns the result of one new reading. Checks it against openapi.json, as all responses.
  json shown() {
    routes_.reset();
    auto reader = campaign_opener()(address_);
    watch_ = std::make_unique<CampaignWatch>(std::move(reader).value());
    start({.campaigns = watch_.get()});
    EXPECT_TRUE(eventually([&] { return get("/v1/campaigns").status == 200; }));
    return body_of(get("/v1/campaigns/small"));
  }

  std::string address_;
  std::unique_ptr<CampaignWatch> watch_;
};

TEST_F(CampaignRoutes, AreWhatTheDatabaseHolds) {
  CreatedCampaign small({.conninfo = address_}, 1);
  const std::int64_t first = small.join(small.worker(1));
  small.finish(first, *small.claim(first)->part);
  const Claim next = small.claim(first).value();

  const json begun = shown();
  EXPECT_EQ(begun["away"], false);
  EXPECT_EQ(begun["campaign"]["state"], "running");
  EXPECT_EQ(begun["campaign"]["pass0"]["parts_done"], 1);
  EXPECT_EQ(begun["campaign"]["lease_seconds"], small.campaign.lease_seconds);
  EXPECT_THAT(begun["strip"]["done"], ElementsAre(1, 0, 0, 0, 0, 0));
  EXPECT_THAT(begun["strip"]["counting"], ElementsAre(0, 1, 0, 0, 0, 0));
  EXPECT_THAT(begun["strip"]["to_verify"], ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(begun["strip"]["verified"], ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_EQ(begun["workers"][0]["state"], "counting");
  EXPECT_EQ(begun["workers"][0]["parts"], 1);

  small.finish(first, *next.part);
  small.finish_all(first);
  const std::int64_t second = small.join(small.worker(2));
  const Claim again = small.claim(second).value();
  EXPECT_EQ(shown()["strip"]["verifying"][0], 1);
  small.finish(second, *again.part);
  small.finish_all(second);
  const json done = shown();
  EXPECT_EQ(done["campaign"]["state"], "done");
  EXPECT_EQ(done["campaign"]["share_done"], 1);
  for (const char* part : {"done", "to_verify", "verified"})
    EXPECT_THAT(done["strip"][part], ElementsAre(1, 1, 1, 1, 1, 1)) << part;
  double leaves = 0;
  for (const json& rate : done["rate"]["leaves_per_second"])
    leaves += rate.get<double>() * done["rate"]["step_seconds"].get<double>();
  const double rounding = 10 * static_cast<double>(done["rate"]["leaves_per_second"].size()) * 0.5;
  EXPECT_NEAR(leaves, 2.0 * SmallCampaign::kNodes, rounding) << "counted twice";
}

TEST_F(CampaignRoutes, DisputesAreShown) {
  CreatedCampaign small({.conninfo = address_}, 1);
  const std::int64_t first = small.join(small.worker(1));
  small.finish_all(first);
  const std::int64_t second = small.join(small.worker(2));
  const Claim again = small.claim(second).value();
  ASSERT_TRUE(small.commit(second, small.counted_wrongly(*again.part)).ok());
  const json disputed = shown();
  EXPECT_EQ(disputed["campaign"]["state"], "disputed");
  ASSERT_EQ(disputed["campaign"]["disputes"].size(), 1U);
  EXPECT_THAT(disputed["campaign"]["disputes"][0]["workers"], ElementsAre(first, second));
}

TEST_F(CampaignRoutes, APasswordIsRefused) {
  EXPECT_THAT(campaign_opener()("host=/nowhere password=secret").error().to_string(),
              testing::Not(testing::HasSubstr("secret")));
}

}  // namespace
}  // namespace manyply

// Tests `perft serve --campaigns` with a database that stops and starts again.
#include "tests/e2e/campaigns.h"
#include "tests/e2e/server.h"
#include "tests/support/postgres_server.h"

namespace manyply {
namespace {

TEST(CampaignServe, ShowsThemWhileTheDatabaseComesAndGoes) {
  const auto database = PostgresServer::make();
  if (database == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
  const StateDir dir;
  database->crash();
  Server server(dir.path(), {"--campaigns-database", database->conninfo("postgres")});
  const auto list = [&] { return server.ask("GET", "/v1/campaigns"); };
  const HttpReply never = list();
  EXPECT_EQ(never.status, 503);
  EXPECT_THAT(never.head, testing::HasSubstr("application/problem+json"));
  EXPECT_EQ(server.ask("GET", "/readyz").status, 200);

  database->start();
  const Campaigns campaigns(database->conninfo("postgres"));
  ASSERT_EQ(campaigns.run({"init"}).exit_code, 0);
  ASSERT_EQ(campaigns.run({"create", "five", "5"}).exit_code, 0);
  ASSERT_TRUE(in_time([&] {
    const HttpReply reply = list();
    return reply.status == 200 && reply.json()["campaigns"].size() == 1;
  }));
  EXPECT_EQ(list().json()["campaigns"][0], campaigns.ask({"status", "five"}));

  database->crash();
  ASSERT_TRUE(in_time([&] { return list().json()["away"] == true; }));
  const HttpReply last = server.ask("GET", "/v1/campaigns/five");
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.json()["campaign"]["state"], "running");
  EXPECT_EQ(server.ask("GET", "/readyz").status, 200);
  database->start();
  ASSERT_TRUE(in_time([&] { return list().json()["away"] == false; }));
  EXPECT_EQ(campaigns.run({"work", "five"}).exit_code, 0);
  EXPECT_TRUE(in_time([&] {
    return server.ask("GET", "/v1/campaigns/five").json()["campaign"]["pass0"]["parts_done"] ==
           server.ask("GET", "/v1/campaigns/five").json()["campaign"]["pass0"]["parts"];
  }));
  EXPECT_EQ(server.terminate().exit_code, 0);
}

TEST(CampaignServe, WhatCannotBeADatabaseIsRefused) {
  const StateDir dir;
  const ProcessResult refused =
      run_process(perft_argv({"serve", "--listen", "127.0.0.1:0", "--state", dir.path().string(),
                              "--campaigns-database", "password=secret"}));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, testing::HasSubstr("--campaigns-database"));
  EXPECT_THAT(refused.err, testing::Not(testing::HasSubstr("secret")));
}

}  // namespace
}  // namespace manyply

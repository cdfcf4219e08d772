// Tests `perft campaign` as a shell runs it, from an empty database to a total.

#include "tests/e2e/campaigns.h"
#include "tests/e2e/perft.h"
#include "tests/e2e/readme.h"
#include "tests/e2e/server.h"
#include "tests/support/postgres_server.h"
#include "tools/campaign/campaign_store.h"

namespace manyply {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

class CampaignCommand : public testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::get();
    if (server_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    // Empties the database, so that tests do not depend on their order.
    Postgres postgres = Postgres::connect({.conninfo = server_->conninfo("postgres")}, {}).value();
    ASSERT_EQ(postgres.execute("DROP SCHEMA IF EXISTS manyply CASCADE"), std::nullopt);
  }
  [[nodiscard]] std::vector<std::string> argv(const std::string& command,
                                              std::vector<std::string> more = {}) const {
    more.insert(more.begin(), command);
    return Campaigns(server_->conninfo("postgres")).argv(std::move(more));
  }
  [[nodiscard]] ProcessResult run(const std::string& command,
                                  const std::vector<std::string>& more = {}) const {
    return run_process(argv(command, more));
  }
  [[nodiscard]] nlohmann::json ask(const std::string& command, const std::string& campaign) const {
    return Campaigns(server_->conninfo("postgres")).ask({command, campaign});
  }

  PostgresServer* server_ = nullptr;
};

/// Removes the line with the rate, because the rate of the last minute changes all the time.
std::string without_rate(const std::string& status) {
  const std::size_t begin = status.find("\nrate ");
  if (begin == std::string::npos) return status;
  return status.substr(0, begin) + status.substr(status.find('\n', begin + 1));
}

TEST_F(CampaignCommand, AWorkerMayUseADevice) {
  if (perft({"count", "3", "--device", "list"}).exit_code != 0)
    GTEST_SKIP() << "no OpenCL device (the tests use pocl-opencl-icd)";
  EXPECT_EQ(run("init").exit_code, 0);
  EXPECT_EQ(run("create", {"seven", "7", "--parts", "7"}).exit_code, 0);
  const ProcessResult worked = run("work", {"seven", "--device", "0"});
  EXPECT_EQ(worked.exit_code, 0) << worked.err;
  EXPECT_THAT(run("result", {"seven"}).out, HasSubstr("3195901860"));
}

TEST_F(CampaignCommand, FromNothingToATotal) {
  EXPECT_THAT(run("status").err, HasSubstr("has 'perft campaign init' been run here"));
  EXPECT_EQ(run("init").out, "schema     version 5\n");
  EXPECT_EQ(run("init").out, "schema     version 5, unchanged\n");
  const ProcessResult created =
      run("create", {"seven", "7", "--verify", "all", "--parts", "60", "--lease", "2"});
  EXPECT_EQ(created.exit_code, 0) << created.err;
  EXPECT_THAT(created.out, StartsWith("parts      60; all will be counted a second time\nmemory "));
  EXPECT_THAT(created.out, testing::EndsWith("\nsignature  86489390\n"));
  expect_refusal(run("create", {"seven", "5"}), "campaign: the name 'seven' is already in use");
  expect_refusal(run("result", {"seven"}), "campaign: 'seven' is not done but running");
  const std::string script = run("slurm", {"seven"}).out;
  EXPECT_THAT(script, StartsWith("#!/bin/bash\n"));
  EXPECT_THAT(script, HasSubstr("\n#SBATCH --job-name=perft-seven\n"));
  EXPECT_THAT(script, HasSubstr(" campaign work seven --database 'host=/"));
  EXPECT_EQ(run_process({"/bin/bash", "-n"}, script).err, "");
  expect_refusal(run("slurm", {"six"}), "database: there is no campaign named 'six'");
  const ProcessResult idle = run("status", {"seven"});
  EXPECT_THAT(idle.out, StartsWith("state      running; 0 of 120 parts; 0.0 %"));
  EXPECT_THAT(
      idle.out,
      HasSubstr("note       no worker is counting: 'perft campaign work seven' starts one"));

  const std::vector<std::string> few{"seven", "--threads", "1", "--progress", "never"};
  Process first(argv("work", few));
  const auto status = [&] { return ask("status", "seven"); };
  // Even a fast worker cannot finish alone, because other workers must verify its counts.
  const auto done = [&] {
    const auto json = status();
    return json["pass0"]["parts_done"].get<int>() + json["pass1"]["parts_done"].get<int>();
  };
  ASSERT_TRUE(eventually([&] { return done() >= 10; }));
  first.signal(SIGTERM);
  const ProcessResult told = first.finish();
  EXPECT_EQ(told.exit_code, 130) << told.err;
  EXPECT_EQ(told.err, "perft: interrupted\n");
  EXPECT_THAT(told.out, HasSubstr(", 1 thread, "));
  // The worker hands its part back. If the worker ends before that, the lease of the part expires.
  EXPECT_TRUE(eventually([&] { return status()["pass0"]["parts_leased"] == 0; }));

  // Kills a worker. Below, this test checks that the worker is shown as gone.
  Process second(argv("work", few));
  const int before = done();
  ASSERT_TRUE(eventually([&] { return done() > before; }));
  second.signal(SIGKILL);
  EXPECT_EQ(second.finish().exit_code, 128 + SIGKILL);

  Process watch(argv("watch", {"seven", "--every", "1"}));
  ASSERT_TRUE(watch.wait_for_output(" of 120 parts; "));
  Process third(argv("work", few));
  Process fourth(argv("work", few));
  const ProcessResult end = third.finish();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("; the campaign is done\n"));
  EXPECT_EQ(fourth.finish().exit_code, 0);
  const ProcessResult watched = watch.finish();
  EXPECT_EQ(watched.exit_code, 0) << watched.err;
  EXPECT_THAT(watched.out, HasSubstr("\nstate      done; 120 of 120 parts"));

  const ProcessResult result = run("result", {"seven"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("nodes      3195901860  (3,195,901,860)\nknown      match\n"
                        "counted    60 parts, each once; 60 of them by two workers: equal\n"));
  EXPECT_EQ(ask("result", "seven")["nodes"], "3195901860");
  EXPECT_EQ(run("explain", {"seven"}).out, "nothing    is disputed or damaged\n");
  ProcessResult listed;
  const auto one_is_gone = [&] {
    listed = run("workers", {"seven"});
    return listed.out.find("  gone for ") != std::string::npos;
  };
  // The killed worker counts as gone only after the length of a lease, even if it held no lease.
  EXPECT_TRUE(eventually(one_is_gone)) << listed.out;
  EXPECT_EQ(without_rate(run("watch", {"seven"}).out), without_rate(run("status", {"seven"}).out));
  EXPECT_THAT(listed.out, StartsWith("id  host"));
  EXPECT_EQ(std::ranges::count(listed.out, '\n'), 5);
  EXPECT_EQ(run("status").out, "seven\n");
  EXPECT_EQ(run("work", few).out, "counted    0 parts; the campaign is done\n");
  expect_refusal(run("stop", {"seven"}),
                 "campaign: 'seven' is done; only a running campaign can be stopped");
  expect_refusal(run("drop", {"seven"}),
                 "--yes: 'seven' and all of its counts would be deleted; use --yes to confirm");
  EXPECT_EQ(run("drop", {"seven", "--yes"}).exit_code, 0);
  EXPECT_EQ(run("status").out, "");
}

// A worker commits a wrong count. The count is detected, the worker is named, and its parts are
// counted again.
TEST_F(CampaignCommand, AWorkerThatIsWrongIsFoundNamedAndReplaced) {
  ASSERT_EQ(run("init").exit_code, 0);
  ASSERT_EQ(run("create", {"six", "6", "--verify", "all", "--parts", "12"}).exit_code, 0);
  CampaignStore store({.conninfo = server_->conninfo("postgres")});
  const Campaign campaign = store.find("six").value();
  const std::int64_t id = store
                              .register_worker(campaign.id, {.host = "here",
                                                             .label = "weak",
                                                             .version = campaign.version,
                                                             .kernel = "portable",
                                                             .signature = campaign.signature,
                                                             .identity = campaign.identity,
                                                             .process = 1,
                                                             .threads = 1,
                                                             .memory_bytes = campaign.memory_bytes})
                              .value();
  const ClaimedPart part = store.claim(id, campaign.id)->part.value();
  ASSERT_TRUE(store.commit(id, campaign, {.part = part, .count = {.nodes = 7}, .seconds = 1}).ok());

  const std::vector<std::string> work{"six", "--threads", "1", "--progress", "never"};
  const ProcessResult told = run("work", work);
  EXPECT_EQ(told.exit_code, 1) << told.err;
  EXPECT_EQ(
      told.err,
      "perft: 'six' is disputed; 'perft campaign explain six' finds the worker that was wrong\n");
  for (const char* command : {"status", "watch", "result"})
    EXPECT_EQ(run(command, {"six"}).exit_code, 1) << command;

  const ProcessResult explained = run("explain", {"six"});
  EXPECT_EQ(explained.exit_code, 1) << explained.err;
  const std::string number = std::to_string(part.key.number);
  EXPECT_THAT(explained.out, StartsWith("disputed   part " + number + ": worker 1 counted 7, "));
  const auto json = ask("explain", "six");
  ASSERT_EQ(json["wrong"].size(), 1U);
  EXPECT_EQ(json["wrong"][0]["label"], "weak");
  EXPECT_THAT(run("workers", {"six", "--suspect", "1"}).out,
              HasSubstr("note       with --yes, other workers count these parts again"));

  const ProcessResult resolved = run("explain", {"six", "--resolve"});
  EXPECT_EQ(resolved.exit_code, 0) << resolved.err;
  EXPECT_THAT(resolved.out, HasSubstr("\nset aside  1 part, "));
  EXPECT_THAT(resolved.out, testing::EndsWith("state      running\n"));
  EXPECT_THAT(run("workers", {"six"}).out, HasSubstr("refused    worker 1: "));
  Process three(argv("work", work));
  Process four(argv("work", work));
  EXPECT_EQ(three.finish().exit_code, 0);
  EXPECT_EQ(four.finish().exit_code, 0);
  EXPECT_THAT(run("result", {"six"}).out,
              HasSubstr("nodes      119060324  (119,060,324)\nknown      match\n"));

  expect_refusal(run("workers", {"six", "--yes"}), "--yes: requires --suspect ID");
  expect_refusal(run("workers", {"six", "--suspect", "99"}), "--suspect: 'six' has no worker 99");
  EXPECT_EQ(run("drop", {"six", "--yes"}).exit_code, 0);
}

TEST(CampaignWords, WhatIsWrongIsSaid) {
  expect_refusal(perft({"campaign"}),
                 "'campaign' needs a command; 'perft campaign --help' lists its commands");
  expect_refusal(perft({"campaign", "crate"}),
                 "unknown command 'campaign crate'; did you mean 'campaign create'?");
  expect_refusal(perft({"campaign", "x"}),
                 "unknown command 'campaign x'; 'perft campaign --help' lists its commands");
  expect_refusal(perft({"campaign", "create", "a"}),
                 "DEPTH is required; 'perft campaign create --help' shows how");
  expect_refusal(
      perft({"campaign", "create", "a b", "7"}),
      "name: 'a b' is not a name: 1 to 64 letters, digits, '.', '_' and '-', without '-' at the "
      "start");
  expect_refusal(perft({"campaign", "create", "a", "7", "--verify", "2"}),
                 "--verify: '2' is not a share; give a percentage such as 5%, or the word all");
  expect_refusal(perft({"campaign", "create", "a", "7", "--verify-other", "moon"}),
                 "--verify-other: 'moon' is not one of worker, host, kernel");
  expect_refusal(
      perft({"campaign", "status", "--database", "host=localhost password=sesame"}),
      "--database: a password here would be visible in the list of processes; write it to "
      "a password file (PGPASSFILE)");
  expect_refusal(perft({"campaign", "status", "--database", "host=db.example"}),
                 "database: 'db.example' is another machine: set sslmode=verify-full (or "
                 "require), or use --insecure");
  expect_refusal(
      perft({"campaign", "create", "a", "3", "--database", "host=/nowhere"}),
      "depth: campaigns need a depth of at least 5; for smaller depths, use 'perft count'");
  EXPECT_THAT(perft({"campaign", "work", "a", "--database", "host=/nowhere"}).err,
              HasSubstr("/nowhere"));
  for (const auto& words : {std::vector<std::string>{"help", "campaign", "create"},
                            std::vector<std::string>{"campaign", "create", "--help"}}) {
    EXPECT_THAT(perft(words).out, HasSubstr("Usage: perft campaign create [OPTIONS] NAME DEPTH\n"));
  }
  EXPECT_THAT(perft({"campaign", "--help"}).out, HasSubstr("Usage: perft campaign COMMAND"));
}

// Tests `perft serve --campaigns` with a database that stops and starts again.

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

// Runs the commands of the README's section about a campaign on one machine.

TEST(CampaignReadmeSlow, FiveCommandsLeadFromNothingToATotal) {
  if (!fs::exists("/usr/lib/postgresql/15/bin/initdb"))
    GTEST_SKIP() << "PostgreSQL 15 is not installed";
  const fs::path folder =
      fs::temp_directory_path() / ("manyply-readme-" + std::to_string(getpid()));
  PostgresServer::make_folder(folder);
  fs::copy_file(MANYPLY_PERFT_BINARY, folder / "perft");  // other users may not reach the build
  std::ofstream(folder / "commands")
      << "set -e\ncd " << folder << "\nPATH=" << folder
      << ":$PATH\ntrap 'pg_ctl -D pg -m immediate stop' EXIT\n"
      << code_of("tools/campaign/README.md", "A campaign on one machine");
  std::vector<std::string> words{"/bin/bash", (folder / "commands").string()};
  if (geteuid() == 0) {
    const std::vector<std::string> as{"/usr/bin/setpriv", "--reuid=nobody", "--regid=nogroup",
                                      "--clear-groups"};
    words.insert(words.begin(), as.begin(), as.end());
  }
  Process shell(words);
  const ProcessResult end = shell.finish(3600);
  EXPECT_EQ(end.exit_code, 0) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr("schema     version 5\n"));
  EXPECT_THAT(end.out, HasSubstr("nodes      84998978956  (84,998,978,956)\nknown      match\n"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace manyply

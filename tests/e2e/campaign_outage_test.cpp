// Tests campaigns that lose their network, the room on their disk, or the host of their database.
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <thread>

#include "tests/e2e/campaigns.h"
#include "tests/support/network_line.h"
#include "tests/support/postgres_server.h"
#include "tools/campaign/postgres.h"

namespace manyply {
namespace {

using testing::HasSubstr;

Postgres connected_to(const PostgresServer& server) {
  Result<Postgres> connected = Postgres::connect({.conninfo = server.conninfo("postgres")}, {});
  EXPECT_TRUE(connected.ok()) << connected.error().to_string();
  return std::move(connected).value();
}
void execute(const PostgresServer& server, const std::string& sql) {
  const auto error = connected_to(server).execute(sql);
  EXPECT_EQ(error, std::nullopt) << error->to_string();
}
std::int64_t number(const PostgresServer& server, const std::string& query) {
  return connected_to(server).ask(("SELECT (" + query + ")::bigint").c_str())->integer(0, 0);
}
std::int64_t parts_of(const PostgresServer& server, const std::string& label) {
  return number(server,
                "SELECT count(*) FROM manyply.result b JOIN manyply.worker w ON w.id = b.worker "
                "WHERE w.label = '" +
                    label + "'");
}

/// Starts a worker of a campaign.
std::unique_ptr<Process> start_worker(const Campaigns& campaigns, const std::string& name,
                                      const std::string& label) {
  return std::make_unique<Process>(campaigns.argv(
      {"work", name, "--threads", "1", "--progress", "never", "--insecure", "--label", label}));
}

void expect_total_of_eight(const Campaigns& campaigns) {
  const ProcessResult result = campaigns.run({"result", "eight"});
  EXPECT_THAT(result.out, HasSubstr("nodes      84998978956  (84,998,978,956)\nknown      match\n"))
      << result.err;
}

class CampaignNetworkSlow : public testing::Test {
 protected:
  void SetUp() override {
    line_ = NetworkLine::make();
    if (line_ == nullptr) GTEST_SKIP() << "no right to make network namespaces, or no /dev/net/tun";
    line_->at(NetworkLine::kNear, [&] {
      const std::string address = NetworkLine::kAddresses[NetworkLine::kNear];
      server_ = PostgresServer::make({"listen_addresses=" + address});
      if (server_ == nullptr) return;
      server_->trust("10.87.0.0/16");
      server_->crash();
      server_->start();
    });
    if (server_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    ASSERT_EQ(campaigns().run({"init"}).exit_code, 0);
  }

  /// Uses the socket, which works without a network.
  [[nodiscard]] Campaigns campaigns() const { return Campaigns(server_->conninfo("postgres")); }
  [[nodiscard]] std::unique_ptr<Process> start_far(const std::string& name) const {
    std::unique_ptr<Process> worker;
    line_->at(NetworkLine::kFar, [&] {
      const std::string host = NetworkLine::kAddresses[NetworkLine::kNear];
      worker =
          start_worker(Campaigns("host=" + host + " dbname=postgres user=postgres"), name, "far");
    });
    return worker;
  }
  [[nodiscard]] bool brings_more(const std::string& label) const {
    const std::int64_t before = parts_of(*server_, label);
    return in_time([&] { return parts_of(*server_, label) > before + 3; });
  }
  /// Returns whether a worker on the other side has a connection that it believes to be intact.
  [[nodiscard]] bool far_is_connected() const {
    bool connected = false;
    line_->at(NetworkLine::kFar, [&] {
      std::ifstream table("/proc/thread-self/net/tcp");
      for (std::string number, local, remote, state, rest;
           table >> number >> local >> remote >> state && std::getline(table, rest);)
        connected |= state == "01";
    });
    return connected;
  }

  std::unique_ptr<NetworkLine> line_;
  std::unique_ptr<PostgresServer> server_;
};

TEST_F(CampaignNetworkSlow, WhoIsCutOffGoesOnWhenTheNetworkIsBack) {
  ASSERT_EQ(
      campaigns().run({"create", "nine", "9", "--parts", "3000", "--lease", "3600"}).exit_code, 0);
  const auto near = start_worker(campaigns(), "nine", "near");
  const auto far = start_far("nine");
  ASSERT_TRUE(brings_more("near"));
  ASSERT_TRUE(brings_more("far"));
  const auto cut_and_heal = [&](const char* how, int to_near, int to_far) {
    SCOPED_TRACE(how);
    line_->lose(NetworkLine::kNear, to_near);
    line_->lose(NetworkLine::kFar, to_far);
    EXPECT_TRUE(in_time([&] { return !far_is_connected(); }));
    const std::int64_t before = parts_of(*server_, "far");
    EXPECT_TRUE(brings_more("near"));
    EXPECT_EQ(parts_of(*server_, "far"), before);
    line_->lose(0);
    EXPECT_TRUE(brings_more("far"));
  };
  cut_and_heal("cut", 100, 100);
  cut_and_heal("nothing arrives at the server", 100, 0);
  cut_and_heal("nothing arrives at the worker", 0, 100);
  line_->lose(30);
  EXPECT_TRUE(brings_more("far"));
  line_->lose(0);
  // No worker lost a lease.
  EXPECT_EQ(number(*server_, "SELECT max(epoch) FROM manyply.part"), 1);
  EXPECT_EQ(number(*server_, "SELECT count(*) FROM manyply.worker"), 2);
  for (const auto& worker : {near.get(), far.get()}) {
    worker->signal(SIGTERM);
    EXPECT_EQ(worker->finish().err, "perft: interrupted\n");
  }
}

TEST_F(CampaignNetworkSlow, WhoIsCutOffForLongerThanItsLeaseIsReplacedAndBringsTheSame) {
  ASSERT_EQ(campaigns().run({"create", "eight", "8", "--parts", "100", "--lease", "3"}).exit_code,
            0);
  const auto far = start_far("eight");
  ASSERT_TRUE(brings_more("far"));
  line_->lose(100);
  const auto near = start_worker(campaigns(), "eight", "near");
  EXPECT_THAT(near->finish(3600).out, HasSubstr("; the campaign is done\n"));
  EXPECT_GT(number(*server_, "SELECT max(epoch) FROM manyply.part"), 1);
  line_->lose(0);
  const ProcessResult late = far->finish(3600);
  EXPECT_THAT(late.out, HasSubstr("; the campaign is done\n")) << late.err;
  EXPECT_EQ(number(*server_, "SELECT count(*) FROM manyply.dispute"), 0);
  expect_total_of_eight(campaigns());
}

// Runs on a separate thread with its own mount namespace.
void fill_the_disk() {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    GTEST_SKIP() << "no right to make mount namespaces";
  const auto server = PostgresServer::make({"log_min_messages=error"});
  if (server == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
  const std::filesystem::path disk = std::filesystem::path(server->folder()) / "small";
  std::filesystem::create_directory(disk);
  ASSERT_EQ(mount("none", disk.c_str(), "tmpfs", 0, "size=16m,mode=0700"), 0);
  std::filesystem::permissions(disk, std::filesystem::perms::all);
  const std::string place = (disk / "place").string();
  server->make_folder(place);
  execute(*server, "CREATE TABLESPACE small LOCATION '" + place + "'");
  execute(*server, "GRANT CREATE ON TABLESPACE small TO PUBLIC");
  execute(*server, "ALTER DATABASE postgres SET default_tablespace = small");
  const Campaigns campaigns(server->conninfo("postgres"));
  ASSERT_EQ(campaigns.run({"init"}).exit_code, 0);
  ASSERT_EQ(campaigns.run({"create", "eight", "8", "--parts", "400"}).exit_code, 0);
  // The plan joins small parts, so there are fewer than requested.
  const std::int64_t parts = number(*server, "SELECT count(*) FROM manyply.part WHERE pass = 0");
  Process worker(campaigns.argv({"work", "eight", "--threads", "1", "--progress", "never"}));
  ASSERT_TRUE(in_time([&] { return number(*server, "SELECT count(*) FROM manyply.result") > 5; }));
  {
    std::ofstream ballast(disk / "ballast");
    const std::string block(4096, 'x');
    while (ballast << block << std::flush) {
    }
  }
  EXPECT_TRUE(server->says("No space left on device"));
  const std::int64_t before = number(*server, "SELECT count(*) FROM manyply.result");
  EXPECT_LT(before, parts);
  std::filesystem::remove(disk / "ballast");
  const ProcessResult end = worker.finish(3600);
  EXPECT_THAT(end.out,
              HasSubstr("counted    " + std::to_string(parts) + " parts; the campaign is done\n"))
      << end.err;
  expect_total_of_eight(campaigns);
}
TEST(CampaignDiskSlow, AFullDiskIsWaitedOut) { std::thread(fill_the_disk).join(); }

TEST(CampaignFailoverSlow, AStandbyTakesOverAndNothingAcknowledgedIsLost) {
  const auto primary = PostgresServer::make(PostgresServer::followed());
  if (primary == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
  const auto standby = PostgresServer::make_standby(*primary);
  const Campaigns campaigns("host=" + primary->folder() + "," + standby->folder() +
                            " dbname=postgres user=postgres target_session_attrs=read-write");
  ASSERT_EQ(campaigns.run({"init"}).exit_code, 0);
  ASSERT_EQ(campaigns.run({"create", "eight", "8", "--parts", "400"}).exit_code, 0);
  const auto counts = [](const PostgresServer& server) {
    const auto rows = connected_to(server).ask(
        "SELECT part::text, worker || ' ' || committed || ' ' || encode(digest, 'hex') "
        "FROM manyply.result");
    std::map<std::string, std::string> found;
    for (int row = 0; row < rows->count(); ++row) found[rows->text(row, 0)] = rows->text(row, 1);
    return found;
  };
  Process worker(campaigns.argv({"work", "eight", "--threads", "1", "--progress", "never"}));
  std::map<std::string, std::string> acknowledged;
  ASSERT_TRUE(in_time([&] { return (acknowledged = counts(*primary)).size() > 5; }));
  primary->kill();
  execute(*standby, "SELECT pg_promote()");
  const ProcessResult end = worker.finish(3600);
  EXPECT_THAT(end.out, HasSubstr("; the campaign is done\n")) << end.err;
  const auto then = counts(*standby);
  for (const auto& [place, count] : acknowledged) {
    ASSERT_TRUE(then.contains(place)) << place << " is lost";
    EXPECT_EQ(then.at(place), count);
  }
  EXPECT_LT(acknowledged.size(), then.size());
  expect_total_of_eight(campaigns);
}

}  // namespace
}  // namespace manyply

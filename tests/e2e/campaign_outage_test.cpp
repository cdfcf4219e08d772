// Tests campaigns that lose their network, the room on their disk, the host of their database,
// their workers, or nodes of a cluster.
#include <sched.h>
#include <sys/mount.h>

#include <iostream>
#include <map>
#include <optional>
#include <random>

#include "tests/e2e/campaigns.h"
#include "tests/e2e/readme.h"
#include "tests/support/eventually.h"
#include "tests/support/network_line.h"
#include "tests/support/postgres_server.h"
#include "tests/support/slurm_cluster.h"
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
  /// Returns whether a worker at the far end of the line has a connection that its system regards
  /// as open.
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

// Tests a campaign whose workers, connections and server are killed again and again at random
// times.

class CampaignKillLoop : public testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::get();
    if (server_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
  }

  static constexpr int kWorkers = 3;
  /// For each pass and part: its worker, its time, and its digest.
  using Counts = std::map<std::string, std::string>;

  [[nodiscard]] Campaigns campaigns() const { return Campaigns(server_->conninfo("postgres")); }
  [[nodiscard]] ProcessResult run(const std::vector<std::string>& command) const {
    return campaigns().run(command);
  }

  /// Asks until the database answers, and returns the answer.
  [[nodiscard]] PostgresRows ask(const char* sql) const {
    std::optional<PostgresRows> answer;
    EXPECT_TRUE(eventually([&] {
      Result<Postgres> connected =
          Postgres::connect({.conninfo = server_->conninfo("postgres")}, {});
      if (!connected) return false;
      Postgres postgres = std::move(connected).value();
      Result<PostgresRows> rows = postgres.ask(sql);
      if (rows) answer = std::move(rows).value();
      return answer.has_value();
    }));
    return std::move(answer).value();
  }
  [[nodiscard]] Counts counts() const {
    const PostgresRows rows =
        ask("SELECT pass || '/' || part, "
            "worker || ' ' || committed || ' ' || encode(digest, 'hex') FROM manyply.result");
    Counts found;
    for (int row = 0; row < rows.count(); ++row) found[rows.text(row, 0)] = rows.text(row, 1);
    return found;
  }

  void kill_a_backend() {
    const PostgresRows rows =
        ask("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
            "AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1");
    if (rows.count() > 0) kill(static_cast<pid_t>(rows.integer(0, 0)), SIGKILL);
  }

  PostgresServer* server_ = nullptr;
};

TEST_F(CampaignKillLoop, NothingIsLostAndNothingIsCountedTwiceSlow) {
  constexpr int kRounds = 100;
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto pick = [&](int below) { return std::uniform_int_distribution(0, below - 1)(random); };
  ASSERT_EQ(run({"init"}).exit_code, 0);

  std::map<std::string, int> killed;
  int counted = 0;
  std::vector<std::unique_ptr<Process>> workers(kWorkers);
  for (int round = 0; round < kRounds; ++counted) {
    ASSERT_EQ(run({"create", "seven", "7", "--verify", "all", "--parts", "100", "--lease", "2"})
                  .exit_code,
              0);
    Counts acknowledged;
    for (bool is_done = false; !is_done;) {
      for (auto& worker : workers) {
        // A worker ends only if it had no database at its start, or if the campaign is done.
        if (worker && !worker->has_ended()) continue;
        if (worker) worker->finish();
        worker = std::make_unique<Process>(
            campaigns().argv({"work", "seven", "--threads", "1", "--progress", "never"}));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(pick(600)));
      const Counts now = counts();
      for (const auto& [place, count] : acknowledged) {
        const auto at = now.find(place);
        ASSERT_TRUE(at != now.end()) << place << " is lost, round " << round;
        ASSERT_EQ(at->second, count) << place << ", round " << round;
      }
      acknowledged = now;
      is_done = acknowledged.size() == 200;
      if (is_done || round == kRounds) continue;
      ++round;
      switch (pick(6)) {
        case 0:
          server_->crash();
          ++killed["servers"];
          std::this_thread::sleep_for(std::chrono::milliseconds(pick(500)));
          server_->start();
          break;
        case 1:
          server_->kill();
          ++killed["postmasters"];
          server_->start();
          break;
        case 2:
          kill_a_backend();
          ++killed["backends"];
          break;
        default:
          auto& worker = workers[static_cast<std::size_t>(pick(kWorkers))];
          worker->signal(SIGKILL);
          worker->finish();
          worker = nullptr;
          ++killed["workers"];
      }
    }
    for (auto& worker : workers) {
      const ProcessResult end = worker->finish();
      EXPECT_TRUE(end.exit_code == 0 || end.err.starts_with("perft: database: ")) << end.err;
      worker = nullptr;
    }
    const ProcessResult result = run({"result", "seven"});
    EXPECT_THAT(result.out, HasSubstr("nodes      3195901860  (3,195,901,860)\nknown      match\n"
                                      "counted    100 parts, each once; 100 of them by two "
                                      "workers: equal\n"))
        << result.err;
    ASSERT_EQ(run({"drop", "seven", "--yes"}).exit_code, 0);
  }
  std::cout << counted << " campaigns; killed:";
  for (const auto& [what, times] : killed) std::cout << ' ' << times << ' ' << what;
  std::cout << '\n';
}

// Tests campaigns on Slurm: tasks that are requeued, preempted or killed, and nodes that die.

class CampaignSlurmSlow : public testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::make();
    if (server_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    slurm_ = SlurmCluster::make();
    if (slurm_ == nullptr) GTEST_SKIP() << "Slurm (slurmctld, slurmd) or munge is not installed";
    ASSERT_EQ(run({"init"}).exit_code, 0);
  }
  void TearDown() override {
    slurm_.reset();  // before the database: workers would wait for it
  }

  [[nodiscard]] Campaigns campaigns() const { return Campaigns(server_->conninfo("postgres")); }
  [[nodiscard]] ProcessResult run(std::vector<std::string> words) const {
    return campaigns().run(std::move(words));
  }
  [[nodiscard]] nlohmann::json ask(std::vector<std::string> words) const {
    return campaigns().ask(std::move(words));
  }

  /// Creates a campaign of many small parts, which takes minutes, and its script. By default, no
  /// lease ends during the test.
  void create(const std::string& lease = "86400") {
    ASSERT_EQ(run({"create", "nine", "9", "--parts", "3000", "--lease", lease}).exit_code, 0);
    const ProcessResult script = run({"slurm", "nine"});
    ASSERT_EQ(script.exit_code, 0) << script.err;
    std::ofstream(slurm_->folder() / "nine.sbatch") << script.out;
  }
  void submit(const std::string& options) {
    const ProcessResult told =
        slurm_->shell("sbatch --output=%a.out " + options + " nine.sbatch --threads 1");
    ASSERT_EQ(told.exit_code, 0) << told.err;
  }
  [[nodiscard]] std::string said(int task) const {
    return slurm_->shell("cat " + std::to_string(task) + ".out").out;
  }
  /// Waits until `workers` workers have registered and at least one part is being counted.
  [[nodiscard]] bool have_come(std::size_t workers) const {
    return in_time([&] {
      return ask({"workers", "nine"})["workers"].size() >= workers &&
             ask({"status", "nine"})["pass0"]["parts_leased"] > 0;
    });
  }
  [[nodiscard]] bool nothing_is_leased() const {
    return in_time([&] { return ask({"status", "nine"})["pass0"]["parts_leased"] == 0; });
  }
  [[nodiscard]] std::string states() const {
    return slurm_->shell("sinfo --noheader --Node --format=%T --partition=low | tr a-z A-Z").out;
  }
  /// Kills all workers. Returns their number.
  [[nodiscard]] int kill_workers() const {
    int killed = 0;
    for (const pid_t pid :
         processes_with("SLURM_CONF=" + (slurm_->folder() / "slurm.conf").string())) {
      std::error_code gone;
      const auto program =
          std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", gone);
      if (program == std::filesystem::canonical(MANYPLY_PERFT_BINARY))
        killed += kill(pid, SIGKILL) == 0 ? 1 : 0;
    }
    return killed;
  }

  /// Cancels all tasks, and counts the campaign to its end.
  void expect_total() {
    slurm_->cancel_all();
    EXPECT_TRUE(nothing_is_leased());
    Process worker(campaigns().argv({"work", "nine", "--progress", "never"}));
    EXPECT_EQ(worker.finish(3600).exit_code, 0);
    EXPECT_THAT(run({"result", "nine"}).out,
                HasSubstr("nodes      2439530234167  (2,439,530,234,167)\nknown      match\n"));
  }

  std::unique_ptr<PostgresServer> server_;
  std::unique_ptr<SlurmCluster> slurm_;
};

TEST_F(CampaignSlurmSlow, TheReadmeDoesWhatItShows) {
  const std::string programs = std::filesystem::path(MANYPLY_PERFT_BINARY).parent_path().string();
  const auto examples = examples_of("tools/campaign/README.md", "On Slurm");
  for (const Example& example : examples) {
    const ProcessResult result =
        slurm_->shell(example.command, {"PATH=" + programs + ":/usr/bin:/bin", "PGUSER=postgres",
                                        "PGHOST=" + server_->folder(), "PGDATABASE=postgres"});
    EXPECT_EQ(result.exit_code, 0) << example.command << '\n' << result.err;
    EXPECT_TRUE(reads_as(result.out, example.output)) << example.command << '\n' << result.out;
  }
  EXPECT_EQ(examples.size(), 5U);
}

TEST_F(CampaignSlurmSlow, AnArrayCountsTogether) {
  create();
  const ProcessResult told =
      slurm_->shell("sbatch --output=%a.out --array=1-3 nine.sbatch --memory 512M");
  EXPECT_THAT(told.out, testing::StartsWith("Submitted batch job"));
  EXPECT_TRUE(in_time([&] { return slurm_->shell("squeue --noheader").out.empty(); }));
  for (int task = 1; task <= 3; ++task) {
    EXPECT_THAT(said(task), HasSubstr(", 1 thread, 512 MiB of memory"));
    EXPECT_THAT(said(task), HasSubstr("; the campaign is done\n"));
  }
  EXPECT_EQ(ask({"workers", "nine"})["workers"].size(), 3U);
  expect_total();
}

TEST_F(CampaignSlurmSlow, WhoIsRequeuedHandsBackAndComesAgain) {
  create();
  submit("--array=1");
  ASSERT_TRUE(have_come(1));
  ASSERT_EQ(slurm_->shell("scontrol requeue $(squeue --noheader --format=%A)").exit_code, 0);
  EXPECT_TRUE(nothing_is_leased());
  EXPECT_TRUE(have_come(2)) << said(1);
  EXPECT_THAT(said(1), HasSubstr("perft: interrupted\n"));
}

TEST_F(CampaignSlurmSlow, WhoIsPreemptedHandsBackAndComesAgain) {
  create();
  submit("--array=1-3");
  ASSERT_TRUE(have_come(3));
  // Another job takes all nodes until this test allows it to end.
  const ProcessResult other = slurm_->shell(
      "sbatch --partition=high --nodes=3 --exclusive --output=other.out "
      "--wrap='until [ -e go ]; do sleep 1; done; echo slept'");
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_TRUE(nothing_is_leased());
  ASSERT_EQ(slurm_->shell("touch go").exit_code, 0);
  EXPECT_TRUE(have_come(6)) << said(1) << said(2) << said(3);
  EXPECT_EQ(slurm_->shell("cat other.out").out, "slept\n");
  for (int task = 1; task <= 3; ++task) EXPECT_THAT(said(task), HasSubstr("perft: interrupted\n"));
}

TEST_F(CampaignSlurmSlow, WhoIsOutOfTimeHandsBack) {
  create();
  submit("--array=1 --time=2");  // Slurm sends a signal one minute before the time is over
  ASSERT_TRUE(have_come(1));
  EXPECT_TRUE(in_time([&] { return said(1).find("perft: interrupted\n") != std::string::npos; }));
  EXPECT_TRUE(nothing_is_leased());
}

TEST_F(CampaignSlurmSlow, AWorkerThatIsKilledIsFollowedByAnother) {
  create("5");
  submit("--array=1");
  ASSERT_TRUE(have_come(1));
  ASSERT_EQ(kill_workers(), 1);
  EXPECT_TRUE(have_come(2)) << said(1);
  EXPECT_THAT(said(1), HasSubstr("ended with exit code 137 (signal 9): starting another one"));
  EXPECT_EQ(slurm_->shell("squeue --noheader --format=%t,%r").out, "R,None\n");
}

TEST_F(CampaignSlurmSlow, ANodeThatDiesAndAControllerThatIsKilledLoseNothing) {
  create("5");
  submit("--array=1-3");
  ASSERT_TRUE(have_come(3));
  slurm_->kill_node(0);
  // If another node is free, the task starts again there. Otherwise it starts on this node after
  // the node has returned.
  EXPECT_TRUE(in_time([&] { return states().find("DOWN") != std::string::npos; })) << states();
  slurm_->start_node(0);
  EXPECT_TRUE(have_come(4)) << states();
  slurm_->kill_controller();
  slurm_->start_controller();
  EXPECT_TRUE(in_time([&] { return states() == "ALLOCATED\nALLOCATED\nALLOCATED\n"; })) << states();
  expect_total();
}

}  // namespace
}  // namespace manyply

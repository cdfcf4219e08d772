// Tests campaigns on Slurm: tasks that are requeued, preempted or killed, and nodes that die.
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/campaigns.h"
#include "tests/e2e/readme.h"
#include "tests/support/postgres_server.h"
#include "tests/support/slurm_cluster.h"

namespace manyply {
namespace {

using testing::HasSubstr;

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
  // The task starts again on another node, if one is free, or on this node after it has returned.
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

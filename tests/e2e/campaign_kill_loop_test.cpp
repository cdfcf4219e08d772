// Tests a campaign whose workers, connections and server are killed again and again at random
// times.
#include <signal.h>

#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include "tests/e2e/campaigns.h"
#include "tests/support/eventually.h"
#include "tests/support/postgres_server.h"
#include "tools/campaign/postgres.h"

namespace manyply {
namespace {

using testing::HasSubstr;

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
        // A worker that has ended had no database at its start, or the campaign is done.
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

}  // namespace
}  // namespace manyply

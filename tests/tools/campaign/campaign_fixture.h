// A separate schema for each test, with a small campaign whose counts are all known.
#pragma once

#include <gmock/gmock.h>

#include <string>

#include "core/fen.h"
#include "core/known_values.h"
#include "tests/support/postgres_server.h"
#include "tools/campaign/campaign_store.h"

namespace manyply {

/// Tests with PostgreSQL. They are skipped if it is not installed.
class CampaignTest : public testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::get();
    if (server_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    // Use one database for all tests, because creating one takes longer than most tests.
    ASSERT_EQ(connect("template1", "postgres").execute("ALTER DATABASE postgres RESET ALL"),
              std::nullopt);
    ASSERT_EQ(connect(database_, "postgres").execute("DROP SCHEMA IF EXISTS manyply CASCADE"),
              std::nullopt);
  }

  [[nodiscard]] DatabaseAddress address(const std::string& user = "postgres") const {
    return {.conninfo = server_->conninfo(database_, user)};
  }
  [[nodiscard]] Postgres connect(const std::string& database, const std::string& user) const {
    Result<Postgres> postgres =
        Postgres::connect({.conninfo = server_->conninfo(database, user)}, {});
    EXPECT_TRUE(postgres.ok()) << postgres.error().to_string();
    return std::move(postgres).value();
  }
  /// Runs SQL directly, without the program under test.
  void sql(const std::string& script) const {
    Postgres postgres = connect(database_, "postgres");
    const auto error = postgres.execute("SET search_path = manyply; " + script);
    EXPECT_EQ(error, std::nullopt) << error->to_string();
  }
  [[nodiscard]] std::int64_t number(const std::string& query) const {
    Postgres postgres = connect(database_, "postgres");
    return postgres.ask(("SELECT (" + query + ")::bigint").c_str())->integer(0, 0);
  }
  [[nodiscard]] std::string word(const std::string& query) const {
    Postgres postgres = connect(database_, "postgres");
    return postgres.ask(("SELECT (" + query + ")::text").c_str())->text(0, 0);
  }

  PostgresServer* server_ = nullptr;
  const std::string database_ = "postgres";
};

/// A plan of the start position at depth 5, and the count of each part.
struct SmallPlan {
  std::string plan;
  Hash128 identity;
  std::vector<PartCount> counts;

  static const SmallPlan& get() {
    static const SmallPlan small = [] {
      const Position root = parse_position(kStartFen)->position;
      const Workforce by(Workers(1));
      PartCounter counter(
          {.root = root, .depth = 5, .most_bytes = std::uint64_t{1} << 30, .parts = 6}, by);
      EXPECT_EQ(counter.prepare(), std::nullopt);
      SmallPlan made;
      made.plan = counter.plan();
      made.identity = parts_identity(root.board(), 5, made.plan);
      for (std::size_t part = 0; part < counter.shares().size(); ++part)
        made.counts.push_back(counter.count(part).value());
      return made;
    }();
    return small;
  }
};

/// perft(5) of the start position in six parts. The first part is the heaviest.
class SmallCampaign {
 public:
  static constexpr std::size_t kParts = 6;

  explicit SmallCampaign(const DatabaseAddress& address, double verify = 0) : store(address) {
    made.name = name;
    made.fen = kStartFen;
    made.depth = kDepth;
    made.plan = SmallPlan::get().plan;
    made.identity = SmallPlan::get().identity;
    made.memory_bytes = std::uint64_t{1} << 20;
    made.version = "1";
    EXPECT_EQ(SmallPlan::get().counts.size(), kParts);
    for (std::size_t part = 0; part < kParts; ++part)
      made.weights.push_back(static_cast<double>(kParts - part));
    made.verify = verify;
    made.verified.assign(kParts, verify > 0);
  }

  /// Creates the campaign.
  void create() {
    const auto error = store.create(made);
    EXPECT_EQ(error, std::nullopt) << error->to_string();
    campaign = store.find(name).value();
  }

  [[nodiscard]] NewWorker worker(std::uint64_t process) const {
    return {.host = "host",
            .label = "label",
            .version = "1",
            .kernel = "portable",
            .signature = kSignature,
            .identity = made.identity,
            .process = process,
            .threads = 2,
            .memory_bytes = std::uint64_t{1} << 20};
  }

  /// Returns the right count of a part.
  [[nodiscard]] static FinishedPart counted(const ClaimedPart& claimed) {
    return {.part = claimed,
            .count = SmallPlan::get().counts.at(static_cast<std::size_t>(claimed.key.number)),
            .seconds = 0.5};
  }
  [[nodiscard]] static FinishedPart counted_wrongly(const ClaimedPart& claimed) {
    FinishedPart part = counted(claimed);
    part.count.nodes += 1;
    return part;
  }

  std::int64_t join(const NewWorker& worker) {
    return store.register_worker(campaign.id, worker).value();
  }
  auto claim(std::int64_t worker) { return store.claim(worker, campaign.id); }
  /// Precondition: there is a part for this worker.
  ClaimedPart claimed(std::int64_t worker) { return claim(worker)->part.value(); }
  auto commit(std::int64_t worker, const FinishedPart& part) {
    return store.commit(worker, campaign, part);
  }
  void finish(std::int64_t worker, const ClaimedPart& claimed) {
    const auto answer = commit(worker, counted(claimed));
    ASSERT_TRUE(answer.ok()) << answer.error().to_string();
  }

  /// Counts until no part is left for this worker. Returns the number of parts.
  int finish_all(std::int64_t worker) {
    for (int parts = 0;; ++parts) {
      const Claim next = claim(worker).value();
      if (!next.part) return parts;
      finish(worker, *next.part);
    }
  }

  static constexpr Depth kDepth{5};
  static constexpr std::uint64_t kNodes = 4'865'609;

  CampaignStore store;
  const std::string name = "small";
  NewCampaign made;
  Campaign campaign;  ///< as the store describes it
};

class CreatedCampaign : public SmallCampaign {
 public:
  explicit CreatedCampaign(const DatabaseAddress& address, double verify = 0)
      : SmallCampaign(address, verify) {
    create();
  }
};

}  // namespace manyply

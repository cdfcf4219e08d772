// A schema of a test's own, and a small campaign in it, of which every count is known.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/counting.h"
#include "core/fen.h"
#include "core/signature.h"
#include "tests/parallel/jobs.h"
#include "tests/support/postgres_server.h"
#include "tools/campaign/campaign_store.h"

namespace manyply {

/// Tests that speak to PostgreSQL; skipped where there is none.
class CampaignTest : public testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::get();
    if (server_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    // Making a database for each takes longer than most tests.
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
  /// Behind everybody's back.
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

/// The plan that `perft campaign create` would make.
inline CampaignPlan plan_at(const NamedPosition& root, Depth depth, const PlannedUnits& units) {
  return {root, depth,
          units_for_ranges(root.position, depth, units, Workforce(Workers(2))).value()};
}

/// perft(4) of Kiwipete in some ranges, each of two batches.
class SmallCampaign {
 public:
  static constexpr std::size_t kRanges = 6;

  explicit SmallCampaign(const DatabaseAddress& address, double verify = 0,
                         UnitStorage storage = UnitStorage::kByRootMove)
      : store(address),
        plan(plan_at(parse_position(kKiwipeteFen).value(), kDepth, {.storage = storage})) {
    made = new_campaign(name, plan);
    made.version = "1";
    made.ranges = cut_into_ranges(units, equal_weights(units.size()), kRanges);
    for (PlannedRange& range : made.ranges) range.batches = 2;
    made.verify = verify;
    made.verified.assign(made.ranges.size(), verify > 0);
  }

  /// Makes it, and says what is known of it then.
  Campaign create() {
    const auto error = store.create(made);
    EXPECT_EQ(error, std::nullopt) << error->to_string();
    return store.find(name).value();
  }

  [[nodiscard]] NewWorker worker(std::uint64_t seed) const {
    return {.host = "host",
            .label = "label",
            .version = "1",
            .kernel = "portable",
            .signature = kSignature,
            .identity = made.identity,
            .key_seed = seed,
            .key_bits = 128,
            .process = seed,
            .threads = 2,
            .hash_bytes = 64};
  }

  /// What is right.
  [[nodiscard]] FinishedBatch batch(const ClaimedRange& claimed, std::uint32_t number) const {
    FinishedBatch batch{.range = claimed.key, .number = number, .epoch = claimed.epoch};
    const PlannedRange& range = claimed.range;
    batch.sums.resize(units.sums());
    const UnitSpan span = range.batch_span(number);
    for (std::size_t unit = span.begin; unit < span.end; ++unit) {
      CountStats stats;
      batch.counts.push_back(
          count_board(units.board(unit), kDepth.plies() - units.ply(), best_kernel(), {}, stats));
      units.add_paths(unit, batch.counts.back(), batch.sums);
    }
    return batch;
  }

  /// Brings all batches of it.
  void finish(std::int64_t worker, const Campaign& campaign, const ClaimedRange& claimed) {
    for (std::uint32_t number = 0; number < claimed.range.batches; ++number) {
      const auto answer = store.commit(worker, campaign, batch(claimed, number));
      ASSERT_TRUE(answer.ok()) << answer.error().to_string();
    }
  }

  /// Counts until there is nothing more for this worker; how many ranges that were.
  int finish_all(std::int64_t worker, const Campaign& campaign) {
    std::optional<RangeKey> last;
    for (int ranges = 0;; ++ranges) {
      const Claim claim = store.claim(worker, campaign.id, last).value();
      if (!claim.range) return ranges;
      last = claim.range->key;
      finish(worker, campaign, *claim.range);
    }
  }

  static constexpr Depth kDepth{4};

  CampaignStore store;
  const std::string name = "small";
  CampaignPlan plan;
  const JobUnits& units = plan.units;
  NewCampaign made;
};

}  // namespace manyply

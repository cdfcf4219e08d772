// A database of a test's own, and a small campaign in it, of which every count is known.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/counting.h"
#include "core/fen.h"
#include "core/signature.h"
#include "tests/support/postgres_server.h"
#include "tools/campaign/campaign_store.h"

namespace manyply {

/// Tests that speak to PostgreSQL; skipped where there is none.
class CampaignTest : public testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::get();
    if (server_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    static int number = 0;
    database_ = "test" + std::to_string(++number);
    Postgres postgres = connect("postgres", "postgres");
    ASSERT_EQ(postgres.execute("CREATE DATABASE " + database_), std::nullopt);
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
  std::string database_;
};

/// perft(4) of Kiwipete in some ranges, each of two batches.
class SmallCampaign {
 public:
  static constexpr std::size_t kRanges = 6;

  explicit SmallCampaign(const DatabaseAddress& address, double verify = 0,
                         std::string campaign_name = "small")
      : store(address), name(std::move(campaign_name)) {
    root = parse_position(kKiwipeteFen).value().position;
    split = split_for_ranges(root, kDepth, best_kernel(), 1'000'000, 1, {});
    order = order_for_ranges(split, kDepth);
    const std::vector<float> weights(split.size(), 1.0F);
    made.name = name;
    made.fen = kKiwipeteFen;
    made.depth = kDepth;
    made.split_ply = split.ply;
    made.identity = plan_identity(root, kDepth, split, order);
    for (const Move move : split.root_moves)
      made.root_moves.push_back(to_uci(move, CastlingNotation::kStandard));
    made.version = "1";
    made.ranges = cut_into_ranges(order, weights, kRanges);
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
    batch.sums.resize(split.root_moves.size());
    for (std::uint32_t i = range.batch_begin(number); i < range.batch_begin(number + 1); ++i) {
      const std::uint32_t unit = order.units[range.first + i];
      CountStats stats;
      batch.counts.push_back(
          count_board(split.boards[unit], kDepth.plies() - split.ply, best_kernel(), {}, stats));
      for (const auto& [root_move, paths] : split.shares_of(unit))
        batch.sums[root_move] += paths * batch.counts.back();
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
  std::string name;
  Position root;
  RootSplit split;
  UnitOrder order;
  NewCampaign made;
};

}  // namespace manyply

#include "tools/campaign/campaign_store.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <random>

#include "parallel/units/unit_source.h"
#include "tests/support/budget.h"
#include "tests/tools/campaign/campaign_fixture.h"
#include "tools/campaign/explanation.h"

namespace manyply {
namespace {

using testing::HasSubstr;

class CampaignDatabase : public CampaignTest {
 protected:
  void SetUp() override {
    CampaignTest::SetUp();
    if (server_ == nullptr) return;
    const auto versions = CampaignStore(address()).init();
    ASSERT_TRUE(versions.ok()) << versions.error().to_string();
    EXPECT_EQ(versions->before, 0);
    EXPECT_EQ(versions->after, kCampaignSchema);
  }

  /// Workers 1, 2, … of the only campaign.
  std::int64_t join(SmallCampaign& small, const Campaign& campaign) {
    return small.store.register_worker(campaign.id, small.worker(++seed_)).value();
  }
  static std::optional<std::int64_t> number_in(const Claim& claim) {
    return claim.range ? std::optional(claim.range->key.number) : std::nullopt;
  }
  /// What result() complains of.
  static std::string complaint(SmallCampaign& small) {
    const auto result = small.store.result(small.name, small.units);
    return result ? "none" : result.error().to_string();
  }

  std::uint64_t seed_ = 0;
};

TEST_F(CampaignDatabase, InitAgainChangesNothing) {
  CampaignStore store(address());
  const auto again = store.init();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->before, again->after);
  sql("INSERT INTO schema_version (version) VALUES (99)");
  EXPECT_THAT(store.init().error().to_string(), HasSubstr("version 99, newer than this perft's"));
  EXPECT_TRUE(store.names()->empty());
}

TEST_F(CampaignDatabase, VersionsThatNoReleaseHadAreRefused) {
  sql("DELETE FROM schema_version; INSERT INTO schema_version (version) VALUES (2)");
  EXPECT_THAT(CampaignStore(address()).init().error().to_string(),
              HasSubstr("version 2, which no release had: drop the schema manyply"));
}

// Databases of this version go on, whichever perft made them, since all made the same: what a
// schema is, as PostgreSQL tells it. Who changes schema.sql raises the version, brings databases of
// the one before along, and writes here what came of it.
TEST_F(CampaignDatabase, ASchemaIsThatOfItsVersion) {
  ASSERT_EQ(kCampaignSchema, 3);
  EXPECT_EQ(word(R"(
      SELECT md5(string_agg(line, chr(10) ORDER BY line COLLATE "C")) FROM (
        SELECT pg_get_functiondef(f.oid) || f.proacl::text AS line
          FROM pg_proc f WHERE f.pronamespace = 'manyply'::regnamespace
        UNION ALL SELECT concat_ws(' ', c.table_name, c.ordinal_position, c.column_name, c.data_type, c.is_nullable,
                                   c.column_default, c.is_identity)
          FROM information_schema.columns c WHERE c.table_schema = 'manyply'
        UNION ALL SELECT i.indexdef FROM pg_indexes i WHERE i.schemaname = 'manyply'
        UNION ALL SELECT concat_ws(' ', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
          FROM pg_constraint c WHERE c.connamespace = 'manyply'::regnamespace
        UNION ALL SELECT concat_ws(' ', t.relname, t.relacl, t.reloptions)
          FROM pg_class t WHERE t.relnamespace = 'manyply'::regnamespace AND t.relkind = 'r') catalogue)"),
            "c2d3d07f39b626416c223a665629a45d");
}

TEST_F(CampaignDatabase, ClaimsGoOnWithNeighboursAndBeginInGaps) {
  SmallCampaign small(address());
  const Campaign campaign = small.create();
  EXPECT_EQ(campaign.units, small.units.size());
  EXPECT_EQ(campaign.identity, small.made.identity);
  EXPECT_EQ(campaign.root_moves, 48U);
  const std::int64_t one = join(small, campaign);
  const std::int64_t two = join(small, campaign);
  const std::int64_t three = join(small, campaign);
  const auto claim = [&](std::int64_t worker, std::optional<std::int64_t> last) {
    return small.store
        .claim(worker, campaign.id,
               last ? std::optional(RangeKey{.pass = 0, .number = *last}) : std::nullopt)
        .value();
  };
  EXPECT_EQ(number_in(claim(one, {})), 0);
  EXPECT_EQ(number_in(claim(one, {})), 0);    // it did not hear the answer
  EXPECT_EQ(number_in(claim(two, {})), 3);    // 1 … 5 are open, 0 is leased: the middle
  EXPECT_EQ(number_in(claim(one, 0)), 1);     // the neighbour
  EXPECT_EQ(number_in(claim(three, {})), 5);  // 2 | 4 5: the middle of the longer gap, rounded up
  EXPECT_EQ(number_in(claim(two, 3)), 4);
  EXPECT_EQ(number_in(claim(two, 4)), 2);  // no neighbour is left
  const Claim none = claim(one, 1);
  EXPECT_FALSE(none.range);
  EXPECT_EQ(none.state, CampaignState::kRunning);

  // What is handed back is open at once, what nobody renews when its lease is over.
  EXPECT_EQ(small.store.hand_back(three, 0, std::chrono::minutes(10)), std::nullopt);
  EXPECT_EQ(number_in(claim(one, 1)), 5);
  EXPECT_THAT(small.store.claim(three, campaign.id, {}).error().to_string(),
              HasSubstr("takes no part"));
  EXPECT_EQ(small.store.renew(two).value(), CampaignState::kRunning);
  sql("UPDATE range SET lease_until = now() - interval '1 s' WHERE no IN (0, 2)");
  const Claim again = claim(two, 4);
  EXPECT_EQ(number_in(again), 0);
  EXPECT_EQ(again.range->epoch, 3);
}

TEST_F(CampaignDatabase, WhatNobodyRenewsIsNotShownAsBeingCounted) {
  SmallCampaign small(address());
  const Campaign campaign = small.create();
  ASSERT_TRUE(small.store.claim(join(small, campaign), campaign.id, {})->range);
  const auto ranges = [&] { return small.store.status(small.name)->passes[0].ranges_leased; };
  const auto shown = [&] {
    double weight = 0;
    for (const CampaignCell& cell : small.store.strip(campaign).value()) weight += cell.leased[0];
    return weight;
  };
  EXPECT_EQ(ranges(), 1);
  EXPECT_GT(shown(), 0);
  // Nobody has asked for a range since, which would open it.
  sql("UPDATE range SET lease_until = now() - interval '1 s' WHERE no = 0");
  EXPECT_EQ(ranges(), 0);
  EXPECT_EQ(shown(), 0);
}

TEST_F(CampaignDatabase, CommitsCountOnceWhoeverBringsThemHoweverLate) {
  SmallCampaign small(address());
  const Campaign campaign = small.create();
  const std::int64_t one = join(small, campaign);
  const std::int64_t two = join(small, campaign);
  const ClaimedRange mine = small.store.claim(one, campaign.id, {})->range.value();
  const FinishedBatch first = small.batch(mine, 0);
  EXPECT_FALSE(small.store.commit(one, campaign, first)->lease_lost);
  EXPECT_FALSE(small.store.commit(one, campaign, first)->lease_lost);  // sent again
  EXPECT_EQ(number("SELECT count(*) FROM manyply.batch"), 1);
  EXPECT_EQ(number("SELECT batches_done FROM manyply.range WHERE no = 0"), 1);

  sql("UPDATE range SET lease_until = now() - interval '1 s' WHERE no = 0");
  ClaimedRange theirs = small.store.claim(two, campaign.id, {})->range.value();
  while (theirs.key.number != 0)
    theirs = small.store.claim(two, campaign.id, theirs.key)->range.value();
  EXPECT_EQ(theirs.batches_there, 1U);
  EXPECT_TRUE(small.store.commit(one, campaign, small.batch(mine, 1))->lease_lost);
  EXPECT_EQ(word("SELECT state FROM manyply.range WHERE no = 0"), "done");
  EXPECT_TRUE(small.store.commit(two, campaign, small.batch(theirs, 1))->lease_lost);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.batch"), 2);

  // What cannot be a batch of this campaign is none.
  FinishedBatch wrong = small.batch(mine, 1);
  wrong.counts.pop_back();
  EXPECT_THAT(small.store.commit(one, campaign, wrong).error().to_string(),
              HasSubstr("has another size"));
  wrong = first;
  wrong.sums.pop_back();
  EXPECT_THAT(small.store.commit(one, campaign, wrong).error().to_string(),
              HasSubstr("has another size"));
  wrong = first;
  wrong.number = 2;
  EXPECT_THAT(small.store.commit(one, campaign, wrong).error().to_string(),
              HasSubstr("there is no batch 2 of range 0"));
  EXPECT_THAT(small.store.commit(77, campaign, first).error().to_string(),
              HasSubstr("worker 77 takes no part"));
}

TEST_F(CampaignDatabase, IsDoneWhenAllOfItIsAndAddsUp) {
  SmallCampaign small(address());
  const Campaign campaign = small.create();
  EXPECT_THAT(complaint(small), HasSubstr("is not done but running"));
  const std::int64_t worker = join(small, campaign);
  EXPECT_EQ(small.finish_all(worker, campaign), 6);
  EXPECT_EQ(small.store.claim(worker, campaign.id, {})->state, CampaignState::kDone);
  EXPECT_EQ(small.store.hand_back(worker, 0.25, std::chrono::minutes(10)), std::nullopt);

  const auto result = small.store.result(small.name, small.units);
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(result->nodes, NodeCount(4'085'603));
  EXPECT_EQ(result->divide.size(), 48U);
  EXPECT_EQ(result->batches, 12);
  EXPECT_EQ(result->batches_verified, 0);
  EXPECT_EQ(result->false_matches, 0.25);
  const CampaignStatus status = small.store.status(small.name).value();
  EXPECT_EQ(status.passes[0].ranges_done, 6);
  EXPECT_EQ(status.passes[0].batches_done, 12);
  EXPECT_EQ(status.workers_seen, 0);
  EXPECT_EQ(status.workers_gone, 1);
  EXPECT_GT(status.leaves_last_minute, 4e6);

  EXPECT_EQ(small.store.drop(small.name), std::nullopt);
  EXPECT_THAT(small.store.find(small.name).error().to_string(), HasSubstr("no campaign named"));
  EXPECT_EQ(number("SELECT (SELECT count(*) FROM manyply.batch) + (SELECT count(*) FROM "
                   "manyply.worker) + (SELECT count(*) FROM manyply.range)"),
            0);
}

// Each of these was once a total that nobody would have doubted.
TEST_F(CampaignDatabase, DamageIsNamed) {
  SmallCampaign small(address(), 1);
  const Campaign campaign = small.create();
  for (const std::int64_t worker : {join(small, campaign), join(small, campaign)})
    small.finish_all(worker, campaign);
  ASSERT_EQ(complaint(small), "none");
  ASSERT_EQ(small.store.result(small.name, small.units)->batches_verified, 12);

  const std::map<std::string, std::string> damages{
      {"DELETE FROM batch WHERE pass = 0 AND range = 2 AND no = 1",
       "batch 1 of range 2, pass 0, is missing"},
      {"DELETE FROM batch WHERE pass = 1 AND range = 5 AND no = 1",
       "batch 1 of range 5, pass 1, is missing"},
      {"INSERT INTO batch SELECT campaign, pass, range, 2, worker, counts, digest, sums, visited, "
       "seconds FROM batch WHERE pass = 0 AND range = 3 AND no = 1",
       "batch 2 of range 3, pass 0, is one too many"},
      {"UPDATE batch b SET counts = o.counts, digest = o.digest, sums = o.sums FROM batch o "
       "WHERE b.range = 3 AND b.no = 0 AND o.range = 3 AND o.no = 1 AND b.pass = o.pass",
       "is damaged: its digest is not that of its counts"},
      {"UPDATE range SET first_unit = first_unit + 1 WHERE no = 4 AND pass = 0",
       "range 4 begins at unit 33, but the one before it ends at 32"},
      {"UPDATE range SET units = units + 1 WHERE no = 5", "the ranges are 6, with 49"},
      {"UPDATE range SET units = units + 1 WHERE no = 5 AND pass = 1",
       "range 5 is another one in pass 1"},
      {"UPDATE batch SET counts = set_byte(counts, 4, 255 - get_byte(counts, 4)) WHERE pass = 0 "
       "AND range = 1 AND no = 0",
       "batch 0 of range 1 is not the same in both passes"},
      {"UPDATE batch SET counts = set_bit(counts, 5, 1 - get_bit(counts, 5)) WHERE range = 1 AND "
       "no = 0",
       "batch 0 of range 1, pass 0, is damaged: its digest"},
      {"UPDATE batch SET sums[3] = sums[3] + 1 WHERE range = 1 AND no = 0",
       "batch 0 of range 1, pass 0, is damaged: its sums are not those of its counts"},
      {"UPDATE batch SET digest = set_byte(digest, 15, 255 - get_byte(digest, 15)) WHERE pass = 1 "
       "AND range = 1",
       "pass 1, is damaged: its digest"},
      {"UPDATE range SET state = 'open', batches_done = 1 WHERE pass = 1 AND no = 3",
       "range 3 of pass 1 is not done"},
      {"UPDATE campaign SET state = 'stopped'", "is not done but stopped"},
      {"INSERT INTO dispute SELECT 1, 0, 0, 7, NULL, NULL, 1, 2", "is disputed"},
  };
  sql("CREATE TABLE kept_batch AS TABLE batch; CREATE TABLE kept_range AS TABLE range;");
  std::minstd_rand random(std::random_device{}());
  for (const auto& [script, what] : damages) {
    if (!kIsFastBuild && random() % 3 != 0) continue;  // others have their turn another time
    sql(script);
    EXPECT_THAT(complaint(small), HasSubstr(what)) << script;
    sql("DELETE FROM dispute; DELETE FROM batch; DELETE FROM range; "
        "INSERT INTO range TABLE kept_range; INSERT INTO batch TABLE kept_batch; "
        "UPDATE campaign SET state = 'done'");
  }
  EXPECT_EQ(complaint(small), "none");
}

TEST_F(CampaignDatabase, AnotherWorkerVerifiesAndWhoDisagreesIsNamed) {
  SmallCampaign small(address(), 1);
  const Campaign campaign = small.create();
  const std::int64_t one = join(small, campaign);
  EXPECT_EQ(small.finish_all(one, campaign), 6);
  // All that is left is what it must not count.
  EXPECT_EQ(small.store.claim(one, campaign.id, {})->state, CampaignState::kRunning);
  EXPECT_EQ(small.store.status(small.name)->ranges_for_another, 6);

  const std::int64_t two = join(small, campaign);
  EXPECT_EQ(small.store.status(small.name)->ranges_for_another, 0);
  const ClaimedRange claimed = small.store.claim(two, campaign.id, {})->range.value();
  EXPECT_EQ(claimed.key.pass, 1);
  FinishedBatch own = small.batch(claimed, 0);
  EXPECT_THAT(small.store.commit(one, campaign, own).error().to_string(),
              HasSubstr("must not verify what it has counted itself"));
  EXPECT_EQ(small.store.commit(two, campaign, own)->state, CampaignState::kRunning);

  FinishedBatch wrong = small.batch(claimed, 1);
  wrong.counts[2] += 1;
  EXPECT_EQ(small.store.commit(two, campaign, wrong)->state, CampaignState::kDisputed);
  const auto disputes = small.store.disputes(small.name).value();
  ASSERT_EQ(disputes.size(), 1U);
  EXPECT_EQ(disputes[0].range, claimed.key.number);
  EXPECT_EQ(disputes[0].unit,
            static_cast<std::int64_t>(claimed.range.first) + claimed.range.batch_begin(1) + 2);
  EXPECT_EQ(disputes[0].worker0, one);
  EXPECT_EQ(disputes[0].worker1, two);
  EXPECT_EQ(NodeCount::parse(disputes[0].count0).value() + 1,
            NodeCount::parse(disputes[0].count1).value());
  EXPECT_EQ(small.store.claim(two, campaign.id, {})->state, CampaignState::kDisputed);
  EXPECT_EQ(small.store.renew(one).value(), CampaignState::kDisputed);
  EXPECT_EQ(small.store.set_running(small.name, true).value(), CampaignState::kDisputed);
  EXPECT_THAT(complaint(small), HasSubstr("is not done but disputed"));
}

TEST_F(CampaignDatabase, ASecondCountComesFromAnotherHostOrKernel) {
  for (const VerifyOther other : {VerifyOther::kHost, VerifyOther::kKernel}) {
    SmallCampaign small(address(), 1);
    small.made.verify_other = other;
    const Campaign campaign = small.create();
    const std::int64_t one = join(small, campaign);
    EXPECT_EQ(small.finish_all(one, campaign), 6);
    const std::int64_t like_it = join(small, campaign);
    EXPECT_EQ(small.finish_all(like_it, campaign), 0);
    const CampaignStatus status = small.store.status(small.name).value();
    EXPECT_EQ(status.ranges_for_another, 6);
    EXPECT_EQ(status.verify_other, other);
    NewWorker unlike = small.worker(++seed_);
    (other == VerifyOther::kHost ? unlike.host : unlike.kernel) = "other";
    const std::int64_t another = small.store.register_worker(campaign.id, unlike).value();
    EXPECT_EQ(small.store.status(small.name)->ranges_for_another, 0);
    EXPECT_EQ(small.finish_all(another, campaign), 6);
    EXPECT_EQ(complaint(small), "none");
    ASSERT_EQ(small.store.drop(small.name), std::nullopt);
  }
}

/// Ranges of two passes in any state there may be, and what a gap is, worked out range by range.
class RandomRanges {
 public:
  RandomRanges(std::minstd_rand& random, int ranges, int workers) : withdrawn_(random() % 2 == 0) {
    for (auto& pass : passes_) {
      pass.resize(static_cast<std::size_t>(ranges));
      // Stripes, as workers make them.
      Row row;
      for (Row& each : pass) {
        if (random() % 3 == 0) {
          row.there = &pass == &passes_[0] || random() % 4 != 0;
          row.state = kStates[random() % kStates.size()];
          row.worker = 1 + static_cast<int>(random() % static_cast<unsigned>(workers));
          row.brought = row.state == "done" || random() % 3 == 0;
          row.helper = random() % 2 == 0
                           ? 0
                           : 1 + static_cast<int>(random() % static_cast<unsigned>(workers));
        }
        each = row;
      }
    }
  }

  [[nodiscard]] std::string script() const {
    std::string script = "DELETE FROM withdrawn; DELETE FROM batch; DELETE FROM range; ";
    for (const int pass : {0, 1}) {
      for (int number = 0; const Row& row : passes_[static_cast<std::size_t>(pass)]) {
        if (row.there) add(script, row, pass, number);
        ++number;
      }
    }
    if (withdrawn_)
      script += "INSERT INTO withdrawn VALUES (1, 0, 0, 0, 1, '', '', '{}', 0, 0, now(), 'why');";
    return script;
  }

  [[nodiscard]] std::string longest_gap(int pass, int worker) const {
    const std::vector<Row>& rows = passes_[static_cast<std::size_t>(pass)];
    std::size_t start = 0;
    std::size_t length = 0;
    std::size_t run = 0;
    for (std::size_t number = 0; number < rows.size(); ++number) {
      const bool open = rows[number].there && rows[number].state == "open";
      run = open && may_count(pass, number, worker) ? run + 1 : 0;
      if (run > length) {
        length = run;
        start = number + 1 - run;
      }
    }
    if (length == 0) return "none";
    const bool somebody_comes =
        start > 0 && rows[start - 1].there && rows[start - 1].state == "leased";
    return fmt::format("{} {}", somebody_comes ? start + length / 2 : start, length);
  }

  /// How many wait for others than the first `alive` workers.
  [[nodiscard]] int for_another(int alive) const {
    int ranges = 0;
    for (const int pass : {0, 1}) {
      const std::vector<Row>& rows = passes_[static_cast<std::size_t>(pass)];
      for (std::size_t number = 0; number < rows.size(); ++number) {
        bool nobody =
            rows[number].there && rows[number].state == "open" && (pass == 1 || alive > 0);
        for (int worker = 1; worker <= alive; ++worker)
          nobody = nobody && !may_count(pass, number, worker);
        ranges += nobody ? 1 : 0;
      }
    }
    return ranges;
  }

 private:
  static constexpr std::array<std::string_view, 4> kStates{"open", "open", "leased", "done"};
  struct Row {
    bool there = true;  // pass 1 need not have all
    std::string_view state = "open";
    int worker = 1;
    bool brought = false;  // a batch of it
    int helper = 0;        // who brought another one, if anybody did
  };

  static void add(std::string& script, const Row& row, int pass, int number) {
    const bool leased = row.state == "leased";
    script +=
        fmt::format("INSERT INTO range VALUES (1, {}, {}, {}, 1, 1, 1, '{}', {}, 1, {}, {});", pass,
                    number, number, row.state, leased ? std::to_string(row.worker) : "NULL",
                    leased ? "now() + interval '1 hour'" : "NULL", row.state == "done" ? 1 : 0);
    const std::array<int, 2> brought{row.brought ? row.worker : 0, row.helper};
    for (std::size_t batch = 0; batch < brought.size(); ++batch) {
      if (brought[batch] == 0) continue;
      script += fmt::format(
          "INSERT INTO batch VALUES (1, {}, {}, {}, {}, '', decode(repeat('00', 16), 'hex'), "
          "'{{}}', 0, 0);",
          pass, number, batch, brought[batch]);
    }
  }

  [[nodiscard]] bool may_count(int pass, std::size_t number, int worker) const {
    if (pass == 0 && !withdrawn_) return true;
    const Row& other = passes_[static_cast<std::size_t>(1 - pass)][number];
    if (!other.there || other.helper == worker) return !other.there;
    return other.worker != worker || !(other.brought || other.state == "leased");
  }

  bool withdrawn_;
  std::array<std::vector<Row>, 2> passes_;
};

// Wherever ranges are open, in either pass, whoever counted the other one.
TEST_F(CampaignDatabase, GapsAreTheLongestRunsThatAWorkerMayCount) {
  constexpr int kRanges = 40;
  constexpr int kWorkers = 3;
  SmallCampaign small(address(), 1);
  small.made.ranges = cut_into_ranges(small.units, equal_weights(small.units.size()), kRanges);
  ASSERT_EQ(small.made.ranges.size(), kRanges);
  small.made.verified.assign(kRanges, true);
  const Campaign campaign = small.create();
  for (int worker = 1; worker <= kWorkers; ++worker) ASSERT_EQ(join(small, campaign), worker);
  sql("ALTER DATABASE postgres SET search_path = manyply");  // as claim() has it

  std::minstd_rand random(std::random_device{}());
  for (int round = 0; round < (kIsFastBuild ? 12 : 3); ++round) {
    const RandomRanges ranges(random, kRanges, kWorkers);
    const std::string script = ranges.script();
    sql(script);
    for (int worker = 1; worker <= kWorkers; ++worker) {
      for (const int pass : {0, 1}) {
        EXPECT_EQ(word(fmt::format("SELECT coalesce(start || ' ' || length, 'none') "
                                   "FROM manyply.longest_gap({}, {}, {})",
                                   worker, campaign.id, pass)),
                  ranges.longest_gap(pass, worker))
            << "pass " << pass << ", worker " << worker << ": " << script;
      }
    }
    for (int alive = 0; alive <= kWorkers; ++alive) {
      sql(fmt::format("UPDATE worker SET seen = now(), ended = CASE WHEN id > {} THEN now() END",
                      alive));
      EXPECT_EQ(small.store.status(small.name)->ranges_for_another, ranges.for_another(alive))
          << alive << " workers alive: " << script;
    }
  }
}

// What one worker counted is counted again by others, though it verified what they had counted.
TEST_F(CampaignDatabase, WhatASuspectBroughtIsCountedAgainByOthers) {
  SmallCampaign small(address(), 1);
  const Campaign campaign = small.create();
  const std::int64_t one = join(small, campaign);
  const std::int64_t two = join(small, campaign);
  EXPECT_EQ(small.finish_all(one, campaign), 6);
  EXPECT_EQ(small.finish_all(two, campaign), 6);
  const auto brought = small.store.batches_of(campaign, one).value();
  ASSERT_EQ(brought.size(), 12U);
  EXPECT_EQ(brought.back().range.number, 5);
  EXPECT_EQ(brought.back().number, 1);
  EXPECT_TRUE(brought.back().verified);

  EXPECT_EQ(small.store.withdraw_worker(campaign, one, "is under suspicion").value(), 12);
  EXPECT_EQ(small.store.find(small.name)->state, CampaignState::kRunning);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.withdrawn WHERE reason = 'is under suspicion'"),
            12);
  EXPECT_THAT(small.store.claim(one, campaign.id, {}).error().to_string(),
              HasSubstr("takes no part"));
  EXPECT_THAT(small.store.register_worker(campaign.id, small.worker(1)).error().to_string(),
              HasSubstr("this worker is refused: is under suspicion"));
  const auto workers = small.store.workers(small.name).value();
  ASSERT_EQ(workers.size(), 2U);
  EXPECT_EQ(workers[0].state, "refused");
  EXPECT_EQ(workers[0].refused, "is under suspicion");
  EXPECT_EQ(workers[0].batches, 0);
  EXPECT_EQ(workers[1].state, "waiting");
  EXPECT_EQ(workers[1].batches, 12);
  EXPECT_EQ(workers[1].key_seed, 2U);

  EXPECT_FALSE(small.store.claim(two, campaign.id, {})->range);  // it has counted the other pass
  EXPECT_EQ(small.store.status(small.name)->ranges_for_another, 6);
  EXPECT_EQ(small.finish_all(join(small, campaign), campaign), 6);
  EXPECT_EQ(complaint(small), "none");
  EXPECT_THAT(small.store.withdraw_worker(campaign, 77, "none").error().to_string(),
              HasSubstr("worker 77 takes no part"));
  EXPECT_EQ(small.store.drop(small.name), std::nullopt);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.withdrawn"), 0);
}

// A range that somebody has when batches of it are put aside is taken from it: what it knows of
// that range is no longer true.
TEST_F(CampaignDatabase, WhatIsPutAsideIsOpenAlthoughItWasLeased) {
  SmallCampaign small(address());
  const Campaign campaign = small.create();
  const std::int64_t one = join(small, campaign);
  const std::int64_t two = join(small, campaign);
  const ClaimedRange first = small.store.claim(one, campaign.id, {})->range.value();
  ASSERT_TRUE(small.store.commit(one, campaign, small.batch(first, 0)).ok());
  ASSERT_EQ(small.store.hand_back(one, 0, std::chrono::minutes(10)), std::nullopt);
  const ClaimedRange second = small.store.claim(two, campaign.id, {})->range.value();
  ASSERT_EQ(second.key.number, first.key.number);
  ASSERT_EQ(second.batches_there, 1U);
  EXPECT_EQ(small.store.withdraw_worker(campaign, one, "is under suspicion").value(), 1);
  EXPECT_TRUE(small.store.commit(two, campaign, small.batch(second, 1))->lease_lost);
  const ClaimedRange again = small.store.claim(two, campaign.id, {})->range.value();
  EXPECT_EQ(again.key.number, first.key.number);
  EXPECT_EQ(again.batches_there, 2U);
  EXPECT_EQ(small.store.commit(two, campaign, small.batch(again, 0))->state,
            CampaignState::kRunning);
  EXPECT_EQ(word("SELECT state FROM manyply.range WHERE no = 0"), "done");
}

// Whichever of the two it is.
TEST_F(CampaignDatabase, WhoWasWrongIsNamedAndTheOtherIsBelieved) {
  for (const bool first_is_wrong : {false, true}) {
    SmallCampaign small(address(), 1);
    const Campaign campaign = small.create();
    const std::int64_t one = join(small, campaign);
    const std::int64_t two = join(small, campaign);
    const auto explained = [&] {
      return explain_campaign(small.store, campaign, small.plan, {}, {}).value();
    };
    // Off by one, with sums to match.
    const auto wrong_batch = [&](const ClaimedRange& claimed) {
      FinishedBatch batch = small.batch(claimed, 1);
      batch.counts[2] += 1;
      small.units.add_paths(claimed.range.batch_span(1).begin + 2, 1, batch.sums);
      return batch;
    };
    const ClaimedRange first = small.store.claim(one, campaign.id, {})->range.value();
    ASSERT_TRUE(small.store.commit(one, campaign, small.batch(first, 0)).ok());
    ASSERT_TRUE(
        small.store
            .commit(one, campaign, first_is_wrong ? wrong_batch(first) : small.batch(first, 1))
            .ok());
    small.finish_all(one, campaign);
    EXPECT_TRUE(explained().empty());
    std::optional<ClaimedRange> second;
    do {
      second =
          small.store.claim(two, campaign.id, second ? std::optional(second->key) : std::nullopt)
              ->range;
    } while (second->key.number != first.key.number);
    ASSERT_TRUE(small.store.commit(two, campaign, small.batch(*second, 0)).ok());
    ASSERT_EQ(
        small.store
            .commit(two, campaign, first_is_wrong ? small.batch(*second, 1) : wrong_batch(*second))
            ->state,
        CampaignState::kDisputed);

    const CampaignExplanation explanation = explained();
    ASSERT_EQ(explanation.disputes.size(), 1U);
    ASSERT_EQ(explanation.wrong.size(), 1U);
    EXPECT_TRUE(explanation.damaged.empty());
    const std::int64_t wrong = first_is_wrong ? one : two;
    EXPECT_EQ(explanation.wrong[0].worker.id, wrong);
    EXPECT_EQ(explanation.wrong[0].cause,
              "does not show again with its keys: suspect its memory, its processor or its build");
    EXPECT_EQ(explanation.disputes[0].nodes.to_string(),
              first_is_wrong ? explanation.disputes[0].dispute.count1
                             : explanation.disputes[0].dispute.count0);

    EXPECT_TRUE(small.store.withdraw_worker(campaign, wrong, "was wrong").ok());
    EXPECT_TRUE(small.store.disputes(small.name)->empty());
    EXPECT_EQ(small.store.find(small.name)->state, CampaignState::kRunning);
    for (int more = 0; more < 2; ++more) small.finish_all(join(small, campaign), campaign);
    if (first_is_wrong) small.finish_all(two, campaign);
    EXPECT_EQ(complaint(small), "none");
    ASSERT_EQ(small.store.drop(small.name), std::nullopt);
    seed_ += 10;
  }
}

TEST_F(CampaignDatabase, WhatWasDamagedIsNamedAndCountedAgain) {
  SmallCampaign small(address(), 1);
  const Campaign campaign = small.create();
  for (const std::int64_t worker : {join(small, campaign), join(small, campaign)})
    small.finish_all(worker, campaign);
  sql("UPDATE batch SET counts = set_bit(counts, 5, 1 - get_bit(counts, 5)) "
      "WHERE pass = 0 AND range = 1 AND no = 0; "
      "UPDATE batch SET sums[3] = sums[3] + 1 WHERE pass = 1 AND range = 4 AND no = 1; "
      "UPDATE batch b SET counts = o.counts, digest = o.digest, sums = o.sums FROM batch o "
      "WHERE b.pass = 1 AND b.range = 3 AND b.no = 0 AND o.range = 3 AND o.no = 1 AND o.pass = 0");
  const CampaignExplanation explanation =
      explain_campaign(small.store, campaign, small.plan, {}, {}).value();
  EXPECT_TRUE(explanation.disputes.empty());
  std::vector<std::string> damaged;
  for (const DamagedBatch& batch : explanation.damaged) {
    damaged.push_back(std::to_string(batch.range.pass) + std::to_string(batch.range.number) +
                      std::to_string(batch.number) + batch.what);
    EXPECT_EQ(batch.worker, batch.range.pass == 0 ? 1 : 2);
    EXPECT_EQ(small.store.withdraw_batch(campaign, batch).value(), 1);
  }
  EXPECT_THAT(damaged, testing::ElementsAre("010is damaged: its digest is not that of its counts",
                                            "130is damaged: its digest is not that of its counts",
                                            "141is damaged: its sums are not those of its counts"));
  EXPECT_EQ(small.store.find(small.name)->state, CampaignState::kRunning);
  EXPECT_EQ(small.finish_all(join(small, campaign), campaign), 3);
  EXPECT_EQ(complaint(small), "none");
}

// Who did not hear the answer asks again, and is not somebody else then.
TEST_F(CampaignDatabase, AWorkerIsLetInOnce) {
  SmallCampaign small(address());
  const Campaign campaign = small.create();
  const NewWorker worker = small.worker(1);
  const std::int64_t number_of_it = small.store.register_worker(campaign.id, worker).value();
  EXPECT_EQ(small.store.register_worker(campaign.id, worker).value(), number_of_it);
  NewWorker other = worker;
  other.process = 2;
  EXPECT_THAT(small.store.register_worker(campaign.id, other).error().to_string(),
              HasSubstr("key_seed"));
  other.key_seed = 2;
  EXPECT_NE(small.store.register_worker(campaign.id, other).value(), number_of_it);
  other = worker;
  other.key_seed = other.process = 3;
  other.signature = 7;
  const std::string refusal = small.store.register_worker(campaign.id, other).error().to_string();
  EXPECT_EQ(small.store.register_worker(campaign.id, other).error().to_string(), refusal);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.worker"), 3);
}

TEST_F(CampaignDatabase, SumsThatDifferAreADisputeToo) {
  SmallCampaign small(address());
  const Campaign campaign = small.create();
  const std::int64_t one = join(small, campaign);
  const ClaimedRange claimed = small.store.claim(one, campaign.id, {})->range.value();
  FinishedBatch batch = small.batch(claimed, 0);
  ASSERT_TRUE(small.store.commit(one, campaign, batch).ok());
  batch.sums[0] += 1;
  EXPECT_EQ(small.store.commit(one, campaign, batch)->state, CampaignState::kDisputed);
  EXPECT_EQ(small.store.disputes(small.name)->at(0).unit, -1);
  // The stored one is right.
  const CampaignExplanation explanation =
      explain_campaign(small.store, campaign, small.plan, {}, {}).value();
  ASSERT_EQ(explanation.wrong.size(), 1U);
  EXPECT_THAT(explanation.wrong[0].cause, HasSubstr("added its counts up wrongly"));
}

// Counts are as wide as the largest of a batch: a large one that is wrong changes the width of all.
TEST_F(CampaignDatabase, CountsOfDifferentWidthsAreComparedOneByOne) {
  for (const bool first_is_wrong : {false, true}) {
    SmallCampaign small(address(), 1, UnitStorage::kPacked);
    const Campaign campaign = small.create();
    EXPECT_TRUE(campaign.deep());
    const std::int64_t one = join(small, campaign);
    const std::int64_t two = join(small, campaign);
    const NodeCount large = NodeCount::from_words(3, 5);
    const auto batch_of = [&](const ClaimedRange& claimed, bool wrong) {
      FinishedBatch batch = small.batch(claimed, 1);
      if (wrong) {
        batch.counts[2] += large;
        small.units.add_paths(claimed.range.batch_span(1).begin + 2, large, batch.sums);
      }
      return batch;
    };
    const ClaimedRange first = small.store.claim(one, campaign.id, {})->range.value();
    ASSERT_TRUE(small.store.commit(one, campaign, small.batch(first, 0)).ok());
    ASSERT_TRUE(small.store.commit(one, campaign, batch_of(first, first_is_wrong)).ok());
    small.finish_all(one, campaign);
    std::optional<ClaimedRange> second = first;
    while (second->key.pass == 0 || second->key.number != first.key.number)
      second = small.store.claim(two, campaign.id, second->key)->range;
    ASSERT_EQ(small.store.commit(two, campaign, batch_of(*second, !first_is_wrong))->state,
              CampaignState::kDisputed);

    const auto disputes = small.store.disputes(small.name).value();
    ASSERT_EQ(disputes.size(), 1U);
    const std::uint64_t unit = first.range.batch_span(1).begin + 2;
    EXPECT_EQ(disputes[0].unit, static_cast<std::int64_t>(unit));
    const NodeCount right = small.batch(first, 1).counts[2];
    EXPECT_EQ(disputes[0].count0, (first_is_wrong ? right + large : right).to_string());
    EXPECT_EQ(disputes[0].count1, (first_is_wrong ? right : right + large).to_string());
    const CampaignExplanation explanation =
        explain_campaign(small.store, campaign, small.plan, {}, {}).value();
    ASSERT_EQ(explanation.disputes.size(), 1U);
    EXPECT_EQ(explanation.disputes[0].nodes, right);
    EXPECT_EQ(explanation.disputes[0].unit->board(), small.units.board(unit));
    EXPECT_THAT(explanation.disputes[0].wrong, testing::ElementsAre(first_is_wrong ? one : two));
    ASSERT_EQ(small.store.drop(small.name), std::nullopt);
  }
}

// A campaign of packed units is not one of the same units by root move, and has one sum.
TEST_F(CampaignDatabase, PackedUnitsHaveOneSumAndNoDivide) {
  SmallCampaign by_move(address());
  SmallCampaign small(address(), 1, UnitStorage::kPacked);
  EXPECT_NE(small.made.identity, by_move.made.identity);
  EXPECT_EQ(small.units.size(), by_move.units.size());
  const Campaign campaign = small.create();
  EXPECT_EQ(campaign.root_moves, 0U);
  const std::int64_t one = join(small, campaign);
  const std::int64_t two = join(small, campaign);
  const ClaimedRange first = small.store.claim(one, campaign.id, {})->range.value();
  FinishedBatch wrong = small.batch(first, 0);
  ASSERT_EQ(wrong.sums.size(), 1U);
  wrong.sums.emplace_back(0);
  EXPECT_THAT(small.store.commit(one, campaign, wrong).error().to_string(),
              HasSubstr("has another size"));
  small.finish(one, campaign, first);
  small.finish_all(one, campaign);
  small.finish_all(two, campaign);
  const auto result = small.store.result(small.name, small.units);
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(result->nodes, NodeCount(4'085'603));
  EXPECT_TRUE(result->divide.empty());
  EXPECT_EQ(result->batches_verified, 12);
  sql("UPDATE batch SET sums[1] = sums[1] + 1 WHERE range = 2 AND no = 0");
  EXPECT_THAT(complaint(small), HasSubstr("its sums are not those of its counts"));
}

TEST_F(CampaignDatabase, CountsOf128BitsAreKeptAndTooLargeSumsAreErrors) {
  SmallCampaign small(address());
  const Campaign campaign = small.create();
  const std::int64_t one = join(small, campaign);
  // One unit has as many paths as there can be, all others none.
  const NodeCount most = NodeCount::from_words(~std::uint64_t{0}, ~std::uint64_t{0});
  std::optional<RangeKey> last;
  std::uint32_t place_of_the_large = 0;
  for (std::size_t range = 0; range < SmallCampaign::kRanges; ++range) {
    const ClaimedRange claimed = small.store.claim(one, campaign.id, last)->range.value();
    last = claimed.key;
    for (std::uint32_t number = 0; number < 2; ++number) {
      FinishedBatch batch = small.batch(claimed, number);
      std::ranges::fill(batch.counts, NodeCount(0));
      std::ranges::fill(batch.sums, NodeCount(0));
      if (claimed.key.number == 0 && number == 0) {
        batch.counts[place_of_the_large] = most;
        ASSERT_EQ(small.units.paths_to(0), NodeCount(1));
        small.units.add_paths(0, most, batch.sums);
      }
      ASSERT_TRUE(small.store.commit(one, campaign, batch).ok());
    }
  }
  const auto result = small.store.result(small.name, small.units);
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(result->nodes, most);
  EXPECT_EQ(word("SELECT max(s) FROM manyply.batch, unnest(sums) s"),
            "340282366920938463463374607431768211455");
  // The same units with one more path to that one.
  RootSplit more = *small.units.root_split();
  UnitOrder order = grouped_for_window(more, SmallCampaign::kDepth.plies() - more.ply);
  more.shares[more.share_begin[order.units[0]]].paths += 1;
  const JobUnits units(std::move(more), std::move(order));
  EXPECT_EQ(small.store.result(small.name, units).error().code, ErrorCode::kOverflow);
}

TEST_F(CampaignDatabase, RefusesByName) {
  SmallCampaign small(address());
  const Campaign campaign = small.create();
  EXPECT_THAT(small.store.create(small.made)->to_string(), HasSubstr("there is one named 'small'"));
  EXPECT_THAT(small.store.find("none").error().to_string(), HasSubstr("no campaign named 'none'"));

  NewWorker worker = small.worker(1);
  worker.version = "2";
  const auto told = [&] {
    return small.store.register_worker(campaign.id, worker).error().to_string();
  };
  EXPECT_THAT(told(), HasSubstr("this is version 2; the campaign is counted by version 1"));
  worker = small.worker(2);
  worker.signature = 7;
  EXPECT_THAT(told(), HasSubstr("signature 7: every correct build has 86489390 (kernel portable)"));
  worker = small.worker(3);
  worker.identity.low ^= 1;
  EXPECT_THAT(told(), HasSubstr("split in another way"));
  EXPECT_EQ(number("SELECT count(*) FROM manyply.worker WHERE refused IS NOT NULL"), 3);
  EXPECT_EQ(small.store.status(small.name)->workers_refused, 3);
  EXPECT_THAT(small.store.claim(1, campaign.id, {}).error().to_string(),
              HasSubstr("takes no part"));
  worker = small.worker(3);  // a seed that somebody had, even one who was refused
  worker.process = 77;
  EXPECT_EQ(small.store.register_worker(campaign.id, worker).error().code,
            ErrorCode::kInvalidInput);

  EXPECT_EQ(small.store.set_running(small.name, false).value(), CampaignState::kStopped);
  EXPECT_EQ(small.store.find(small.name)->state, CampaignState::kStopped);
  EXPECT_EQ(small.store.set_running(small.name, true).value(), CampaignState::kRunning);

  sql("ALTER DATABASE " + database_ + " SET synchronous_commit = off");
  EXPECT_THAT(CampaignStore(address()).find(small.name).error().to_string(),
              HasSubstr("may lose what it acknowledged: synchronous_commit is off"));
  EXPECT_THAT(
      CampaignStore({.conninfo = server_->conninfo("template1")}).find("x").error().to_string(),
      HasSubstr("has 'perft campaign init' been run here"));
  EXPECT_EQ(CampaignStore({.conninfo = "host=/nowhere"}).find("x").error().code,
            ErrorCode::kUnavailable);
}

TEST_F(CampaignDatabase, EachRoleMayDoItsPartAndNothingElse) {
  SmallCampaign small(address());
  const Campaign campaign = small.create();
  sql("DROP ROLE IF EXISTS ann, bob, eve, joe; "
      "CREATE ROLE ann LOGIN IN ROLE manyply_owner; CREATE ROLE bob LOGIN IN ROLE manyply_worker; "
      "CREATE ROLE eve LOGIN IN ROLE manyply_reader; CREATE ROLE joe LOGIN;");

  const char* const tables[] = {"campaign", "worker",    "range",         "batch",
                                "dispute",  "withdrawn", "schema_version"};
  for (const char* user : {"ann", "bob", "eve", "joe"}) {
    Postgres postgres = connect(database_, user);
    for (const std::string table : tables) {
      const auto may = [&](const std::string& statement) {
        return postgres.ask(statement.c_str()).ok();
      };
      const bool owner = user == std::string("ann");
      EXPECT_EQ(may("SELECT * FROM manyply." + table), owner || user == std::string("eve")) << user;
      // Of no row, so that the owner changes nothing.
      EXPECT_EQ(may("DELETE FROM manyply." + table + " WHERE false"), owner) << user << table;
      EXPECT_EQ(
          may("INSERT INTO manyply." + table + " SELECT * FROM manyply." + table + " WHERE false"),
          owner && table != "campaign" && table != "worker")  // their ids are generated
          << user << table;
    }
    EXPECT_FALSE(postgres.ask("CREATE TABLE manyply.mine (x int)").ok() &&
                 user != std::string("ann"));
  }

  const auto store_of = [&](const char* user) { return CampaignStore(address(user)); };
  EXPECT_TRUE(store_of("ann").init().ok());
  EXPECT_FALSE(store_of("bob").init().ok());
  EXPECT_TRUE(store_of("ann").set_running("small", true).ok());
  EXPECT_FALSE(store_of("bob").set_running("small", false).ok());
  EXPECT_FALSE(store_of("eve").set_running("small", false).ok());
  EXPECT_FALSE(store_of("eve").drop("small") == std::nullopt);
  EXPECT_FALSE(store_of("eve").withdraw_worker(campaign, 1, "why not").ok());
  EXPECT_FALSE(store_of("bob").withdraw_worker(campaign, 1, "why not").ok());
  EXPECT_TRUE(store_of("eve").workers("small").ok());
  EXPECT_TRUE(store_of("eve").status("small").ok());
  EXPECT_FALSE(store_of("bob").status("small").ok());

  SmallCampaign theirs(address("bob"));
  const std::int64_t worker = theirs.store.register_worker(campaign.id, theirs.worker(1)).value();
  EXPECT_EQ(theirs.finish_all(worker, campaign), 6);
  EXPECT_TRUE(store_of("eve").result("small", small.units).ok());
  EXPECT_EQ(store_of("eve").claim(worker, campaign.id, {}).error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(store_of("joe").find("small").error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace manyply

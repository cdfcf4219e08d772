// Tests campaigns in a database. Also tests parts that need no database: output, addresses of
// databases, stored bytes.
#include "tools/campaign/campaign_store.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/tools/campaign/campaign_fixture.h"
#include "tools/campaign/campaign_counting.h"
#include "tools/campaign/campaign_format.h"
#include "tools/campaign/postgres.h"

namespace manyply {
namespace {

using nlohmann::json;
using testing::ElementsAre;
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

  /// Registers one more worker: the first call registers worker 1, the second call worker 2, and so
  /// on.
  std::int64_t join(SmallCampaign& small) { return small.join(small.worker(++seed_)); }
  static std::optional<std::int64_t> number_in(const Claim& claim) {
    return claim.part ? std::optional(claim.part->key.number) : std::nullopt;
  }
  /// Returns the error of result().
  static std::string complaint(SmallCampaign& small) {
    const auto result = small.store.result(small.name);
    return result ? "none" : result.error().to_string();
  }

  std::uint64_t seed_ = 0;
};

TEST_F(CampaignDatabase, InitAgainChangesNothing) {
  CampaignStore store(address());
  const auto again = store.init();
  EXPECT_EQ(again->before, again->after);
  sql("INSERT INTO schema_version (version) VALUES (99)");
  EXPECT_THAT(store.init().error().to_string(), HasSubstr("version 99, newer than this perft's"));
  EXPECT_TRUE(store.names()->empty());
}

TEST_F(CampaignDatabase, EarlierVersionsAreRefused) {
  sql("DELETE FROM schema_version; INSERT INTO schema_version (version) VALUES (3)");
  EXPECT_THAT(CampaignStore(address()).init().error().to_string(),
              HasSubstr("version 3, and this perft needs " + std::to_string(kCampaignSchema)));
  sql("DROP FUNCTION claim; ALTER TABLE campaign DROP COLUMN plan");
  EXPECT_THAT(CampaignStore(address()).claim(1, 1).error().to_string(),
              HasSubstr("has 'perft campaign init' been run here, by this version?"));
}

// All databases of one version have the same schema, so a perft of this version can use each of
// them. If you change more than comments in schema.sql, counts.sql or leases.sql, raise the version
// and record here the digest of the schema that PostgreSQL then describes.
TEST_F(CampaignDatabase, ASchemaIsThatOfItsVersion) {
  ASSERT_EQ(kCampaignSchema, 5);
  EXPECT_EQ(word(R"(
      SELECT md5(string_agg(line, chr(10) ORDER BY line COLLATE "C")) FROM (
        SELECT regexp_replace(pg_get_functiondef(f.oid), '\s*--[^\n]*', '', 'g') || f.proacl::text AS line
          FROM pg_proc f WHERE f.pronamespace = 'manyply'::regnamespace
        UNION ALL SELECT concat_ws(' ', c.table_name, c.ordinal_position, c.column_name, c.data_type, c.is_nullable,
                                   c.column_default, c.is_identity)
          FROM information_schema.columns c WHERE c.table_schema = 'manyply'
        UNION ALL SELECT i.indexdef FROM pg_indexes i WHERE i.schemaname = 'manyply'
        UNION ALL SELECT concat_ws(' ', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
          FROM pg_constraint c WHERE c.connamespace = 'manyply'::regnamespace
        UNION ALL SELECT concat_ws(' ', t.relname, t.relacl, t.reloptions)
          FROM pg_class t WHERE t.relnamespace = 'manyply'::regnamespace AND t.relkind = 'r') catalogue)"),
            "e830332478953e144305a62d653e5db7");
}

TEST_F(CampaignDatabase, ClaimsTakeTheHeaviestPartAndOneAtATime) {
  SmallCampaign small(address());
  std::swap(small.made.weights[0], small.made.weights[4]);
  small.create();
  EXPECT_EQ(small.campaign.parts, SmallCampaign::kParts);
  EXPECT_EQ(small.campaign.identity, small.made.identity);
  const std::int64_t one = join(small);
  const std::int64_t two = join(small);
  const auto claim = [&](std::int64_t worker) { return small.claim(worker).value(); };
  const Claim first = claim(one);
  EXPECT_EQ(number_in(first), 4);
  const Claim repeated = claim(one);  // as if the answer had been lost
  EXPECT_EQ(number_in(repeated), 4);
  EXPECT_EQ(repeated.part->epoch, first.part->epoch);
  EXPECT_EQ(number_in(claim(two)), 1);
  small.finish(one, *first.part);
  EXPECT_EQ(number_in(claim(one)), 2);

  // If a worker hands back a part, other workers can claim it at once. If a worker does not renew
  // its lease, others can claim its part when the lease ends.
  EXPECT_EQ(small.store.hand_back(two, std::chrono::minutes(10)), std::nullopt);
  EXPECT_THAT(small.claim(two).error().to_string(), HasSubstr("takes no part"));
  const std::int64_t three = join(small);
  EXPECT_EQ(number_in(claim(three)), 1);
  EXPECT_EQ(small.store.renew(three).value(), CampaignState::kRunning);
  sql("UPDATE part SET lease_until = now() - interval '1 s' WHERE no = 2");
  const std::int64_t four = join(small);
  const Claim again = claim(four);
  EXPECT_EQ(number_in(again), 2);
  EXPECT_EQ(again.part->epoch, 2);
  for (const std::int64_t left : {3, 0, 5}) EXPECT_EQ(number_in(claim(join(small))), left);
  const Claim none = claim(join(small));
  EXPECT_FALSE(none.part);
  EXPECT_EQ(none.state, CampaignState::kRunning);
}

TEST_F(CampaignDatabase, WhatNobodyRenewsIsNotShownAsBeingCounted) {
  CreatedCampaign small(address());
  ASSERT_TRUE(small.claim(join(small))->part);
  const auto parts = [&] { return small.store.status(small.name)->passes[0].parts_leased; };
  const auto shown = [&] {
    double weight = 0;
    for (const CampaignCell& cell : small.store.strip(small.campaign).value())
      weight += cell.leased[0];
    return weight;
  };
  EXPECT_EQ(parts(), 1);
  EXPECT_GT(shown(), 0);
  EXPECT_EQ(small.store.status(small.name)->workers_counting, 1);
  // The lease ends, but no worker asks for a part. Only such a request would open the part again.
  sql("UPDATE part SET lease_until = now() - interval '1 s' WHERE no = 0");
  EXPECT_EQ(parts(), 0);
  EXPECT_EQ(shown(), 0);
  EXPECT_EQ(small.store.status(small.name)->workers_counting, 0);
}

TEST_F(CampaignDatabase, CommitsCountOnceWhoeverBringsThemHoweverLate) {
  CreatedCampaign small(address());
  const std::int64_t one = join(small);
  const std::int64_t two = join(small);
  const ClaimedPart mine = small.claimed(one);
  sql("UPDATE part SET lease_until = now() - interval '1 s' WHERE no = 0");
  const ClaimedPart theirs = small.claimed(two);
  EXPECT_EQ(theirs.key, mine.key);
  EXPECT_TRUE(small.commit(one, small.counted(mine))->lease_lost);
  EXPECT_EQ(word("SELECT state FROM manyply.part WHERE no = 0"), "done");
  EXPECT_TRUE(small.commit(two, small.counted(theirs))->lease_lost);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.result"), 1);
  EXPECT_EQ(number("SELECT worker FROM manyply.result"), one);
  const ClaimedPart next = small.claimed(two);
  EXPECT_FALSE(small.commit(two, small.counted(next))->lease_lost);
  EXPECT_TRUE(small.commit(two, small.counted(next)).ok());  // sent again
  EXPECT_EQ(number("SELECT count(*) FROM manyply.result"), 2);

  FinishedPart wrong = small.counted(mine);
  wrong.part.key.number = 6;
  EXPECT_THAT(small.commit(one, wrong).error().to_string(),
              HasSubstr("there is no part 6, pass 0"));
  EXPECT_THAT(small.commit(77, small.counted(mine)).error().to_string(),
              HasSubstr("worker 77 takes no part"));
}

TEST_F(CampaignDatabase, IsDoneWhenAllOfItIsAndAddsUp) {
  CreatedCampaign small(address());
  EXPECT_THAT(complaint(small), HasSubstr("is not done but running"));
  const std::int64_t worker = join(small);
  EXPECT_EQ(small.finish_all(worker), 6);
  EXPECT_EQ(small.claim(worker)->state, CampaignState::kDone);
  EXPECT_EQ(small.store.hand_back(worker, std::chrono::minutes(10)), std::nullopt);

  const auto result = small.store.result(small.name);
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(result->sum.nodes, NodeCount(SmallCampaign::kNodes));
  EXPECT_EQ(result->parts, 6);
  EXPECT_EQ(result->parts_verified, 0);
  EXPECT_EQ(result->seconds, 3);
  const CampaignStatus status = small.store.status(small.name).value();
  EXPECT_EQ(status.passes[0].parts_done, 6);
  EXPECT_EQ(status.workers_seen, 0);
  EXPECT_EQ(status.workers_gone, 1);
  EXPECT_EQ(status.leaves, SmallCampaign::kNodes);
  EXPECT_EQ(status.seconds, 3);

  EXPECT_EQ(small.store.drop(small.name), std::nullopt);
  EXPECT_THAT(small.store.find(small.name).error().to_string(), HasSubstr("no campaign named"));
  EXPECT_EQ(number("SELECT (SELECT count(*) FROM manyply.result) + (SELECT count(*) FROM "
                   "manyply.worker) + (SELECT count(*) FROM manyply.part)"),
            0);
}

// Without a check, each kind of damage would lead to a wrong total without a warning.
TEST_F(CampaignDatabase, DamageIsNamed) {
  CreatedCampaign small(address(), 1);
  const std::int64_t first = join(small);
  small.finish_all(first);
  small.finish_all(join(small));
  ASSERT_EQ(complaint(small), "none");
  ASSERT_EQ(small.store.result(small.name)->parts_verified, 6);

  const std::map<std::string, std::string> damages{
      {"DELETE FROM result WHERE pass = 0 AND part = 2", "part 2, pass 0, is missing"},
      {"DELETE FROM result WHERE pass = 1 AND part = 5", "part 5, pass 1, is missing"},
      {"DELETE FROM part WHERE no = 3", "part 3, pass 0, is missing"},
      {"INSERT INTO part SELECT campaign, pass, 6, weight, state FROM part WHERE no = 5; "
       "INSERT INTO result SELECT campaign, pass, 6, worker, nodes, rows, kernel_pairs, "
       "lane_pairs, "
       "digest, seconds FROM result WHERE part = 5",
       "part 6, pass 0, is not a part of the plan"},
      {"UPDATE result b SET nodes = o.nodes, rows = o.rows, kernel_pairs = o.kernel_pairs, "
       "lane_pairs = o.lane_pairs, digest = o.digest FROM result o "
       "WHERE b.part = 3 AND o.part = 4 AND b.pass = o.pass",
       "part 3, pass 0, is damaged: its digest"},
      {"UPDATE result SET nodes = nodes + 1 WHERE pass = 0 AND part = 1",
       "part 1 has different counts in the two passes"},
      {"UPDATE result SET nodes = nodes + 1 WHERE part = 1", "part 1, pass 0, is damaged"},
      {"UPDATE result SET rows = rows + 1 WHERE pass = 1 AND part = 1",
       "part 1, pass 1, is damaged"},
      {"UPDATE campaign SET state = 'stopped'", "is not done but stopped"},
      {"INSERT INTO dispute SELECT 1, 0, 1, 2, 1, 2", "is disputed"},
  };
  sql("CREATE TABLE kept_result AS TABLE result; CREATE TABLE kept_part AS TABLE part;");
  for (const auto& [script, what] : damages) {
    sql(script);
    EXPECT_THAT(complaint(small), HasSubstr(what)) << script;
    sql("DELETE FROM dispute; DELETE FROM result; DELETE FROM part; "
        "INSERT INTO part TABLE kept_part; INSERT INTO result TABLE kept_result; "
        "UPDATE campaign SET state = 'done'");
  }
  EXPECT_EQ(complaint(small), "none");
}

TEST_F(CampaignDatabase, AnotherWorkerVerifiesAndWhoDisagreesIsNamed) {
  CreatedCampaign small(address(), 1);
  const std::int64_t one = join(small);
  EXPECT_EQ(small.finish_all(one), 6);
  // This worker must not count any of the parts that are left.
  EXPECT_EQ(small.claim(one)->state, CampaignState::kRunning);
  EXPECT_EQ(small.store.status(small.name)->parts_for_another, 6);

  const std::int64_t two = join(small);
  EXPECT_EQ(small.store.status(small.name)->parts_for_another, 0);
  const ClaimedPart claimed = small.claimed(two);
  EXPECT_EQ(claimed.key.pass, 1);
  EXPECT_THAT(small.commit(one, small.counted(claimed)).error().to_string(),
              HasSubstr("must not verify what it has counted itself"));
  EXPECT_EQ(small.commit(two, small.counted(claimed))->state, CampaignState::kRunning);

  const ClaimedPart next = small.claimed(two);
  EXPECT_EQ(small.commit(two, small.counted_wrongly(next))->state, CampaignState::kDisputed);
  const auto disputes = small.store.disputes(small.name).value();
  ASSERT_EQ(disputes.size(), 1U);
  EXPECT_EQ(disputes[0].part, next.key.number);
  EXPECT_EQ(disputes[0].worker0, one);
  EXPECT_EQ(disputes[0].worker1, two);
  EXPECT_EQ(disputes[0].nodes0, small.counted(next).count.nodes.to_string());
  EXPECT_EQ(disputes[0].nodes1, small.counted_wrongly(next).count.nodes.to_string());
  EXPECT_EQ(small.claim(two)->state, CampaignState::kDisputed);
  EXPECT_EQ(small.store.renew(one).value(), CampaignState::kDisputed);
  EXPECT_EQ(small.store.set_running(small.name, true).value(), CampaignState::kDisputed);
  EXPECT_THAT(complaint(small), HasSubstr("is not done but disputed"));
}

// Parts are verified before others are counted, so that bad machines are detected early.
TEST_F(CampaignDatabase, PartsToBeVerifiedComeFirst) {
  CreatedCampaign small(address(), 1);
  const std::int64_t one = join(small);
  const std::int64_t two = join(small);
  const ClaimedPart first = small.claimed(one);
  EXPECT_EQ(small.claim(two)->part->key, (PartKey{0, 1}));
  small.finish(one, first);
  small.finish(two, {{0, 1}, 1});
  EXPECT_EQ(small.claim(two)->part->key, (PartKey{1, 0}));
  EXPECT_EQ(small.claim(one)->part->key, (PartKey{1, 1}));
}

TEST_F(CampaignDatabase, ASecondCountComesFromAnotherHostOrKernel) {
  for (const VerifyOther other : {VerifyOther::kHost, VerifyOther::kKernel}) {
    SmallCampaign small(address(), 1);
    small.made.verify_other = other;
    small.create();
    const std::int64_t one = join(small);
    EXPECT_EQ(small.finish_all(one), 6);
    const std::int64_t like_it = join(small);
    EXPECT_EQ(small.finish_all(like_it), 0);
    const CampaignStatus status = small.store.status(small.name).value();
    EXPECT_EQ(status.parts_for_another, 6);
    EXPECT_EQ(status.verify_other, other);
    NewWorker unlike = small.worker(++seed_);
    (other == VerifyOther::kHost ? unlike.host : unlike.kernel) = "other";
    const std::int64_t another = small.join(unlike);
    EXPECT_EQ(small.store.status(small.name)->parts_for_another, 0);
    EXPECT_EQ(small.finish_all(another), 6);
    EXPECT_EQ(complaint(small), "none");
    ASSERT_EQ(small.store.drop(small.name), std::nullopt);
  }
}

// Other workers count the suspect's parts again, even if these parts have been verified.
TEST_F(CampaignDatabase, WhatASuspectBroughtIsCountedAgainByOthers) {
  CreatedCampaign small(address(), 1);
  const std::int64_t one = join(small);
  const std::int64_t two = join(small);
  EXPECT_EQ(small.finish_all(one), 6);
  EXPECT_EQ(small.finish_all(two), 6);
  const auto brought = small.store.counted(small.campaign, one).value();
  ASSERT_EQ(brought.size(), 6U);
  EXPECT_EQ(brought.back().key.number, 5);
  EXPECT_TRUE(brought.back().verified);

  EXPECT_EQ(small.store.withdraw_worker(small.campaign, one, "it is under suspicion").value(), 6);
  EXPECT_EQ(small.store.find(small.name)->state, CampaignState::kRunning);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.withdrawn WHERE reason = 'it is under suspicion'"),
            6);
  EXPECT_THAT(small.claim(one).error().to_string(), HasSubstr("takes no part"));
  EXPECT_THAT(small.store.register_worker(small.campaign.id, small.worker(1)).error().to_string(),
              HasSubstr("this worker is refused: it is under suspicion"));
  const auto workers = small.store.workers(small.name).value();
  ASSERT_EQ(workers.size(), 2U);
  EXPECT_EQ(workers[0].state, "refused");
  EXPECT_EQ(workers[0].refused, "it is under suspicion");
  EXPECT_EQ(workers[0].parts, 0);
  EXPECT_EQ(workers[1].state, "waiting");
  EXPECT_EQ(workers[1].parts, 6);
  EXPECT_EQ(workers[1].seconds, 3);

  EXPECT_FALSE(small.claim(two)->part);  // worker two has counted the other pass
  EXPECT_EQ(small.store.status(small.name)->parts_for_another, 6);
  EXPECT_EQ(small.finish_all(join(small)), 6);
  EXPECT_EQ(complaint(small), "none");
  EXPECT_THAT(small.store.withdraw_worker(small.campaign, 77, "none").error().to_string(),
              HasSubstr("worker 77 takes no part"));
  EXPECT_EQ(small.store.drop(small.name), std::nullopt);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.withdrawn"), 0);
}

// Runs twice, with each of the two workers as the wrong one.
TEST_F(CampaignDatabase, WhoWasWrongIsNamedAndTheOtherIsBelieved) {
  for (const bool first_is_wrong : {false, true}) {
    CreatedCampaign small(address(), 1);
    const std::int64_t one = join(small);
    const std::int64_t two = join(small);
    const auto explained = [&] {
      return explain_campaign(small.store, small.campaign, {.threads = 1}, {}).value();
    };
    const ClaimedPart first = small.claimed(one);
    ASSERT_TRUE(
        small.commit(one, first_is_wrong ? small.counted_wrongly(first) : small.counted(first))
            .ok());
    small.finish_all(one);
    EXPECT_TRUE(explained().empty());
    const ClaimedPart second = small.claimed(two);
    ASSERT_EQ(second.key, (PartKey{1, first.key.number}));
    ASSERT_EQ(
        small.commit(two, first_is_wrong ? small.counted(second) : small.counted_wrongly(second))
            ->state,
        CampaignState::kDisputed);

    const CampaignExplanation explanation = explained();
    ASSERT_EQ(explanation.disputes.size(), 1U);
    ASSERT_EQ(explanation.wrong.size(), 1U);
    EXPECT_TRUE(explanation.damaged.empty());
    const std::int64_t wrong = first_is_wrong ? one : two;
    EXPECT_EQ(explanation.wrong[0].id, wrong);
    EXPECT_THAT(explanation.disputes[0].wrong, testing::ElementsAre(wrong));
    EXPECT_EQ(explanation.disputes[0].nodes, small.counted(first).count.nodes);

    EXPECT_TRUE(small.store.withdraw_worker(small.campaign, wrong, "was wrong").ok());
    EXPECT_TRUE(small.store.disputes(small.name)->empty());
    EXPECT_EQ(small.store.find(small.name)->state, CampaignState::kRunning);
    for (int more = 0; more < 2; ++more) small.finish_all(join(small));
    if (first_is_wrong) small.finish_all(two);
    EXPECT_EQ(complaint(small), "none");
    ASSERT_EQ(small.store.drop(small.name), std::nullopt);
    seed_ += 10;
  }
}

TEST_F(CampaignDatabase, WhatWasDamagedIsNamedAndCountedAgain) {
  CreatedCampaign small(address(), 1);
  const std::int64_t first = join(small);
  small.finish_all(first);
  small.finish_all(join(small));
  sql("UPDATE result SET nodes = nodes + 1 WHERE pass = 0 AND part = 1; "
      "UPDATE result SET lane_pairs = lane_pairs + 1 WHERE pass = 1 AND part = 4");
  const CampaignExplanation explanation =
      explain_campaign(small.store, small.campaign, {.threads = 1}, {}).value();
  EXPECT_TRUE(explanation.disputes.empty());
  ASSERT_EQ(explanation.damaged.size(), 2U);
  EXPECT_EQ(explanation.damaged[0].key, (PartKey{0, 1}));
  EXPECT_EQ(explanation.damaged[0].worker, first);
  EXPECT_EQ(explanation.damaged[1].key, (PartKey{1, 4}));
  for (const DamagedPart& part : explanation.damaged)
    EXPECT_EQ(small.store.withdraw_part(small.campaign, part).value(), 1);
  EXPECT_EQ(small.store.find(small.name)->state, CampaignState::kRunning);
  EXPECT_EQ(small.finish_all(join(small)), 2);
  EXPECT_EQ(complaint(small), "none");
}

// If a worker does not receive the answer to its registration, it registers again and keeps its
// number.
TEST_F(CampaignDatabase, AWorkerIsLetInOnce) {
  CreatedCampaign small(address());
  const NewWorker worker = small.worker(1);
  const std::int64_t number_of_it = small.join(worker);
  EXPECT_EQ(small.join(worker), number_of_it);
  EXPECT_NE(small.join(small.worker(2)), number_of_it);
  NewWorker other = small.worker(3);
  other.signature = 7;
  const std::string refusal =
      small.store.register_worker(small.campaign.id, other).error().to_string();
  EXPECT_EQ(small.store.register_worker(small.campaign.id, other).error().to_string(), refusal);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.worker"), 3);
}

TEST_F(CampaignDatabase, CountsOf128BitsAreKeptAndTooLargeSumsAreErrors) {
  CreatedCampaign small(address());
  const std::int64_t one = join(small);
  const NodeCount most = NodeCount::from_words(~std::uint64_t{0}, ~std::uint64_t{0});
  std::vector<ClaimedPart> claimed;
  for (std::size_t part = 0; part < SmallCampaign::kParts; ++part) {
    claimed.push_back(small.claimed(one));
    FinishedPart finished = small.counted(claimed.back());
    finished.count.nodes = part == 0 ? most : NodeCount(0);
    ASSERT_TRUE(small.commit(one, finished).ok());
  }
  EXPECT_EQ(small.store.result(small.name)->sum.nodes, most);
  EXPECT_EQ(word("SELECT max(nodes) FROM manyply.result"),
            "340282366920938463463374607431768211455");
  sql("DELETE FROM result WHERE part = 3; UPDATE part SET state = 'open' WHERE no = 3");
  small.finish(one, claimed[3]);
  EXPECT_EQ(small.store.result(small.name).error().code, ErrorCode::kOverflow);
}

TEST_F(CampaignDatabase, PlansAreTheOnesThatTheCampaignWasMadeWith) {
  CreatedCampaign small(address());
  const Board root = parse_position(kStartFen)->position.board();
  EXPECT_EQ(small.store.plan_of(small.campaign, root).value(), small.made.plan);
  // The plan has two bytes for each of 65,536 cells.
  EXPECT_LT(number("SELECT pg_column_size(plan) FROM manyply.campaign"), 40'000);
  sql("UPDATE campaign SET plan = set_byte(plan, 3, 255 - get_byte(plan, 3))");
  EXPECT_THAT(small.store.plan_of(small.campaign, root).error().to_string(),
              HasSubstr("has a plan of parts that is damaged"));
}

TEST_F(CampaignDatabase, RefusesByName) {
  CreatedCampaign small(address());
  EXPECT_THAT(small.store.create(small.made)->to_string(),
              HasSubstr("the name 'small' is already in use"));
  EXPECT_THAT(small.store.find("none").error().to_string(), HasSubstr("no campaign named 'none'"));

  NewWorker worker = small.worker(1);
  worker.version = "2";
  const auto told = [&] {
    return small.store.register_worker(small.campaign.id, worker).error().to_string();
  };
  EXPECT_THAT(told(), HasSubstr("this is version 2; the campaign is counted by version 1"));
  worker = small.worker(2);
  worker.signature = 7;
  EXPECT_THAT(told(), HasSubstr("signature 7: every correct build has 86489390 (kernel portable)"));
  worker = small.worker(3);
  worker.identity.low ^= 1;
  EXPECT_THAT(told(), HasSubstr("the plan of the parts is read in another way"));
  worker = small.worker(4);
  worker.memory_bytes = std::uint64_t{1} << 18;
  EXPECT_THAT(told(), HasSubstr("it may use 256 kB of memory; the largest part takes 1024 kB"));
  EXPECT_EQ(number("SELECT count(*) FROM manyply.worker WHERE refused IS NOT NULL"), 4);
  EXPECT_EQ(small.store.status(small.name)->workers_refused, 4);
  EXPECT_THAT(small.claim(1).error().to_string(), HasSubstr("takes no part"));

  EXPECT_EQ(small.store.set_running(small.name, false).value(), CampaignState::kStopped);
  EXPECT_EQ(small.store.find(small.name)->state, CampaignState::kStopped);
  EXPECT_EQ(small.store.set_running(small.name, true).value(), CampaignState::kRunning);

  sql("ALTER DATABASE " + database_ + " SET synchronous_commit = off");
  EXPECT_THAT(CampaignStore(address()).find(small.name).error().to_string(),
              HasSubstr("may lose commits that it acknowledged: synchronous_commit is off"));
  EXPECT_THAT(
      CampaignStore({.conninfo = server_->conninfo("template1")}).find("x").error().to_string(),
      HasSubstr("has 'perft campaign init' been run here"));
  EXPECT_EQ(CampaignStore({.conninfo = "host=/nowhere"}).find("x").error().code,
            ErrorCode::kUnavailable);
}

TEST_F(CampaignDatabase, EachRoleMayDoItsPartAndNothingElse) {
  CreatedCampaign small(address());
  sql("DROP ROLE IF EXISTS ann, bob, eve, joe; "
      "CREATE ROLE ann LOGIN IN ROLE manyply_owner; CREATE ROLE bob LOGIN IN ROLE manyply_worker; "
      "CREATE ROLE eve LOGIN IN ROLE manyply_reader; CREATE ROLE joe LOGIN;");

  const char* const tables[] = {"campaign", "worker",    "part",          "result",
                                "dispute",  "withdrawn", "schema_version"};
  for (const char* user : {"ann", "bob", "eve", "joe"}) {
    Postgres postgres = connect(database_, user);
    for (const std::string table : tables) {
      const auto may = [&](const std::string& statement) {
        return postgres.ask(statement.c_str()).ok();
      };
      const bool owner = user == std::string("ann");
      EXPECT_EQ(may("SELECT * FROM manyply." + table), owner || user == std::string("eve")) << user;
      // Deletes no row, so that the owner changes nothing.
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
  EXPECT_FALSE(store_of("eve").withdraw_worker(small.campaign, 1, "why not").ok());
  EXPECT_FALSE(store_of("bob").withdraw_worker(small.campaign, 1, "why not").ok());
  EXPECT_TRUE(store_of("eve").workers("small").ok());
  EXPECT_TRUE(store_of("eve").status("small").ok());
  EXPECT_FALSE(store_of("bob").status("small").ok());

  SmallCampaign theirs(address("bob"));
  theirs.campaign = small.campaign;
  const std::int64_t worker = theirs.join(theirs.worker(1));
  EXPECT_EQ(theirs.finish_all(worker), 6);
  EXPECT_TRUE(store_of("eve").result("small").ok());
  EXPECT_EQ(store_of("eve").claim(worker, small.campaign.id).error().code,
            ErrorCode::kInvalidInput);
  EXPECT_EQ(store_of("joe").find("small").error().code, ErrorCode::kInvalidInput);
}

// Tests parts that need no database: output, addresses of databases, stored bytes.

json rates_of(const std::vector<CountedPart>& history) {
  return json::parse(campaign_view({}, {}, {}, history, {}).rate);
}

TEST(CampaignFormat, LeavesOfAPartAreSpreadOverItsTime) {
  const json rates = rates_of(
      {{.begin = 100, .end = 120, .leaves = 60}, {.begin = 115, .end = 125, .leaves = 20}});
  EXPECT_EQ(rates["step_seconds"], 10);
  EXPECT_THAT(rates["leaves_per_second"], ElementsAre(3, 4, 1));
}

TEST(CampaignFormat, LongCampaignsHaveLongerSteps) {
  const json rates = rates_of({{.begin = 0, .end = 2400, .leaves = 4800}});
  EXPECT_EQ(rates["step_seconds"], 20);
  EXPECT_EQ(rates["leaves_per_second"].size(), 120U);
  EXPECT_EQ(rates["leaves_per_second"][119], 2);
}

TEST(CampaignFormat, WithoutPartsThereAreNoRates) {
  EXPECT_THAT(rates_of({})["leaves_per_second"], testing::IsEmpty());
}

json status_of(const CampaignStatus& status) {
  return json::parse(status_output(status, {}, Format::kJson));
}

TEST(CampaignFormat, TimeLeftIsThatOfTheWorkersThatCountNow) {
  CampaignStatus status;
  status.passes[0] = {.weight = 1, .weight_done = 0.25};
  status.passes[1] = {.weight = 0.5, .weight_done = 0};
  EXPECT_TRUE(status_of(status)["seconds_left"].is_null());
  status.seconds = 100;
  status.leaves = 4000;
  EXPECT_TRUE(status_of(status)["seconds_left"].is_null()) << "nobody counts";
  status.workers_counting = 2;
  EXPECT_EQ(status_of(status)["seconds_left"], 250);
  EXPECT_EQ(status_of(status)["leaves_per_second"], 80);
}

/// Returns the error message; empty if the parameters are accepted.
std::string complaint_about(const std::string& conninfo) {
  const auto parameters = connection_parameters({.conninfo = conninfo});
  if (!parameters) return parameters.error().to_string();
  const auto insecure = why_insecure(*parameters);
  return insecure ? insecure->to_string() : "";
}

TEST(DatabaseAddress, WhatStaysOnThisMachineNeedsNoTls) {
  for (const char* conninfo :
       {"dbname=perft", "host=/var/run/postgresql", "host=@abstract", "host=localhost",
        "host=127.0.0.1", "host=127.8.9.1", "host=::1", "host=localhost,127.0.0.1",
        "host=db.example hostaddr=127.0.0.1", "postgresql:///perft"}) {
    EXPECT_EQ(complaint_about(conninfo), "") << conninfo;
  }
}

TEST(DatabaseAddress, OtherMachinesDo) {
  for (const char* conninfo : {"host=db.example", "host=192.168.1.7", "host=localhost,db.example",
                               "host=localhost hostaddr=10.0.0.1", "host=db.example sslmode=prefer",
                               "host=db.example sslmode=disable", "postgresql://db.example/perft",
                               "host=128.0.0.1", "host=127.0.0.1.example", "host=::2"}) {
    EXPECT_THAT(complaint_about(conninfo), HasSubstr("is another machine")) << conninfo;
  }
  for (const char* mode : {"require", "verify-ca", "verify-full"})
    EXPECT_EQ(complaint_about(std::string("host=db.example sslmode=") + mode), "");
}

TEST(DatabaseAddress, TakesNoPasswordsAndRepeatsNone) {
  for (const char* conninfo :
       {"host=localhost password=sesame", "postgresql://me:sesame@localhost/perft",
        "sslpassword=sesame", "password='sesame", "hots=sesame"}) {
    const std::string complaint = complaint_about(conninfo);
    EXPECT_NE(complaint, "") << conninfo;
    EXPECT_EQ(complaint.find("sesame"), std::string::npos) << complaint;
  }
  EXPECT_THAT(complaint_about("service=manyply"), HasSubstr("PGSERVICE"));
}

TEST(StoredBytes, LowBytesComeFirstAndComeBack) {
  const Hash128 hash{.low = 3, .high = 5};
  EXPECT_EQ(stored_hash(stored_bytes(hash)), hash);
  std::vector<std::byte> word(8);
  word[0] = std::byte{2};
  word[1] = std::byte{1};
  EXPECT_EQ(stored_bytes(std::uint64_t{0x0102}), word);
}

// The digest depends on the campaign and the part, so the same count of another part has another
// digest.
TEST(StoredBytes, DigestsKnowTheirPlaceAndAllThatWasCounted) {
  const PartCount count{
      .nodes = NodeCount::from_words(1, 2), .rows = 3, .kernel_pairs = 4, .lane_pairs = 5};
  const Hash128 campaign{.low = 1, .high = 2};
  const Hash128 digest = part_digest(campaign, 3, count);
  EXPECT_EQ(part_digest(campaign, 3, count), digest);
  EXPECT_NE(part_digest(campaign, 4, count), digest);
  EXPECT_NE(part_digest({.low = 2, .high = 1}, 3, count), digest);
  PartCount other = count;
  other.nodes = NodeCount::from_words(2, 1);
  EXPECT_NE(part_digest(campaign, 3, other), digest);
  for (std::uint64_t PartCount::* const field :
       {&PartCount::rows, &PartCount::kernel_pairs, &PartCount::lane_pairs}) {
    other = count;
    ++(other.*field);
    EXPECT_NE(part_digest(campaign, 3, other), digest);
  }
}

}  // namespace
}  // namespace manyply

#include "tools/campaign/worker.h"

#include <atomic>
#include <random>
#include <thread>

#include "parallel/jobs/job_tables.h"
#include "tests/support/budget.h"
#include "tests/support/eventually.h"
#include "tests/tools/campaign/campaign_fixture.h"
#include "tools/campaign/explanation.h"

namespace manyply {
namespace {

using testing::HasSubstr;

/// Long enough to be interrupted.
constexpr int kLongDepth = kIsFastBuild ? 7 : 6;
NodeCount long_count() { return NodeCount(kIsFastBuild ? 3'195'901'860 : 119'060'324); }

/// A campaign of the start position.
class CampaignWork : public CampaignTest {
 protected:
  void make(int depth, double verify, std::size_t ranges, double lease_seconds = 120,
            const PlannedUnits& units = {.enough = 100'000, .most = 100'000}) {
    store_.emplace(address());
    ASSERT_TRUE(store_->init().ok());
    plan_.emplace(plan_at(parse_position(kStartFen).value(), Depth(depth), units));
    NewCampaign campaign = new_campaign("start", *plan_);
    campaign.version = "1";
    campaign.verify = verify;
    campaign.lease_seconds = lease_seconds;
    campaign.ranges = cut_into_ranges(plan_->units, equal_weights(plan_->units.size()), ranges);
    campaign.verified.assign(campaign.ranges.size(), verify > 0);
    ASSERT_EQ(store_->create(campaign), std::nullopt);
  }

  [[nodiscard]] WorkSpec spec(int threads,
                              std::uint64_t table_bytes = std::uint64_t{8} << 20) const {
    WorkSpec spec{.campaign = "start",
                  .database = address(),
                  .limits = {.threads = threads, .table_bytes = table_bytes},
                  .host = "here",
                  .label = "test",
                  .version = "1"};
    spec.longest_poll = std::chrono::milliseconds(200);
    spec.stop_patience = spec.end_patience = std::chrono::minutes(10);
    return spec;
  }

  static Result<WorkEnd> work_alone(const WorkSpec& spec, const std::stop_token& stop = {}) {
    Progress progress;
    return work(spec, stop, progress, [](const WorkStart&) {});
  }

  [[nodiscard]] CampaignResult result() {
    auto result = store_->result("start", plan_->units);
    EXPECT_TRUE(result.ok()) << result.error().to_string();
    return result ? std::move(result).value() : CampaignResult();
  }
  [[nodiscard]] std::int64_t batches() const {
    return number("SELECT count(*) FROM manyply.batch");
  }

  std::optional<CampaignStore> store_;
  std::optional<CampaignPlan> plan_;
};

/// Runs that many workers at once, all of which must end well; the batches that they brought.
std::uint64_t run_all(const std::vector<WorkSpec>& specs) {
  std::atomic<std::uint64_t> batches{0};
  std::vector<std::jthread> threads;
  for (const WorkSpec& spec : specs) {
    threads.emplace_back([&batches, &spec] {
      Progress progress;
      const Result<WorkEnd> end = work(spec, {}, progress, [](const WorkStart&) {});
      EXPECT_TRUE(end.ok()) << end.error().to_string();
      if (!end) return;
      EXPECT_EQ(end->state, CampaignState::kDone);
      batches += end->batches;
    });
  }
  threads.clear();
  return batches;
}

TEST_F(CampaignWork, TwoWorkersCountEverythingOnceAndVerifyEachOther) {
  if (server_ == nullptr) return;
  make(6, 1, 40);
  const std::uint64_t brought = run_all({spec(1), spec(2)});
  EXPECT_GE(brought, static_cast<std::uint64_t>(batches()));
  const CampaignResult counted = result();
  EXPECT_EQ(counted.nodes, NodeCount(119'060'324));
  EXPECT_EQ(counted.batches, counted.batches_verified);
  EXPECT_EQ(counted.workers, 2);
  EXPECT_EQ(counted.workers_unended, 0);
  EXPECT_GT(counted.false_matches, 0);
  NodeCount sum;
  for (const auto& [move, nodes] : counted.divide) sum += nodes;
  EXPECT_EQ(sum, counted.nodes);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.batch a JOIN manyply.batch b USING (campaign, "
                   "range, no) WHERE a.pass = 0 AND b.pass = 1 AND a.worker = b.worker"),
            0);
}

TEST_F(CampaignWork, PackedUnitsAreCountedOnceAndVerifiedAsOthersAre) {
  if (server_ == nullptr) return;
  make(kLongDepth, 1, 30, 120,
       {.enough = 100'000, .most = 100'000, .storage = UnitStorage::kPacked});
  ASSERT_EQ(plan_->units.sums(), 1U);
  run_all({spec(1), spec(2)});
  const CampaignResult counted = result();
  EXPECT_EQ(counted.nodes, long_count());
  EXPECT_EQ(counted.batches, counted.batches_verified);
  EXPECT_TRUE(counted.divide.empty());
  EXPECT_EQ(number("SELECT count(*) FROM manyply.batch a JOIN manyply.batch b USING (campaign, "
                   "range, no) WHERE a.pass = 0 AND b.pass = 1 AND a.worker = b.worker"),
            0);
}

// Units of seven plies, which workers split again, and whose batches wait for those before them.
TEST_F(CampaignWork, UnitsOfManyPliesAddUpToTheSame) {
  if (server_ == nullptr) return;
  if (!kIsFastBuild) GTEST_SKIP() << "perft(8) takes too long here";
  make(8, 0, 3, 120, {.most = 400});
  ASSERT_EQ(plan_->units.ply(), 1);
  sql("UPDATE range SET batches = 5");
  run_all({spec(2), spec(1)});
  EXPECT_EQ(result().nodes, NodeCount(84'998'978'956));
  EXPECT_EQ(batches(), 15);
}

// Without a table, with a shared window, with more ranges than groups, with one range.
TEST_F(CampaignWork, EveryShapeAddsUpToTheSame) {
  if (server_ == nullptr) return;
  const NodeCount expected(kIsFastBuild ? 119'060'324 : 4'865'609);
  // A slow build takes one of them, another one the next time.
  const unsigned chosen = std::random_device{}() % 2;
  for (const unsigned shape : {0U, 1U}) {
    if (!kIsFastBuild && shape != chosen) continue;
    make(kIsFastBuild ? 6 : 5, 0, shape == 0 ? 1 : 400);
    if (shape == 0) {
      const std::uint64_t brought = run_all({spec(2, 0)});
      EXPECT_EQ(brought, static_cast<std::uint64_t>(batches()));
    } else {
      run_all({spec(3, kMinHashBytes), spec(1, 0)});
    }
    EXPECT_EQ(result().nodes, expected);
    ASSERT_EQ(store_->drop("start"), std::nullopt);
  }
}

/// The best kernel, but one that counts so many boards and then waits to be let go: nobody is done
/// before somebody else has seen to something. One at a time.
class HeldKernel {
 public:
  HeldKernel() : kernel_(best_kernel()) {
    let_go();
    kernel_.count_two_plies = [](const Board* boards, std::size_t count, std::uint32_t* leaves) {
      left_ -= static_cast<std::int64_t>(count);
      EXPECT_TRUE(eventually([] { return left_ > 0; }));
      return best_kernel().count_two_plies(boards, count, leaves);
    };
  }
  static void hold_after(std::int64_t boards) { left_ = boards; }
  static void let_go() { left_ = std::int64_t{1} << 62; }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

 private:
  static inline std::atomic<std::int64_t> left_;  // a kernel's functions have no state
  Kernel kernel_;
};

TEST_F(CampaignWork, AStoppedWorkerHandsBackAndAnotherGoesOn) {
  if (server_ == nullptr) return;
  make(kLongDepth, 0, 30);
  const HeldKernel held;
  // A tenth of all, which is some batches.
  const auto work_held = [&](WorkSpec held_spec, const std::stop_token& token) {
    held_spec.limits.kernel = &held.kernel();
    Progress progress;
    return work(held_spec, token, progress,
                [](const WorkStart&) { HeldKernel::hold_after(kIsFastBuild ? 100'000 : 10'000); });
  };
  std::stop_source stop;
  const std::jthread stopper([&] {
    EXPECT_TRUE(eventually([&] { return batches() >= 3; }));
    stop.request_stop();
    HeldKernel::let_go();
  });
  const Result<WorkEnd> end = work_held(spec(1), stop.get_token());
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.range WHERE state = 'leased'"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.worker WHERE ended IS NULL"), 0);
  const std::int64_t before = batches();
  EXPECT_GE(before, 3);

  // Told from elsewhere to stop.
  std::jthread teller([&] {
    EXPECT_TRUE(eventually([&] { return batches() > before; }));
    EXPECT_EQ(CampaignStore(address()).set_running("start", false).value(),
              CampaignState::kStopped);
    HeldKernel::let_go();
  });
  const Result<WorkEnd> told = work_held(spec(2), {});
  ASSERT_TRUE(told.ok()) << told.error().to_string();
  EXPECT_EQ(told->state, CampaignState::kStopped);
  teller.join();
  const std::int64_t then = batches();
  EXPECT_LT(then, number("SELECT sum(batches) FROM manyply.range"));

  ASSERT_TRUE(store_->set_running("start", true).ok());
  run_all({spec(2)});
  EXPECT_EQ(result().nodes, long_count());
  EXPECT_EQ(number("SELECT count(DISTINCT worker) FROM manyply.batch"), 3);
}

// Counting goes on while the database is away; what was counted meanwhile is brought when it is
// back, and what was on its way is neither lost nor there twice.
TEST_F(CampaignWork, ADatabaseThatDiesIsWaitedForSlow) {
  if (server_ == nullptr) return;
  make(kLongDepth, 0, 30, 5);
  std::jthread workers([this] { run_all({spec(1), spec(1)}); });
  for (int round = 0; round < 3; ++round) {
    const std::int64_t before = batches();
    EXPECT_TRUE(eventually([&] { return batches() > before + 5; }));
    server_->crash();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    server_->start();
  }
  workers.join();
  store_.emplace(address());  // that of before lost its connection
  EXPECT_EQ(result().nodes, long_count());
}

TEST_F(CampaignWork, AWorkerWithWeakKeysIsFoundOutAndNamed) {
  if (server_ == nullptr) return;
  make(kIsFastBuild ? 6 : 5, 1, 20);
  WorkSpec weak = spec(1);
  weak.label = "weak";
  weak.limits.key_bits = kIsFastBuild ? 22 : 12;
  std::vector<std::jthread> threads;
  std::atomic<int> disputed = 0;
  for (const WorkSpec& worker : {weak, spec(1)}) {
    threads.emplace_back([&disputed, worker] {
      const Result<WorkEnd> end = work_alone(worker);
      ASSERT_TRUE(end.ok()) << end.error().to_string();
      disputed += end->state == CampaignState::kDisputed ? 1 : 0;
    });
  }
  threads.clear();
  EXPECT_EQ(disputed, 2);
  EXPECT_THAT(store_->result("start", plan_->units).error().to_string(), HasSubstr("disputed"));

  const Campaign campaign = store_->find("start").value();
  const auto explanation = explain_campaign(*store_, campaign, *plan_, {.threads = 1}, {});
  ASSERT_TRUE(explanation.ok()) << explanation.error().to_string();
  ASSERT_EQ(explanation->wrong.size(), 1U);
  const WrongWorker& wrong = explanation->wrong[0];
  EXPECT_EQ(wrong.worker.label, "weak");
  EXPECT_THAT(wrong.cause, HasSubstr("different positions have one key"));
  for (const ExaminedDispute& examined : explanation->disputes) {
    const Board unit = plan_->units.board(static_cast<std::size_t>(examined.dispute.unit));
    CountStats unused;
    EXPECT_EQ(examined.nodes, count_board(unit, plan_->depth.plies() - plan_->units.ply(),
                                          best_kernel(), {}, unused));
  }

  ASSERT_TRUE(store_->withdraw_worker(campaign, wrong.worker.id, wrong.cause).ok());
  run_all({spec(1), spec(1)});
  EXPECT_EQ(result().nodes, NodeCount(kIsFastBuild ? 119'060'324 : 4'865'609));
}

/// Forgets a leaf now and then.
std::uint64_t count_wrongly(const Board& board, int depth, StopView stop, CountStats& stats) {
  const std::uint64_t leaves = best_kernel().count(board, depth, stop, stats);
  return leaves % 97 == 0 ? leaves - 1 : leaves;
}

TEST_F(CampaignWork, AWrongKernelIsRefusedByItsSignature) {
  if (server_ == nullptr) return;
  make(4, 0, 2);
  Kernel wrong = best_kernel();
  wrong.name = "wrong";
  wrong.count = count_wrongly;
  WorkSpec worker = spec(1, 0);
  worker.limits.kernel = &wrong;
  EXPECT_THAT(work_alone(worker).error().to_string(),
              AllOf(HasSubstr("this worker is refused: signature "),
                    HasSubstr(": every correct build has 86489390 (kernel wrong)")));
  EXPECT_EQ(batches(), 0);
}

TEST_F(CampaignWork, RefusesWhatDoesNotFit) {
  if (server_ == nullptr) return;
  make(4, 0, 2);
  WorkSpec other = spec(1);
  other.version = "2";
  EXPECT_THAT(work_alone(other).error().to_string(), HasSubstr("this is version 2"));
  other = spec(1);
  other.campaign = "end";
  EXPECT_THAT(work_alone(other).error().to_string(), HasSubstr("no campaign named 'end'"));
  sql("UPDATE campaign SET identity = set_byte(identity, 3, 255 - get_byte(identity, 3))");
  EXPECT_THAT(work_alone(spec(1)).error().to_string(), HasSubstr("split in another way"));
  EXPECT_EQ(batches(), 0);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.worker WHERE refused IS NOT NULL"), 2);
}

TEST(CountSignature, IsTheSameWhateverKeysAndTables) {
  EXPECT_EQ(count_signature({.threads = 2, .key_seed = 5, .key_bits = 8}, {}).value(), kSignature);
  // More than any machine has: it is not asked for.
  EXPECT_EQ(count_signature({.table_bytes = std::uint64_t{1} << 50}, {}).value(), kSignature);
  EXPECT_EQ(count_signature({.table_bytes = 0}, {}).value(), kSignature);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(count_signature({}, stop.get_token()).error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace manyply

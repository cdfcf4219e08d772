#include "tools/server/jobs/job_manager.h"

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/mount.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "tests/support/budget.h"
#include "tests/support/eventually.h"
#include "tests/tools/server/held_count.h"
#include "tests/tools/server/state_dir.h"
#include "tools/server/jobs/job_store.h"

namespace manyply {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A runner that does not count: returns 1000 + depth when the test allows it.
class Gate {
 public:
  JobRunner runner() {
    return [this](const JobRequest& request, const Resources& resources) -> Result<Answer> {
      std::unique_lock lock(mutex_);
      order_.push_back(request.depth.plies());
      ++waiting_;
      open_.wait(lock, resources.stop, [this] { return passes_ > 0; });
      --waiting_;
      if (resources.stop.stop_requested()) return cancelled();
      --passes_;
      Answer outcome;
      outcome.nodes = static_cast<std::uint64_t>(1000 + request.depth.plies());
      outcome.verdict = "unknown";
      outcome.document = "{}\n";
      return outcome;
    };
  }
  void let_pass(int jobs) {
    const std::lock_guard lock(mutex_);
    passes_ += jobs;
    open_.notify_all();
  }
  int waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }
  std::vector<int> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any open_;
  int passes_ = 0;
  int waiting_ = 0;
  std::vector<int> order_;
};

class JobManagerTest : public testing::Test {
 protected:
  JobManagerTest() {
    options_.state_dir = dir_.path();
    options_.counting.threads = 2;
    options_.counting.table_bytes = std::uint64_t{8} << 20;
    options_.progress_interval = milliseconds(5);
    // No short lane: on a slow machine, most counts of these tests are long, and short ones would
    // overtake them.
    options_.short_lane.limit = milliseconds(0);
  }

  std::unique_ptr<JobManager> start() {
    auto manager = JobManager::start(options_, world_);
    if (manager.ok()) return std::move(manager).value();
    ADD_FAILURE() << manager.error().to_string();
    return nullptr;
  }

  std::unique_ptr<JobManager> start_gated() {
    world_.runner = gate_.runner();
    return start();
  }

  static Submission submit(JobManager& manager, const JobRequest& request) {
    auto answer = manager.submit(request);
    if (auto* submission = std::get_if<Submission>(&answer)) return *submission;
    ADD_FAILURE() << std::get<Refusal>(answer).error.to_string();
    return {};
  }

  static std::optional<Refusal::Kind> refusal(JobManager& manager, const JobRequest& request) {
    const auto answer = manager.submit(request);
    const auto* refusal = std::get_if<Refusal>(&answer);
    return refusal != nullptr ? std::optional(refusal->kind) : std::nullopt;
  }

  static JobView get(JobManager& manager, JobId id) { return manager.get(id).value().value(); }

  static JobView finished(JobManager& manager, JobId id) {
    EXPECT_TRUE(eventually([&] { return is_final(get(manager, id).state); }));
    return get(manager, id);
  }

  static JobView counted(JobManager& manager, const JobRequest& request) {
    return finished(manager, submit(manager, request).job.id);
  }

  StateDir dir_;
  Gate gate_;
  JobManagerOptions options_;
  JobWorld world_;
};

TEST_F(JobManagerTest, CountsInEveryMode) {
  const auto manager = start();
  for (const Mode& mode : modes()) {
    if (mode.mode == CountMode::kUnique) continue;  // below
    JobRequest request = request_of(5, "kiwipete", mode.mode);
    if (mode.mode == CountMode::kEstimate) request.samples = JobRequest::kMinSamples;
    const JobView view = counted(*manager, request);
    EXPECT_EQ(view.state, JobState::kDone) << to_string(mode.mode);
    if (mode.mode == CountMode::kEstimate) {
      EXPECT_FALSE(view.nodes) << "an estimate is no count";
      EXPECT_NEAR(view.estimate.value_or(0), 193690690.0, 193690690.0 / 20);
    } else {
      EXPECT_EQ(view.nodes, NodeCount(193690690)) << to_string(mode.mode);
      EXPECT_FALSE(view.estimate);
      EXPECT_EQ(view.verdict, mode.mode == CountMode::kVerify ? "agree" : "match");
    }
    EXPECT_EQ(view.attempts, 1);
    EXPECT_TRUE(nlohmann::json::accept(view.document));
  }
  const JobStats stats = manager->stats();
  EXPECT_EQ(stats.done, modes().size() - 1);
  EXPECT_GE(stats.leaves, 3 * 193690690.0);
  EXPECT_GT(stats.table_hits, 0U);
}

TEST_F(JobManagerTest, CountsDistinctPositions) {
  const auto manager = start();
  const JobRequest request = request_of(5, "startpos", CountMode::kUnique);
  const JobView view = counted(*manager, request);
  ASSERT_EQ(view.state, JobState::kDone) << view.error->to_string();
  EXPECT_EQ(view.nodes, NodeCount(4865609));
  EXPECT_EQ(view.verdict, "match");
  const auto plies = nlohmann::json::parse(view.document)["plies"];
  ASSERT_EQ(plies.size(), 6U);
  EXPECT_EQ(plies[5]["distinct"], "822518");
  EXPECT_EQ(format_result(view, Format::kCsv).value(),
            "ply,distinct,paths\n0,1,1\n1,20,20\n2,400,400\n3,5362,8902\n4,72078,197281\n"
            "5,822518,4865609\n");
  EXPECT_EQ(format_result(view, Format::kEpd).error().message,
            "a job of mode unique supports only json and csv");
}

TEST_F(JobManagerTest, FailsIfMemoryIsTooSmallForPairs) {
  options_.counting.table_bytes = std::uint64_t{1} << 20;
  const auto manager = start();
  const JobRequest request = request_of(5, "kiwipete", CountMode::kUnique);
  const JobView view = counted(*manager, request);
  EXPECT_EQ(view.state, JobState::kFailed);
  ASSERT_TRUE(view.error);
  EXPECT_EQ(view.error->field, "memory");
  EXPECT_EQ(counted(*manager, request_of(3)).nodes, NodeCount(8902));
}

TEST_F(JobManagerTest, ReportsHaveOtherForms) {
  const auto manager = start();
  JobRequest request{{.moves = "e2e4", .depth = Depth(3)}};
  const JobView view = counted(*manager, make_job_request(request).value());
  const auto form = [&](Format format) { return format_result(view, format).value(); };
  EXPECT_EQ(form(Format::kJson), view.document);
  EXPECT_THAT(form(Format::kCsv), AllOf(HasSubstr("a7a6,"), HasSubstr("total,13160\n")));
  EXPECT_THAT(form(Format::kStockfish), HasSubstr("\nNodes searched: 13160\n\n"));
  EXPECT_EQ(form(Format::kEpd),
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 ;D3 13160\n");
  const JobView verified = counted(*manager, request_of(3, "startpos", CountMode::kVerify));
  EXPECT_FALSE(format_result(verified, Format::kCsv).ok());
}

TEST_F(JobManagerTest, StatisticsHaveTheFormsOfTheCommand) {
  const auto manager = start();
  const JobRequest request = request_of(4, "kiwipete", CountMode::kStatistics);
  const JobView view = counted(*manager, request);
  const auto json = nlohmann::json::parse(view.document);
  EXPECT_EQ(json["captures"], "757163");
  EXPECT_EQ(json["mates"], "43");
  EXPECT_EQ(json["known"], "match");
  EXPECT_THAT(
      format_result(view, Format::kCsv).value(),
      HasSubstr("\ntotal,4085603,757163,1929,128013,15172,25432,42,6,0,43,0,0,0,25480,43\n"));
  EXPECT_THAT(format_result(view, Format::kStockfish).value(),
              HasSubstr("\nNodes searched: 4085603\n\n"));
}

TEST_F(JobManagerTest, EstimatesAreKnownByTheirSamplesAndSeed) {
  const auto manager = start();
  JobRequest request{{.depth = Depth(7), .mode = CountMode::kEstimate, .samples = 200, .seed = 3}};
  request = make_job_request(request).value();
  const JobView first = counted(*manager, request);
  const auto json = nlohmann::json::parse(first.document);
  EXPECT_EQ(json["samples"], 200);
  EXPECT_EQ(json["seed"], 3);
  EXPECT_EQ(json["published"], "3195901860");
  EXPECT_EQ(first.estimate, json["estimate"].get<double>());
  const bool inside = json["low"] <= 3195901860.0 && json["high"] >= 3195901860.0;
  EXPECT_EQ(first.verdict, inside ? "inside" : "outside");
  EXPECT_FALSE(format_result(first, Format::kCsv).ok());

  const Submission again = submit(*manager, request);
  EXPECT_TRUE(again.existing);
  EXPECT_EQ(again.job.document, first.document);
  const auto other_answer = [&](std::uint64_t samples, std::uint64_t seed) {
    JobRequest other = request;
    other.samples = samples;
    other.seed = seed;
    return counted(*manager, make_job_request(other).value()).estimate;
  };
  EXPECT_NE(other_answer(200, 4), first.estimate);
  EXPECT_NE(other_answer(201, 3), first.estimate);

  // A small depth is counted exactly, as in other modes.
  request.depth = Depth(3);
  request = make_job_request(request).value();
  const JobView exact = counted(*manager, request);
  EXPECT_EQ(exact.nodes, NodeCount(8902));
  EXPECT_FALSE(exact.estimate);
  EXPECT_EQ(exact.verdict, "match");
}

TEST_F(JobManagerTest, RunsInTheOrderOfAcceptance) {
  const auto manager = start_gated();
  std::vector<JobId> ids;
  for (const int depth : {5, 3, 4}) ids.push_back(submit(*manager, request_of(depth)).job.id);
  ASSERT_TRUE(eventually([&] { return gate_.waiting() == 1; }));
  EXPECT_EQ(get(*manager, ids[0]).state, JobState::kRunning);
  EXPECT_EQ(get(*manager, ids[1]).queue_position, 1U);
  EXPECT_EQ(get(*manager, ids[2]).queue_position, 2U);
  EXPECT_EQ(get(*manager, ids[0]).waits_for, std::nullopt);
  for (const JobId id : {ids[1], ids[2]}) EXPECT_EQ(get(*manager, id).waits_for, ids[0]);
  gate_.let_pass(3);
  for (const JobId id : ids) EXPECT_EQ(finished(*manager, id).state, JobState::kDone);
  EXPECT_THAT(gate_.order(), ElementsAre(5, 3, 4));
  EXPECT_EQ(finished(*manager, ids[1]).nodes, NodeCount(1003));
}

TEST_F(JobManagerTest, RunsSideBySideIfAskedTo) {
  options_.concurrent = 2;
  const auto manager = start_gated();
  for (const int depth : {1, 2, 3}) submit(*manager, request_of(depth));
  EXPECT_TRUE(eventually([&] { return gate_.waiting() == 2; }));
  EXPECT_EQ(manager->stats().running, 2U);
  EXPECT_EQ(manager->stats().queued, 1U);
}

TEST_F(JobManagerTest, LimitsAreKept) {
  options_.limits.max_depth = Depth(9);
  options_.limits.max_queued = 2;
  options_.limits.max_deadline = seconds(100);
  const auto manager = start_gated();
  EXPECT_EQ(refusal(*manager, request_of(10)), Refusal::Kind::kInvalid);
  JobRequest patient = request_of(3);
  patient.deadline = seconds(101);
  EXPECT_EQ(refusal(*manager, patient), Refusal::Kind::kInvalid);
  const JobId running = submit(*manager, request_of(1)).job.id;
  EXPECT_EQ(get(*manager, running).request.deadline, seconds(100));
  ASSERT_TRUE(eventually([&] { return gate_.waiting() == 1; }));
  submit(*manager, request_of(2));
  const JobId last = submit(*manager, request_of(3)).job.id;
  EXPECT_EQ(refusal(*manager, request_of(4)), Refusal::Kind::kQueueFull);
  ASSERT_TRUE(manager->cancel(last).ok());
  submit(*manager, request_of(4));
}

TEST_F(JobManagerTest, CancelsWaitingAndRunningJobs) {
  const auto manager = start_gated();
  const JobId running = submit(*manager, request_of(1)).job.id;
  const JobId waiting = submit(*manager, request_of(2)).job.id;
  ASSERT_TRUE(eventually([&] { return gate_.waiting() == 1; }));
  EXPECT_EQ(manager->cancel(waiting).value()->state, JobState::kCancelled);
  ASSERT_TRUE(manager->cancel(running).ok());
  EXPECT_EQ(finished(*manager, running).state, JobState::kCancelled);
  EXPECT_EQ(manager->cancel(running).value()->state, JobState::kCancelled);  // no change
  EXPECT_FALSE(manager->cancel({99}).value());
  EXPECT_EQ(manager->stats().cancelled, 2U);
  gate_.let_pass(1);
  const JobId done = submit(*manager, request_of(3)).job.id;
  finished(*manager, done);
  EXPECT_EQ(manager->cancel(done).value()->state, JobState::kDone);
}

TEST_F(JobManagerTest, CancelsARealCount) {
  options_.counting.table_bytes = std::uint64_t{512} << 20;  // enough for counts by configurations
  const auto manager = start();
  for (const Mode& mode : modes()) {
    const JobId id = submit(*manager, request_of(9, "startpos", mode.mode)).job.id;
    // Subtrees of statistics take long, so these jobs are cancelled during their first subtrees.
    ASSERT_TRUE(eventually([&] {
      const JobProgress progress = get(*manager, id).progress;
      return progress.units_done > 0 ||
             (mode.mode == CountMode::kStatistics && progress.visited > 0);
    })) << to_string(mode.mode);
    ASSERT_TRUE(manager->cancel(id).ok());
    const JobView view = finished(*manager, id);
    EXPECT_EQ(view.state, JobState::kCancelled) << to_string(mode.mode);
    EXPECT_EQ(view.document, "");
  }
}

TEST_F(JobManagerTest, DeadlinesEndWaitingAndRunningJobs) {
  std::atomic<int> hours = 0;
  world_.now = [&] { return WallTime(std::chrono::hours(hours)); };
  const auto manager = start_gated();
  std::atomic<int> looks = 0;  // number of calls of the watcher
  const auto subscription = manager->subscribe([&](const JobEvent&) { ++looks; });
  JobRequest request = request_of(1);
  request.deadline = std::chrono::hours(2);
  const JobId running = submit(*manager, request).job.id;
  request.depth = Depth(2);
  const JobId waiting = submit(*manager, request).job.id;
  ASSERT_TRUE(eventually([&] { return gate_.waiting() == 1; }));
  hours = 1;
  const int before = looks;
  ASSERT_TRUE(eventually([&] { return looks >= before + 2; }));
  EXPECT_EQ(get(*manager, running).state, JobState::kRunning);
  hours = 2;
  for (const JobId id : {running, waiting}) {
    const JobView view = finished(*manager, id);
    EXPECT_EQ(view.state, JobState::kFailed);
    EXPECT_EQ(view.error->field, "deadline");
  }
}

TEST_F(JobManagerTest, IdempotencyKeysReplay) {
  JobRequest request = request_of(3);
  request.idempotency_key = "k";
  auto manager = start_gated();
  const JobId id = submit(*manager, request).job.id;
  const Submission again = submit(*manager, request);
  EXPECT_TRUE(again.existing);
  EXPECT_EQ(again.job.id, id);
  manager.reset();
  manager = start();
  EXPECT_EQ(submit(*manager, request).job.id, id);
  JobRequest other = request_of(4);
  other.idempotency_key = "k";
  EXPECT_EQ(refusal(*manager, other), Refusal::Kind::kConflict);
  gate_.let_pass(1);
  finished(*manager, id);
  // If a request with a new key has a known result, the key is stored for that job.
  JobRequest cached = request_of(3);
  cached.idempotency_key = "j";
  EXPECT_EQ(submit(*manager, cached).job.id, id);
  other.idempotency_key = "j";
  EXPECT_EQ(refusal(*manager, other), Refusal::Kind::kConflict);
}

TEST_F(JobManagerTest, KnownResultsAnswerAtOnce) {
  const auto manager = start();
  const JobId first = submit(*manager, request_of(4)).job.id;
  const JobView done = finished(*manager, first);
  // The same position in another form.
  JobRequest same{{.fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 7 9",
                   .moves = "g1f3 g8f6 f3g1 f6g8",
                   .depth = Depth(4),
                   .mode = CountMode::kHashed}};
  const Submission again = submit(*manager, make_job_request(same).value());
  EXPECT_TRUE(again.existing);
  EXPECT_EQ(again.job.document, done.document);
  EXPECT_EQ(manager->stats().cache_hits, 1U);
  EXPECT_FALSE(submit(*manager, request_of(4, "startpos", CountMode::kUnhashed)).existing);
  EXPECT_FALSE(submit(*manager, request_of(3)).existing);
  EXPECT_FALSE(submit(*manager, request_of(4, "kiwipete")).existing);
}

TEST_F(JobManagerTest, ATwinInTheQueueIsNotCountedTwice) {
  const auto manager = start_gated();
  const JobId first = submit(*manager, request_of(4)).job.id;
  const JobId twin = submit(*manager, request_of(4)).job.id;
  EXPECT_NE(first, twin);
  gate_.let_pass(1);
  EXPECT_EQ(finished(*manager, twin).nodes, NodeCount(1004));
  EXPECT_EQ(finished(*manager, twin).attempts, 0);
}

TEST_F(JobManagerTest, ResumesWhatAnEarlierProcessLeft) {
  HeldCount held(101);
  world_.runner = held.runner();
  auto manager = start();
  const JobId id = submit(*manager, request_of(7, "startpos", CountMode::kUnhashed)).job.id;
  submit(*manager, request_of(3));
  ASSERT_TRUE(eventually([&] { return held.taken() == 101; }));
  manager->shutdown();
  EXPECT_EQ(refusal(*manager, request_of(5)), Refusal::Kind::kClosing);
  EXPECT_FALSE(manager->ready());
  manager.reset();
  held.let_go();
  manager = start();
  EXPECT_EQ(manager->stats().resumed, 2U);
  const JobView view = finished(*manager, id);
  EXPECT_EQ(view.nodes, NodeCount(3195901860));
  EXPECT_EQ(view.attempts, 2);
  EXPECT_EQ(nlohmann::json::parse(view.document)["resumed_units"], 101);
  EXPECT_EQ(finished(*manager, {id.value + 1}).nodes, NodeCount(8902));
}

// Here, a count that stores subtrees would wait for ever at its first one.
TEST_F(JobManagerTest, StoresNoSubtreesOfSmallCounts) {
  HeldCount held(0);
  world_.runner = held.runner();
  const auto manager = start();
  for (const CountMode mode : {CountMode::kHashed, CountMode::kUnhashed}) {
    const JobView view = counted(*manager, request_of(5, "startpos", mode));
    EXPECT_EQ(view.nodes, NodeCount(4'865'609));
    EXPECT_EQ(nlohmann::json::parse(view.document)["units"], 20);
  }
}

TEST_F(JobManagerTest, ResumesStatistics) {
  HeldCount held(20);
  world_.runner = held.runner();
  const int depth = kIsFastBuild ? 7 : 6;  // takes seconds
  const JobRequest request = request_of(depth, "startpos", CountMode::kStatistics);
  auto manager = start();
  const JobId id = submit(*manager, request).job.id;
  ASSERT_TRUE(eventually([&] { return held.taken() == 20; }));
  manager.reset();
  held.let_go();
  manager = start();
  JobProgress seen;
  EXPECT_TRUE(eventually([&] {
    const JobView view = get(*manager, id);
    if (view.progress.units_total > 0) seen = view.progress;
    return is_final(view.state);
  }));
  const JobView view = get(*manager, id);
  EXPECT_EQ(view.attempts, 2);
  const auto json = nlohmann::json::parse(view.document);
  EXPECT_EQ(json["resumed_units"], 20);
  EXPECT_EQ(json["resumed_units"], seen.resumed_units) << "subtrees, not counts";
  EXPECT_GT(seen.units_total, 0U);
  EXPECT_DOUBLE_EQ(seen.resumed * static_cast<double>(seen.units_total),
                   static_cast<double>(seen.resumed_units));
  EXPECT_LE(seen.resumed, seen.share);
  EXPECT_EQ(json["known"], "match");
  EXPECT_EQ(json["captures"], depth == 7 ? "108329926" : "2812008");
  EXPECT_EQ(json["en_passants"], depth == 7 ? "319617" : "5248");
  EXPECT_EQ(json["castles"], depth == 7 ? "883453" : "0");
  EXPECT_EQ(json["mates"], depth == 7 ? "435767" : "10828");
}

TEST_F(JobManagerTest, ResumesDistinctPositions) {
  HeldCount held(20);
  world_.runner = held.runner();
  const JobRequest request = request_of(6, "startpos", CountMode::kUnique);
  auto manager = start();
  const JobId id = submit(*manager, request).job.id;
  ASSERT_TRUE(eventually([&] { return held.taken() == 20; }));
  manager.reset();
  held.let_go();
  manager = start();
  const JobView view = finished(*manager, id);
  EXPECT_EQ(view.attempts, 2);
  const auto plies = nlohmann::json::parse(view.document)["plies"];
  EXPECT_EQ(plies[6]["distinct"], "9417681");
  EXPECT_EQ(plies[5]["distinct"], "822518");
  EXPECT_EQ(view.nodes, NodeCount(119060324));
  const std::size_t taken = held.taken();
  // No subtree was counted again, so there are as many records as for a job that was not stopped.
  manager.reset();
  const StateDir other;
  options_.state_dir = other.path();
  const auto other_manager = start();
  EXPECT_EQ(counted(*other_manager, request).attempts, 1);
  EXPECT_EQ(held.taken(), 20 + taken);
}

/// A count by configurations stores no subtrees, so it starts again.
TEST_F(JobManagerTest, BeginsACountByConfigurationsAgain) {
  options_.counting.table_bytes = std::uint64_t{2} << 30;  // its matrices need a fifth of this
  const auto counts = [](const JobView& view) { return view.progress.units_done > 0; };
  auto manager = start();
  const JobId id = submit(*manager, request_of(9, "startpos", CountMode::kConfigurations)).job.id;
  ASSERT_TRUE(eventually([&] { return counts(get(*manager, id)); }));
  manager.reset();
  manager = start();
  ASSERT_TRUE(eventually([&] { return counts(get(*manager, id)); }));
  const JobView view = get(*manager, id);
  EXPECT_EQ(view.attempts, 2);
  EXPECT_EQ(view.progress.resumed_units, 0U);
  ASSERT_TRUE(manager->cancel(id).ok());
  EXPECT_EQ(finished(*manager, id).state, JobState::kCancelled);
}

TEST_F(JobManagerTest, KeepsTablesForTheNextJobAndGivesThemBack) {
  options_.table_idle = milliseconds(200);
  const auto manager = start();
  const auto reused = [&](int depth, const char* fen) {
    const JobView view = counted(*manager, request_of(depth, fen));
    return nlohmann::json::parse(view.document)["table"]["reused"].get<bool>();
  };
  EXPECT_FALSE(reused(5, "kiwipete"));
  EXPECT_TRUE(eventually([&] { return manager->stats().table_bytes == 0; }));
  EXPECT_FALSE(reused(6, "startpos"));
}

TEST_F(JobManagerTest, ReusedTablesAnswerRight) {
  const auto manager = start();
  const JobView first = counted(*manager, request_of(5, "kiwipete"));
  EXPECT_GT(manager->stats().table_bytes, 0U);
  JobRequest next{
      {.fen = "kiwipete", .moves = "e1g1", .depth = Depth(5), .mode = CountMode::kHashed}};
  const JobView second = counted(*manager, make_job_request(next).value());
  EXPECT_TRUE(nlohmann::json::parse(second.document)["table"]["reused"].get<bool>());
  next.mode = CountMode::kUnhashed;
  const JobView plain = counted(*manager, make_job_request(next).value());
  EXPECT_EQ(second.nodes, plain.nodes);
}

TEST_F(JobManagerTest, ListsJobsInPages) {
  const auto manager = start_gated();
  gate_.let_pass(1);
  counted(*manager, request_of(1));
  for (int depth = 2; depth <= 4; ++depth) submit(*manager, request_of(depth));
  ASSERT_TRUE(eventually([&] { return gate_.waiting() == 1; }));
  const JobPage page = manager->list(3).value();
  ASSERT_EQ(page.jobs.size(), 3U);
  EXPECT_EQ(page.jobs[0].id, JobId{4});
  EXPECT_EQ(page.jobs[0].queue_position, 2U);
  EXPECT_EQ(page.jobs[2].state, JobState::kRunning);
  ASSERT_EQ(page.next, JobId{2});
  const JobPage rest = manager->list(3, page.next).value();
  ASSERT_EQ(rest.jobs.size(), 1U);
  EXPECT_EQ(rest.next, std::nullopt);
  EXPECT_EQ(rest.jobs[0].nodes, NodeCount(1001));
  EXPECT_EQ(rest.jobs[0].document, "");
  EXPECT_EQ(manager->list(9, {}, JobState::kQueued)->jobs.size(), 2U);
  EXPECT_EQ(manager->list(9, {}, JobState::kRunning)->jobs.size(), 1U);
  EXPECT_EQ(manager->list(9, {}, JobState::kDone)->jobs.size(), 1U);
}

TEST_F(JobManagerTest, TellsSubscribersEveryEnd) {
  const auto manager = start();
  std::mutex mutex;
  std::map<std::int64_t, std::vector<JobEvent>> events;
  auto subscription = manager->subscribe([&](const JobEvent& event) {
    const std::lock_guard lock(mutex);
    events[event.job.id.value].push_back(event);
  });
  for (int depth = 1; depth <= 5; ++depth) submit(*manager, request_of(depth, "kiwipete"));
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return events.size() == 5 && std::ranges::all_of(events, [](const auto& job) {
             return job.second.back().job.state == JobState::kDone;
           });
  }));
  const JobId id = submit(*manager, request_of(9, "startpos", CountMode::kUnhashed)).job.id;
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    const auto& told = events[id.value];
    return !told.empty() && told.back().kind == JobEvent::Kind::kProgress &&
           told.back().job.progress.leaves > 0;
  }));
  subscription = {};
  events.clear();
  std::atomic<int> others = 0;
  subscription = manager->subscribe([&](const JobEvent&) { ++others; });
  EXPECT_TRUE(eventually([&] { return others >= 2; }));
  EXPECT_TRUE(events.empty());
  subscription = {};
}

TEST_F(JobManagerTest, SlowSubscribersHinderNobody) {
  const auto manager = start();
  std::mutex busy;
  std::unique_lock hold(busy);
  auto subscription =
      manager->subscribe([&](const JobEvent&) { const std::lock_guard wait(busy); });
  EXPECT_EQ(counted(*manager, request_of(6)).nodes, NodeCount(119060324));
  hold.unlock();
}

// Another program locks the database, so nothing can be stored for a while.
class Blockade {
 public:
  explicit Blockade(const StateDir& dir) {
    sqlite3_open(dir.database().c_str(), &database_);
    sqlite3_busy_timeout(database_, 600'000);
    EXPECT_EQ(sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  ~Blockade() { sqlite3_close(database_); }
  Blockade(const Blockade&) = delete;
  Blockade& operator=(const Blockade&) = delete;

 private:
  sqlite3* database_ = nullptr;
};

TEST_F(JobManagerTest, ResultsWaitForTheDiskAndAreNotShownBefore) {
  const auto manager = start_gated();
  const JobId id = submit(*manager, request_of(3)).job.id;
  ASSERT_TRUE(eventually([&] { return gate_.waiting() == 1; }));
  {
    const Blockade blockade(dir_);
    gate_.let_pass(1);
    ASSERT_TRUE(eventually([&] { return get(*manager, id).storage_problem.has_value(); }));
    EXPECT_EQ(get(*manager, id).state, JobState::kRunning);
    EXPECT_FALSE(manager->ready());
    EXPECT_EQ(refusal(*manager, request_of(4)), Refusal::Kind::kStorage);
  }
  EXPECT_EQ(finished(*manager, id).nodes, NodeCount(1003));
  EXPECT_TRUE(manager->ready());
  EXPECT_GT(manager->stats().storage_errors, 0U);
}

TEST_F(JobManagerTest, IsReadyAgainByItself) {
  const auto manager = start();
  {
    const Blockade blockade(dir_);
    EXPECT_EQ(refusal(*manager, request_of(4)), Refusal::Kind::kStorage);
    EXPECT_FALSE(manager->ready());
  }
  EXPECT_TRUE(eventually([&] { return manager->ready(); }));
}

TEST_F(JobManagerTest, PromisesNothingWhileTheDatabaseIsElsewhere) {
  Mutex mutex;
  std::vector<std::string> told;
  options_.storage_changed = [&](const std::optional<Error>& problem) {
    const MutexLock lock(mutex);
    told.push_back(problem ? problem->to_string() : "well");
  };
  const auto told_times = [&](std::size_t times) {
    return eventually([&] {
      const MutexLock lock(mutex);
      return told.size() >= times;
    });
  };
  auto manager = start_gated();
  JobRequest keyed = request_of(2);
  keyed.idempotency_key = "key";
  gate_.let_pass(1);
  const JobId known = submit(*manager, keyed).job.id;
  EXPECT_EQ(finished(*manager, known).nodes, NodeCount(1002));
  const JobId running = submit(*manager, request_of(3)).job.id;
  const JobId waiting = submit(*manager, request_of(4)).job.id;
  ASSERT_TRUE(eventually([&] { return gate_.waiting() == 1; }));

  const std::filesystem::path aside = dir_.database().string() + "-aside";
  std::filesystem::rename(dir_.database(), aside);
  EXPECT_FALSE(manager->ready()) << "noticed without anybody storing anything";
  EXPECT_EQ(refusal(*manager, request_of(5)), Refusal::Kind::kStorage);
  EXPECT_EQ(refusal(*manager, request_of(2)), Refusal::Kind::kStorage) << "a known result";
  EXPECT_EQ(refusal(*manager, keyed), Refusal::Kind::kStorage) << "a known key";
  EXPECT_THAT(manager->cancel(waiting).error().to_string(), HasSubstr("moved or deleted"));
  EXPECT_FALSE(manager->cancel(waiting).ok()) << "asked again";
  EXPECT_EQ(get(*manager, waiting).state, JobState::kQueued) << "not told before it is stored";
  ASSERT_TRUE(told_times(1));
  gate_.let_pass(1);
  ASSERT_TRUE(eventually([&] { return get(*manager, running).storage_problem.has_value(); }));
  EXPECT_EQ(get(*manager, running).state, JobState::kRunning) << "its result waits";

  std::filesystem::rename(aside, dir_.database());
  EXPECT_TRUE(eventually([&] { return manager->ready(); }));
  EXPECT_EQ(finished(*manager, running).nodes, NodeCount(1003));
  EXPECT_TRUE(eventually([&] { return !get(*manager, waiting).storage_problem; }));
  EXPECT_EQ(get(*manager, waiting).state, JobState::kCancelled);
  ASSERT_TRUE(told_times(2));
  EXPECT_EQ(submit(*manager, keyed).job.id, known);
  manager.reset();
  EXPECT_THAT(told, testing::ElementsAre(HasSubstr("moved or deleted"), "well"));
  const auto again = start();
  EXPECT_EQ(get(*again, running).nodes, NodeCount(1003));
  EXPECT_EQ(get(*again, waiting).state, JobState::kCancelled);
}

TEST_F(JobManagerTest, ARunningJobIsCancelledOnlyOnceThatIsStored) {
  auto manager = start_gated();
  const JobId id = submit(*manager, request_of(3)).job.id;
  ASSERT_TRUE(eventually([&] { return gate_.waiting() == 1; }));
  Mutex mutex;
  std::vector<JobState> ends;
  const auto told = [&] {
    const MutexLock lock(mutex);
    return ends;
  };
  auto subscription = manager->subscribe([&](const JobEvent& event) {
    const MutexLock lock(mutex);
    if (is_final(event.job.state)) ends.push_back(event.job.state);
  });

  const std::filesystem::path aside = dir_.database().string() + "-aside";
  std::filesystem::rename(dir_.database(), aside);
  for (const char* when : {"asked", "asked again"}) {
    const auto cancelled = manager->cancel(id);
    ASSERT_FALSE(cancelled.ok()) << when;
    EXPECT_EQ(cancelled.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(cancelled.error().to_string(),
                testing::AllOf(HasSubstr("job 1"),
                               HasSubstr("if the server restarts now, the job runs again"),
                               HasSubstr("moved or deleted")));
  }
  EXPECT_TRUE(eventually([&] { return gate_.waiting() == 0; })) << "is stopped all the same";
  const JobView view = get(*manager, id);
  EXPECT_EQ(view.state, JobState::kRunning);
  EXPECT_FALSE(view.finished);
  EXPECT_THAT(view.storage_problem.value_or(""), HasSubstr("will be cancelled"));
  EXPECT_EQ(manager->list(9, {}, JobState::kRunning)->jobs.size(), 1U);
  EXPECT_EQ(manager->list(9, {}, JobState::kCancelled)->jobs.size(), 0U);
  EXPECT_EQ(manager->remove(id).value(), Removal::kNotFinished);
  EXPECT_THAT(told(), ElementsAre());

  std::filesystem::rename(aside, dir_.database());
  EXPECT_EQ(finished(*manager, id).state, JobState::kCancelled);
  EXPECT_TRUE(eventually([&] { return told().size() == 1; }));
  EXPECT_THAT(told(), ElementsAre(JobState::kCancelled));
  subscription = {};
  manager.reset();
  EXPECT_EQ(get(*start(), id).state, JobState::kCancelled);
}

// While the database is not at its path, cancelling a finished job returns an error instead of the
// job. Otherwise clients would rely on an end that the file at the path does not contain.
TEST_F(JobManagerTest, CancellingPromisesNothingOfEndedJobsWhileTheDatabaseIsElsewhere) {
  const auto manager = start();
  const JobId id = submit(*manager, request_of(3)).job.id;
  finished(*manager, id);
  const std::filesystem::path aside = dir_.database().string() + "-aside";
  std::filesystem::rename(dir_.database(), aside);
  EXPECT_FALSE(manager->cancel(id).ok());
  EXPECT_EQ(get(*manager, id).nodes, NodeCount(8902)) << "is read as before";
  std::filesystem::rename(aside, dir_.database());
  EXPECT_EQ(manager->cancel(id).value()->state, JobState::kDone);
}

// The cancellation is durable before the job's threads have stopped. If these threads then find a
// result, the job stays cancelled.
TEST_F(JobManagerTest, WhatIsCancelledStaysSoWhateverItsThreadsFind) {
  std::atomic<bool> let_go = false;
  world_.runner = [&](const JobRequest& request, const Resources&) -> Result<Answer> {
    while (!let_go) std::this_thread::yield();
    return Answer{.nodes = static_cast<std::uint64_t>(1000 + request.depth.plies()),
                  .estimate = {},
                  .distinct = {},
                  .verdict = "unknown",
                  .document = "{}\n"};
  };
  const auto manager = start();
  const std::shared_ptr<std::atomic<bool>> release(
      &let_go, [](std::atomic<bool>* gate) { *gate = true; });  // before the manager ends
  const JobId kept = submit(*manager, request_of(3)).job.id;
  ASSERT_TRUE(eventually([&] { return manager->stats().running == 1; }));
  EXPECT_EQ(manager->cancel(kept).value()->state, JobState::kCancelled);
  EXPECT_EQ(get(*manager, kept).state, JobState::kCancelled);
  {
    const StateDir killed("-killed");  // a copy of the state that a kill would leave now
    std::filesystem::create_directories(killed.path());
    for (const char* end : {"", "-wal"}) {
      std::filesystem::copy_file(dir_.database().string() + end, killed.database().string() + end);
    }
    const auto store = JobStore::open(killed.path()).value();
    EXPECT_EQ(store->load(kept).value()->state, JobState::kCancelled);
    EXPECT_TRUE(store->unfinished()->empty());
  }
  let_go = true;
  const JobId next = submit(*manager, request_of(4)).job.id;
  EXPECT_EQ(finished(*manager, next).nodes, NodeCount(1004)) << "so the first one has returned";
  EXPECT_EQ(get(*manager, kept).state, JobState::kCancelled);
  EXPECT_FALSE(manager->find_result(request_of(3)).value()) << "what it found is nobody's";
  EXPECT_EQ(manager->stats().done, 1U);
  EXPECT_EQ(manager->stats().cancelled, 1U);

  let_go = false;
  const JobId removed = submit(*manager, request_of(5)).job.id;
  ASSERT_TRUE(eventually([&] { return manager->stats().running == 1; }));
  ASSERT_TRUE(manager->cancel(removed).ok());
  EXPECT_EQ(manager->remove(removed).value(), Removal::kRemoved);
  let_go = true;
  EXPECT_EQ(counted(*manager, request_of(6)).nodes, NodeCount(1006));
  EXPECT_FALSE(manager->get(removed).value());
  EXPECT_EQ(manager->stats().done, 2U);
}

TEST_F(JobManagerTest, PatienceWithTheDiskEnds) {
  options_.storage_patience = milliseconds(0);
  auto manager = start_gated();
  const JobId id = submit(*manager, request_of(3)).job.id;
  ASSERT_TRUE(eventually([&] { return gate_.waiting() == 1; }));
  {
    const Blockade blockade(dir_);
    gate_.let_pass(1);
    ASSERT_TRUE(eventually([&] {
      const auto problem = get(*manager, id).storage_problem;
      return problem && problem->starts_with("will be failed");
    }));
    EXPECT_EQ(get(*manager, id).state, JobState::kRunning) << "a restart would count it";
  }
  // The failure, too, becomes durable as soon as storing works.
  const JobView view = finished(*manager, id);
  EXPECT_EQ(view.state, JobState::kFailed);
  EXPECT_THAT(view.error->to_string(), StartsWith("state: the result could not be stored: "));
  EXPECT_FALSE(view.storage_problem);
  manager.reset();
  EXPECT_EQ(get(*start(), id).state, JobState::kFailed);
}

// On a real full file system, if the test may mount one: subtrees and the result wait until there
// is room.
TEST_F(JobManagerTest, CountsOnWhileTheFileSystemIsFull) {
  std::filesystem::create_directories(dir_.path());
  if (mount("none", dir_.path().c_str(), "tmpfs", 0, "size=256k") != 0)
    GTEST_SKIP() << "may not mount";
  const std::shared_ptr<const char> unmount(
      dir_.path().c_str(), [](const char* path) { EXPECT_EQ(umount2(path, MNT_DETACH), 0); });
  options_.unit_interval = milliseconds(5);
  const auto manager = start();
  const JobId id = submit(*manager, request_of(7, "startpos", CountMode::kUnhashed)).job.id;
  ASSERT_TRUE(eventually([&] {
    const JobView view = get(*manager, id);
    EXPECT_FALSE(is_final(view.state));
    return view.progress.share == 1 && view.storage_problem;
  }));
  EXPECT_THAT(get(*manager, id).storage_problem.value_or(""), HasSubstr("full"));
  ASSERT_EQ(mount("none", dir_.path().c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0);
  EXPECT_EQ(finished(*manager, id).nodes, NodeCount(3195901860));
  EXPECT_TRUE(eventually([&] { return manager->ready(); }));
}

TEST_F(JobManagerTest, ManyCallersAtOnce) {
  options_.concurrent = 3;
  options_.keep_finished = 1000;
  const auto manager = start();
  std::atomic<int> ends = 0;
  const auto subscription =
      manager->subscribe([&](const JobEvent& event) { ends += is_final(event.job.state) ? 1 : 0; });
  constexpr int kCallers = 4;
  constexpr int kJobs = 8;
  std::array<std::vector<JobId>, kCallers> ids;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < kCallers; ++caller) {
      callers.emplace_back([&, caller] {
        for (int i = 0; i < kJobs; ++i) {
          const auto mode = static_cast<CountMode>((i + caller) % 4);
          const Submission made = submit(
              *manager, request_of(3 + i % 3, caller % 2 == 0 ? "startpos" : "kiwipete", mode));
          ids[static_cast<std::size_t>(caller)].push_back(made.job.id);
          if (i % 4 == 3) {
            EXPECT_TRUE(manager->cancel(made.job.id).ok());
          }
          EXPECT_TRUE(manager->list(5).ok());
          EXPECT_LE(manager->stats().running, 3U);
        }
      });
    }
  }
  const std::map<std::pair<std::string, int>, NodeCount> totals{
      {{"startpos", 3}, 8902},  {{"startpos", 4}, 197281},  {{"startpos", 5}, 4865609},
      {{"kiwipete", 3}, 97862}, {{"kiwipete", 4}, 4085603}, {{"kiwipete", 5}, 193690690}};
  for (const auto& mine : ids) {
    for (const JobId id : mine) {
      const JobView view = finished(*manager, id);
      ASSERT_NE(view.state, JobState::kFailed) << view.error->to_string();
      if (view.state == JobState::kDone) {
        EXPECT_EQ(view.nodes, totals.at({view.request.fen, view.request.depth.plies()}));
      }
    }
  }
  const JobStats stats = manager->stats();
  EXPECT_EQ(stats.done + stats.cancelled, stats.accepted);
  EXPECT_TRUE(eventually([&] { return static_cast<std::uint64_t>(ends) >= stats.accepted; }));
}

/// Long jobs run, but wait until gate_ opens. The clock stands still, and the lane's thread uses no
/// time.
class ShortLaneJobsTest : public JobManagerTest {
 protected:
  ShortLaneJobsTest() {
    options_.short_lane = {};
    world_.runner = [this](const JobRequest& request, const Resources& resources) {
      const bool is_long = request.depth.plies() > 7;
      {
        const std::lock_guard lock(mutex_);
        began_.push_back(request.depth.plies());
        if (!is_long) short_threads_ = resources.count_options.threads;
      }
      if (!is_long && short_) return short_->runner()(request, resources);
      return (is_long ? gate_ : short_gate_).runner()(request, resources);
    };
    world_.steady_now = [this] { return SteadyTime(milliseconds(elapsed_.load())); };
    world_.now = [this] { return WallTime(milliseconds(elapsed_.load())); };
    world_.lane_time = [this] { return milliseconds(used_.load()); };
  }

  std::unique_ptr<JobManager> start_with_long() {
    auto manager = start();
    long_ = submit(*manager, request_of(9)).job.id;
    EXPECT_TRUE(eventually([&] { return gate_.waiting() == 1; }));
    return manager;
  }
  void pass(milliseconds time) { elapsed_ += time.count(); }
  /// Simulates that the short lane counts for this time.
  void use(milliseconds time) {
    pass(time);
    used_ += time.count();
  }
  std::vector<int> began() {
    const std::lock_guard lock(mutex_);
    return began_;
  }

  using SteadyTime = std::chrono::steady_clock::time_point;
  Gate short_gate_;
  std::optional<HeldCount> short_;  // if set, runs short jobs; otherwise short_gate_ does
  JobId long_;
  std::atomic<std::int64_t> elapsed_ = 1'000'000'000;
  std::atomic<std::int64_t> used_ = 7;
  std::mutex mutex_;
  std::vector<int> began_;
  int short_threads_ = 0;
};

TEST_F(ShortLaneJobsTest, RunBesideALongOne) {
  const auto manager = start_with_long();
  const JobId waiting = submit(*manager, request_of(10)).job.id;
  const JobId quick = submit(*manager, request_of(3)).job.id;
  ASSERT_TRUE(eventually([&] { return short_gate_.waiting() == 1; }));
  EXPECT_EQ(manager->stats().running, 2U);
  EXPECT_EQ(manager->list(9, std::nullopt, JobState::kRunning).value().jobs.size(), 2U);
  short_gate_.let_pass(1);
  EXPECT_EQ(finished(*manager, quick).nodes, NodeCount(1003));
  EXPECT_EQ(get(*manager, long_).state, JobState::kRunning);
  EXPECT_EQ(get(*manager, waiting).state, JobState::kQueued) << "it is not short";
  EXPECT_EQ(short_threads_, 1);
  EXPECT_EQ(manager->stats().short_jobs, 1U);
}

TEST_F(ShortLaneJobsTest, AreNotWhatALongOneWaitsFor) {
  const auto manager = start_with_long();
  const JobId quick = submit(*manager, request_of(3)).job.id;
  ASSERT_TRUE(eventually([&] { return short_gate_.waiting() == 1; }));
  const JobId next = submit(*manager, request_of(10)).job.id;
  const JobId last = submit(*manager, request_of(11)).job.id;
  EXPECT_EQ(get(*manager, last).waits_for, long_);
  gate_.let_pass(1);
  ASSERT_TRUE(eventually([&] { return get(*manager, next).state == JobState::kRunning; }));
  EXPECT_LT(quick, next);
  EXPECT_EQ(get(*manager, last).waits_for, next);
}

TEST_F(ShortLaneJobsTest, GoOnInTheQueueWhereTheyOutgrewTheLane) {
  short_.emplace(21);
  const auto manager = start_with_long();
  submit(*manager, request_of(10));
  const JobId id = submit(*manager, request_of(7, "startpos", CountMode::kUnhashed)).job.id;
  ASSERT_TRUE(eventually([&] { return short_->taken() == 21; }));
  short_->let_go();
  use(seconds(2));
  ASSERT_TRUE(eventually([&] { return get(*manager, id).state == JobState::kQueued; }));
  EXPECT_EQ(get(*manager, id).queue_position, 2U) << "where it was";
  EXPECT_EQ(manager->stats().outgrown_jobs, 1U);
  pass(seconds(100));
  gate_.let_pass(2);
  const JobView view = finished(*manager, id);
  EXPECT_EQ(view.nodes, NodeCount(3195901860));
  EXPECT_EQ(view.attempts, 2);
  EXPECT_EQ(nlohmann::json::parse(view.document)["resumed_units"], 21);
  EXPECT_THAT(began(), ElementsAre(9, 7, 10, 7)) << "those before it were not passed over";
  EXPECT_EQ(manager->stats().short_jobs, 1U);
}

TEST_F(ShortLaneJobsTest, StayInItWhereTheyOnlyWaitForACore) {
  std::atomic<int> seen = 0;  // number of progress events of a job that has run for long
  const auto manager = start_with_long();
  const auto subscription = manager->subscribe([&](const JobEvent& event) {
    seen += event.job.request.depth == Depth(3) && event.job.progress.seconds >= 100 ? 1 : 0;
  });
  const JobId id = submit(*manager, request_of(3)).job.id;
  ASSERT_TRUE(eventually([&] { return short_gate_.waiting() == 1; }));
  pass(seconds(100));
  ASSERT_TRUE(eventually([&] { return seen >= 2 || get(*manager, id).attempts > 1; }))
      << "the watcher has looked at it";
  short_gate_.let_pass(1);
  const JobView view = finished(*manager, id);
  EXPECT_EQ(view.state, JobState::kDone);
  EXPECT_EQ(view.attempts, 1);
  EXPECT_EQ(manager->stats().outgrown_jobs, 0U);
  EXPECT_EQ(manager->stats().short_seconds, 0);
}

TEST_F(ShortLaneJobsTest, UseNoMoreThanTheShare) {
  const auto manager = start_with_long();
  const WallTime first = world_.now();
  for (const int depth : {2, 3, 4}) {  // 5.7 s of the 6 s per minute on two cores
    const JobId id = submit(*manager, request_of(depth)).job.id;
    ASSERT_TRUE(eventually([&] { return short_gate_.waiting() == 1; }));
    use(milliseconds(1900));
    short_gate_.let_pass(1);
    EXPECT_EQ(finished(*manager, id).state, JobState::kDone);
  }
  EXPECT_NEAR(manager->stats().short_seconds, 5.7, 1e-6);
  const JobId late = submit(*manager, request_of(5)).job.id;
  ASSERT_TRUE(eventually([&] {
    const bool waits = get(*manager, late).state == JobState::kQueued;
    if (waits) pass(seconds(1));
    return !waits;
  }));
  EXPECT_GE(*get(*manager, late).started, first + milliseconds(1900) + std::chrono::minutes(1));
}

TEST_F(ShortLaneJobsTest, KeepTheOrderBehindAShortOne) {
  const auto manager = start();
  submit(*manager, request_of(3));
  ASSERT_TRUE(eventually([&] { return short_gate_.waiting() == 1; }));
  const JobId next = submit(*manager, request_of(4)).job.id;
  EXPECT_EQ(get(*manager, next).state, JobState::kQueued);
  pass(seconds(2));  // the running job is longer than estimated
  ASSERT_TRUE(eventually([&] { return short_gate_.waiting() == 2; }));
  EXPECT_EQ(manager->stats().short_jobs, 1U);
}

TEST_F(ShortLaneJobsTest, CanBeCancelledAndResumed) {
  JobId left;
  {
    const auto manager = start_with_long();
    const JobId cancelled = submit(*manager, request_of(3)).job.id;
    ASSERT_TRUE(eventually([&] { return short_gate_.waiting() == 1; }));
    ASSERT_TRUE(manager->cancel(cancelled).ok());
    EXPECT_EQ(finished(*manager, cancelled).state, JobState::kCancelled);
    left = submit(*manager, request_of(4)).job.id;
    ASSERT_TRUE(eventually([&] { return short_gate_.waiting() == 1; }));
  }
  short_gate_.let_pass(1);
  const auto manager = start();
  EXPECT_EQ(manager->stats().resumed, 2U);
  EXPECT_EQ(finished(*manager, left).nodes, NodeCount(1004));
  EXPECT_EQ(get(*manager, long_).state, JobState::kRunning);
}

TEST_F(ShortLaneJobsTest, WaitLikeAllOthersWithoutALane) {
  options_.short_lane.limit = milliseconds(0);
  const auto manager = start_with_long();
  const JobId quick = submit(*manager, request_of(3)).job.id;
  short_gate_.let_pass(1);
  gate_.let_pass(1);
  EXPECT_EQ(finished(*manager, quick).state, JobState::kDone);
  EXPECT_THAT(began(), ElementsAre(9, 3));
  EXPECT_EQ(manager->stats().short_jobs, 0U);
}

TEST_F(JobManagerTest, ASecondManagerIsRefused) {
  const auto manager = start();
  EXPECT_THAT(JobManager::start(options_, world_).error().to_string(), HasSubstr("another server"));
}

TEST_F(JobManagerTest, RequestsAreJudgedFieldByField) {
  const auto problem = [](JobRequest request) {
    const auto made = make_job_request(std::move(request));
    return made.ok() ? std::string("none") : made.error().to_string();
  };
  EXPECT_EQ(problem({{.depth = Depth(3)}}), "none");
  EXPECT_THAT(problem({{.fen = "8/8 w - -"}}), HasSubstr("column"));
  EXPECT_THAT(problem({{.moves = "e2e5"}}), HasSubstr("moves: move 1"));
  for (const auto deadline : {seconds(0), seconds(INT64_MAX)}) {
    JobRequest request;
    request.deadline = deadline;
    EXPECT_THAT(problem(request), HasSubstr("deadline")) << deadline.count();
  }
  for (const std::string& key : {std::string(), std::string("a\nb"), std::string(129, 'a')}) {
    JobRequest request;
    request.idempotency_key = key;
    EXPECT_THAT(problem(request), HasSubstr("idempotency key")) << key;
  }
  const auto sampled = [&problem](CountMode mode, std::optional<std::uint64_t> samples,
                                  std::optional<std::uint64_t> seed) {
    return problem({{.depth = Depth(9), .mode = mode, .samples = samples, .seed = seed}});
  };
  EXPECT_EQ(sampled(CountMode::kEstimate, {}, {}), "none");
  EXPECT_EQ(sampled(CountMode::kEstimate, 100, JobRequest::kMaxSeed), "none");
  EXPECT_EQ(sampled(CountMode::kEstimate, 99, 1),
            "samples: must be a whole number from 100 to 1000000000");
  EXPECT_THAT(sampled(CountMode::kEstimate, JobRequest::kMaxSamples + 1, 1), HasSubstr("samples"));
  EXPECT_THAT(sampled(CountMode::kEstimate, 100, UINT64_MAX),
              HasSubstr("seed: must be a whole number"));
  EXPECT_EQ(sampled(CountMode::kStatistics, 100, {}), "samples: is allowed only in mode estimate");
  EXPECT_EQ(sampled(CountMode::kHashed, {}, 1), "seed: is allowed only in mode estimate");
  EXPECT_EQ(request_of(9, "startpos", CountMode::kEstimate).samples, 10'000U) << "as the command";
  EXPECT_EQ(parse_count_mode("verify").value(), CountMode::kVerify);
  EXPECT_THAT(parse_count_mode("fast").error().message,
              HasSubstr("hashed, unhashed, verify, stats, estimate"));
}

}  // namespace
}  // namespace manyply

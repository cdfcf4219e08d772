// Continues with the state directory of an earlier version of the server, which was stopped while
// it counted. The directory has jobs of every mode: done, running (with stored subtrees) or
// waiting. Also tests the limit of the database and its log, and processes that are killed again
// and again.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/support/eventually.h"
#include "tests/tools/server/kill_loop.h"
#include "tests/tools/server/state_dir.h"
#include "tools/server/job_json.h"
#include "tools/server/jobs/job_manager.h"
#include "tools/server/jobs/job_store.h"

namespace manyply {
namespace {

using std::chrono::milliseconds;

class OlderState : public testing::Test {
 protected:
  OlderState() {
    std::filesystem::create_directories(dir_.path());
    std::filesystem::copy_file(MANYPLY_SOURCE_DIR "/tests/data/state/jobs.db", dir_.database());
    options_.state_dir = dir_.path();
    options_.counting.threads = 2;
    options_.counting.table_bytes = std::uint64_t{32} << 20;
    // Without a short lane, because on a slow machine some jobs would leave the lane and start
    // again.
    options_.short_lane.limit = std::chrono::milliseconds(0);
  }
  JobView job(std::int64_t id) { return manager_->get({id}).value().value(); }
  JobView ended(std::int64_t id) {
    EXPECT_TRUE(eventually([&] { return is_final(job(id).state); })) << id;
    return job(id);
  }
  void start() {
    auto manager = JobManager::start(options_);
    ASSERT_TRUE(manager.ok()) << manager.error().to_string();
    manager_ = std::move(manager).value();
  }

  StateDir dir_;
  JobManagerOptions options_;
  std::unique_ptr<JobManager> manager_;
};

TEST_F(OlderState, WhatIsDoneIsAsItWas) {
  start();
  struct Done {
    std::int64_t id;
    CountMode mode;
    int depth;
    std::uint64_t nodes;
    const char* verdict;
  };
  for (const Done& each : {Done{1, CountMode::kHashed, 4, 197'281, "match"},
                           Done{2, CountMode::kUnhashed, 3, 98'043, "unknown"},
                           Done{3, CountMode::kVerify, 3, 97'862, "agree"},
                           Done{4, CountMode::kStatistics, 3, 97'862, "match"}}) {
    const JobView view = job(each.id);
    EXPECT_EQ(view.state, JobState::kDone) << each.id;
    EXPECT_EQ(view.request.mode, each.mode);
    EXPECT_EQ(view.request.depth, Depth(each.depth));
    EXPECT_EQ(view.nodes, NodeCount(each.nodes)) << each.id;
    EXPECT_EQ(view.verdict, each.verdict);
    EXPECT_TRUE(nlohmann::json::accept(view.document)) << view.document;
    EXPECT_EQ(format_result(view, Format::kCsv).ok(), each.mode != CountMode::kVerify);
  }
  EXPECT_EQ(job(2).request.moves, "e1g1 a6b5");
  EXPECT_TRUE(job(1).request.divide);
  const JobView estimate = job(5);
  EXPECT_EQ(estimate.estimate, 1.1935001895014688e+08);
  EXPECT_EQ(estimate.verdict, "inside");
  EXPECT_EQ(estimate.request.samples, 100U);
  EXPECT_EQ(estimate.request.seed, 7U);
  EXPECT_EQ(job(6).state, JobState::kFailed);
  EXPECT_EQ(job(6).error->field, "deadline");
  EXPECT_EQ(job(14).state, JobState::kCancelled);

  // Idempotency keys still belong to their jobs.
  JobRequest keyed =
      make_job_request({{.depth = Depth(4), .mode = CountMode::kHashed, .divide = true}}).value();
  keyed.idempotency_key = "done hashed";
  auto again = manager_->submit(keyed);
  ASSERT_TRUE(std::holds_alternative<Submission>(again));
  EXPECT_EQ(std::get<Submission>(again).job.id, JobId{1});
  keyed = request_of(5);
  keyed.idempotency_key = "done hashed";
  again = manager_->submit(keyed);
  ASSERT_TRUE(std::holds_alternative<Refusal>(again));
  EXPECT_EQ(std::get<Refusal>(again).kind, Refusal::Kind::kConflict);
}

TEST_F(OlderState, WhatIsDoneReadsAsItDid) {
  start();
  std::string texts;
  for (std::int64_t id = 1; id <= 5; ++id) {
    const JobView view = job(id);
    const Question& asked = view.request;
    texts += "job " + std::to_string(id) + '\n';
    texts += written(asked.mode, Format::kText, view.document, {.divide = asked.divide}).value();
  }
  std::ifstream recorded(MANYPLY_SOURCE_DIR "/tests/data/state/results.txt");
  EXPECT_EQ(texts, std::string(std::istreambuf_iterator(recorded), {}));
}

TEST_F(OlderState, WhatRanAndWaitedGoesOn) {
  start();
  struct Ended {
    std::int64_t id;
    CountMode mode;
    std::uint64_t nodes;
  };
  for (const Ended& each :
       {Ended{7, CountMode::kUnhashed, 3'195'901'860},
        Ended{8, CountMode::kStatistics, 119'060'324}, Ended{9, CountMode::kHashed, 193'690'690},
        Ended{10, CountMode::kUnhashed, 326'672}, Ended{11, CountMode::kVerify, 197'281},
        Ended{12, CountMode::kStatistics, 4'085'603}}) {
    const JobView view = ended(each.id);
    ASSERT_EQ(view.state, JobState::kDone) << view.error->to_string();
    EXPECT_EQ(view.request.mode, each.mode);
    EXPECT_EQ(view.nodes, NodeCount(each.nodes)) << each.id;
    EXPECT_EQ(view.attempts, each.id <= 8 ? 2 : 1) << each.id;
    if (each.id > 8) continue;
    const auto report = nlohmann::json::parse(view.document);
    EXPECT_GT(report["resumed_units"], 0) << "its subtrees were of use";
  }
  // Samples and seed determine an estimate exactly.
  EXPECT_EQ(ended(13).estimate, 3197255168.8243976);
  EXPECT_EQ(manager_->stats().resumed, 7U);
}

constexpr std::uint64_t kBound = std::uint64_t{1} << 20;
constexpr int kJobs = 150;  // of 20 KB each, together three times the limit

/// Returns results of 20 KB that differ for different questions.
Result<Answer> large_result(const JobRequest& request, const Resources&) {
  Answer outcome;
  outcome.nodes = static_cast<std::uint64_t>(request.depth.plies());
  outcome.verdict = "unknown";
  outcome.document = std::string(20'000, 'x') + '\n';
  return outcome;
}

/// Returns a different question for each number.
JobRequest question(int number) {
  JobRequest request{{.depth = Depth(9), .mode = CountMode::kEstimate}};
  request.samples = 100;
  request.seed = static_cast<std::uint64_t>(number);
  return make_job_request(request).value();
}

class DatabaseBound : public testing::Test {
 protected:
  DatabaseBound() {
    options_.state_dir = dir_.path();
    options_.counting.threads = 1;
    options_.short_lane.limit = std::chrono::milliseconds(0);  // one runner
    world_.runner = [this](const JobRequest& request, const Resources& resources) {
      largest_ = std::max(largest_, file_bytes() + log_bytes());
      return large_result(request, resources);
    };
    options_.limits.max_queued = kJobs;
    options_.jobs_forgotten = [this](const Forgotten& forgotten) {
      const MutexLock lock(mutex_);
      forgotten_ += forgotten.jobs;
      newest_ = std::max(newest_, forgotten.newest);
    };
  }
  void start() {
    manager_.reset();
    auto manager = JobManager::start(options_, world_);
    ASSERT_TRUE(manager.ok()) << manager.error().to_string();
    manager_ = std::move(manager).value();
  }
  void count_all() {
    for (int i = 1; i <= kJobs; ++i)
      ASSERT_TRUE(std::holds_alternative<Submission>(manager_->submit(question(i))));
    ASSERT_TRUE(eventually([&] { return manager_->stats().done == kJobs; }));
  }
  std::uint64_t file_bytes() { return std::filesystem::file_size(dir_.database()); }
  std::uint64_t log_bytes() {
    return std::filesystem::file_size(dir_.database().string() + "-wal");
  }
  std::size_t kept() { return manager_->list(1000).value().jobs.size(); }

  Mutex mutex_;
  std::size_t forgotten_ MANYPLY_GUARDED_BY(mutex_) = 0;
  JobId newest_ MANYPLY_GUARDED_BY(mutex_);
  std::uint64_t largest_ = 0;  // of both files; read when the runner has ended
  StateDir dir_;
  JobManagerOptions options_;
  JobWorld world_;
  std::unique_ptr<JobManager> manager_;
};

TEST_F(DatabaseBound, TheOldestResultsMakeRoomAndItIsTold) {
  options_.max_state_bytes = kBound;
  start();
  count_all();
  manager_->shutdown();
  EXPECT_LE(largest_, kBound) << "at all times";
  EXPECT_LE(file_bytes() + log_bytes(), kBound);
  EXPECT_GT(file_bytes(), kBound / 2) << "most of the room is used";
  const auto jobs = manager_->list(1000).value().jobs;
  const MutexLock lock(mutex_);
  EXPECT_GT(forgotten_, 0U);
  EXPECT_EQ(forgotten_ + jobs.size(), std::size_t{kJobs}) << "nothing goes untold";
  EXPECT_EQ(jobs.front().id, JobId{kJobs}) << "the newest stay";
  EXPECT_EQ(jobs.back().id.value, newest_.value + 1) << "the oldest went";
  EXPECT_TRUE(manager_->get(jobs.back().id).value()->document.size() > 20'000);
}

TEST_F(DatabaseBound, ALowerOneHoldsFromTheNextStart) {
  start();
  count_all();
  EXPECT_EQ(kept(), std::size_t{kJobs});
  manager_->shutdown();
  EXPECT_GT(file_bytes(), 2 * kBound);
  options_.max_state_bytes = kBound;
  start();
  EXPECT_LE(file_bytes() + log_bytes(), kBound);
  EXPECT_LT(kept(), std::size_t{kJobs});
  EXPECT_GT(kept(), 10U);
  const MutexLock lock(mutex_);
  EXPECT_EQ(forgotten_ + kept(), std::size_t{kJobs});
}

TEST_F(DatabaseBound, WhatHasNotEndedStays) {
  const auto store = JobStore::open(dir_.path()).value();
  const WallTime now{std::chrono::hours(24)};
  for (int i = 1; i <= 3; ++i) {
    const JobRequest request = question(i);
    const JobId id = store->accept(request, request_digest(request), now).value();
    if (i == 1) continue;  // waits
    ASSERT_EQ(store->start_attempt(id, 1, now), std::nullopt);
    if (i == 2) continue;  // runs
    ASSERT_TRUE(store->finish(id, request, {JobState::kCancelled, now, {}, {}}).ok());
  }
  const Forgotten forgotten = store->shrink(1).value();
  EXPECT_EQ(forgotten.jobs, 1U);
  EXPECT_EQ(forgotten.newest, JobId{3});
  EXPECT_TRUE(forgotten.short_of_room);
  EXPECT_EQ(store->unfinished().value().size(), 2U);
}

// Runs job_host and talks to it through two pipes.
class ChildHost final : public JobHost {
 public:
  explicit ChildHost(const std::filesystem::path& state) {
    int in[2];
    int out[2];
    if (pipe(in) != 0 || pipe(out) != 0) throw std::runtime_error("pipe");
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
      execl(MANYPLY_JOB_HOST, MANYPLY_JOB_HOST, state.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~ChildHost() override {
    kill();
    close(in_);
    close(out_);
  }

  void kill() override {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    wait();
  }
  void finish() override {
    close(in_);
    in_ = -1;
    wait();
  }

  bool send(const std::string& line) override {
    const std::string text = line + '\n';
    return write(in_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  std::string line() override {
    for (;;) {
      if (const auto end = unread_.find('\n'); end != std::string::npos) {
        std::string line = unread_.substr(0, end);
        unread_.erase(0, end + 1);
        return line;
      }
      char buffer[4096];
      const ssize_t n = ::read(out_, buffer, sizeof buffer);
      if (n <= 0) return {};
      unread_.append(buffer, static_cast<std::size_t>(n));
    }
  }

 private:
  void wait() {
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string unread_;
};

const StartHost start = [](const std::filesystem::path& state) {
  return std::make_unique<ChildHost>(state);
};

TEST(KillLoop, EightKills) { KillLoop(start, 1, kQuickQuestions, milliseconds(300)).run(8); }

TEST(KillLoop, SlowHundredKills) {
  KillLoop loop(start, 2, std::size(kQuestions), milliseconds(1200));
  loop.run(100);
  EXPECT_GT(loop.resumed(), 0);
  EXPECT_GT(loop.cancelled(), 0);
}

}  // namespace
}  // namespace manyply

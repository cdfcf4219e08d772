// The database and its log must stay below their limit, for any jobs.
#include <gmock/gmock.h>

#include "tests/support/eventually.h"
#include "tests/tools/server/state_dir.h"
#include "tools/server/jobs/job_manager.h"
#include "tools/server/jobs/job_store.h"

namespace manyply {
namespace {

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

}  // namespace
}  // namespace manyply

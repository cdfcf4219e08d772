// Tests the quotas of named clients, which must survive a restart.
#include <gmock/gmock.h>

#include "tests/support/eventually.h"
#include "tests/tools/server/held_count.h"
#include "tests/tools/server/state_dir.h"
#include "tools/server/jobs/job_store.h"

namespace manyply {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

Client named(std::string name, Quota quota = {}, Role role = Role::kSubmit) {
  return {.name = std::move(name), .role = role, .quota = quota};
}

Quota may_queue(std::size_t jobs) { return {.queued = jobs}; }
Quota may_run(seconds time) { return {.running = time}; }
Quota may_store(std::uint64_t bytes) { return {.stored_bytes = bytes}; }

class QuotaTest : public testing::Test {
 protected:
  QuotaTest() {
    options_.state_dir = dir_.path();
    options_.counting.threads = 1;
    options_.short_lane.limit = milliseconds(0);  // no short lane, so that jobs wait
    options_.progress_interval = milliseconds(5);
    world_.now = [this] { return now_; };
  }

  void start() {
    manager_.reset();
    auto manager = JobManager::start(options_, world_);
    ASSERT_TRUE(manager.ok()) << manager.error().to_string();
    manager_ = std::move(manager).value();
  }
  /// Starts a manager whose jobs run until they are stopped.
  void start_stuck() {
    world_.runner = run_until_stopped;
    start();
  }

  /// Returns the field of the refusal; "" if the job is accepted.
  std::string refused(const Client& client, int depth) {
    const auto answer = manager_->submit(request_of(depth), client);
    const auto* refusal = std::get_if<Refusal>(&answer);
    if (refusal != nullptr) kind_ = refusal->kind;
    return refusal != nullptr ? refusal->error.field : "";
  }
  JobView submit(const Client& client, const JobRequest& request) {
    auto answer = manager_->submit(request, client);
    if (auto* submission = std::get_if<Submission>(&answer)) return submission->job;
    ADD_FAILURE() << std::get<Refusal>(answer).error.to_string();
    return {};
  }
  JobView get(JobId id) { return manager_->get(id).value().value(); }
  JobView finished(JobId id) {
    EXPECT_TRUE(eventually([&] { return is_final(get(id).state); }));
    return get(id);
  }

  StateDir dir_;
  JobManagerOptions options_;
  JobWorld world_;
  std::unique_ptr<JobManager> manager_;
  WallTime now_{hours(24 * 365 * 50)};
  Refusal::Kind kind_{};
};

TEST_F(QuotaTest, SoManyJobsMayWait) {
  start_stuck();
  const Client ci = named("ci", may_queue(1));
  const JobId running = submit(ci, request_of(2)).id;
  ASSERT_TRUE(eventually([&] { return get(running).state == JobState::kRunning; }));
  EXPECT_EQ(submit(ci, request_of(3)).client, "ci");
  EXPECT_EQ(refused(ci, 4), "queued");
  EXPECT_EQ(kind_, Refusal::Kind::kQueueFull);
  EXPECT_EQ(refused(named("other", may_queue(1)), 4), "");
  EXPECT_EQ(refused(Client::anybody(), 5), "");
  start_stuck();
  ASSERT_TRUE(eventually([&] { return get(running).state == JobState::kRunning; }));
  EXPECT_EQ(get(running).client, "ci");
  EXPECT_EQ(refused(ci, 4), "queued") << "after a restart";
  ASSERT_TRUE(manager_->cancel({2}).ok());
  EXPECT_EQ(refused(ci, 4), "");
}

TEST_F(QuotaTest, JobsOfADayRunSoLong) {
  {
    const auto store = JobStore::open(dir_.path()).value();
    const JobRequest request = request_of(3);
    const JobId id = store->accept(request, request_digest(request), now_, "ci").value();
    ASSERT_EQ(store->pause(id, seconds(1000)), std::nullopt);
    EXPECT_EQ(store->usage_of("ci", now_ - hours(24))->ran, seconds(1000));
    ASSERT_TRUE(
        store->finish(id, request, {JobState::kCancelled, now_, {}, {}, seconds(2600)}).ok());
    EXPECT_EQ(store->usage_of("ci", now_ - hours(24))->ran, seconds(3600));
    EXPECT_EQ(store->usage_of("ci", now_)->ran, seconds(0));
    EXPECT_EQ(store->usage_of("other", now_ - hours(24))->ran, seconds(0));
  }
  start();
  EXPECT_EQ(refused(named("ci", may_run(hours(1))), 2), "running");
  EXPECT_EQ(kind_, Refusal::Kind::kQueueFull);
  EXPECT_EQ(refused(named("ci", may_run(seconds(3601))), 2), "");
  EXPECT_EQ(refused(named("other", may_run(hours(1))), 2), "");
  manager_.reset();  // the manager's threads read the clock, so end them first
  now_ += hours(25);
  start();
  EXPECT_EQ(refused(named("ci", may_run(hours(1))), 4), "");
}

TEST_F(QuotaTest, ARunningJobEndsWithItsClientsTime) {
  options_.quota_of = [](const std::string& client) {
    return client == "ci" ? may_run(seconds(0)) : Quota{};
  };
  start_stuck();
  const JobView failed = finished(submit(named("ci"), request_of(3)).id);
  EXPECT_EQ(failed.state, JobState::kFailed);
  ASSERT_TRUE(failed.error);
  EXPECT_EQ(failed.error->field, "running");
  const JobId other = submit(named("other"), request_of(3)).id;
  EXPECT_TRUE(eventually([&] { return get(other).progress.seconds > 0.05; }));
  EXPECT_EQ(get(other).state, JobState::kRunning);
}

TEST_F(QuotaTest, WhatHasRunAndWhatRunsIsOneSum) {
  {
    const auto store = JobStore::open(dir_.path()).value();
    const JobRequest request = request_of(3);
    const JobId id = store->accept(request, request_digest(request), now_, "ci").value();
    ASSERT_TRUE(
        store
            ->finish(id, request, {JobState::kCancelled, now_, {}, {}, hours(1) - milliseconds(20)})
            .ok());
  }
  start_stuck();
  const JobId running = submit(named("ci", may_run(hours(1))), request_of(2)).id;
  ASSERT_TRUE(eventually([&] { return get(running).progress.seconds > 0.02; }));
  EXPECT_EQ(refused(named("ci", may_run(hours(1))), 4), "running") << "no time is left";
  EXPECT_EQ(get(running).state, JobState::kRunning) << "nobody has limited it";

  ASSERT_TRUE(manager_->cancel(running).ok());
  finished(running);
  options_.quota_of = [](const std::string&) { return may_run(hours(1) + seconds(1)); };
  start_stuck();
  const JobView failed = finished(submit(named("ci"), request_of(5)).id);
  ASSERT_TRUE(failed.error) << "it had a second at most";
  EXPECT_EQ(failed.error->field, "running");
}

TEST_F(QuotaTest, WhatRanBeforeARestartIsRemembered) {
  start_stuck();
  const JobId id = submit(named("ci"), request_of(3)).id;
  ASSERT_TRUE(eventually([&] { return get(id).progress.seconds > 0.01; }));
  manager_.reset();
  const auto store = JobStore::open(dir_.path()).value();
  EXPECT_GE(store->usage_of("ci", now_ - hours(24))->ran, milliseconds(10));
}

TEST_F(QuotaTest, JobsTakeSoManyBytes) {
  start();
  const JobView done = finished(submit(named("ci"), request_of(3)).id);
  EXPECT_EQ(refused(named("ci", may_store(done.document.size())), 2), "stored");
  EXPECT_EQ(kind_, Refusal::Kind::kNoRoom);
  EXPECT_EQ(refused(named("ci", may_store(done.document.size())), 3), "") << "is known";
  EXPECT_EQ(refused(named("ci", may_store(done.document.size() + 1000)), 2), "");
  EXPECT_EQ(refused(named("other", may_store(1)), 1), "");
}

TEST_F(QuotaTest, WhoIsNoAdministratorHasADeadline) {
  options_.limits.default_deadline = seconds(60);
  start_stuck();
  EXPECT_EQ(submit(Client::anybody(), request_of(2)).request.deadline, seconds(60));
  EXPECT_EQ(submit(named("ci"), request_of(2)).request.deadline, seconds(60));
  EXPECT_EQ(submit(named("ada", {}, Role::kAdmin), request_of(2)).request.deadline, std::nullopt);
  JobRequest patient = request_of(2);
  patient.deadline = seconds(90);
  EXPECT_EQ(submit(named("ci"), patient).request.deadline, seconds(90));
  options_.limits.max_deadline = seconds(30);
  start_stuck();
  EXPECT_EQ(submit(named("ci"), request_of(2)).request.deadline, seconds(30));
  EXPECT_EQ(submit(named("ada", {}, Role::kAdmin), request_of(2)).request.deadline, seconds(30));
}

TEST_F(QuotaTest, KeysAreEachClientsOwn) {
  start_stuck();
  JobRequest request = request_of(2);
  request.idempotency_key = "once";
  JobRequest other = request_of(3);
  other.idempotency_key = "once";
  const JobId of_ann = submit(named("ann"), request).id;
  EXPECT_EQ(submit(named("bob"), other).client, "bob");
  EXPECT_EQ(submit(Client::anybody(), other).client, "");
  EXPECT_EQ(submit(named("ann"), request).id, of_ann);
  EXPECT_EQ(std::get<Refusal>(manager_->submit(other, named("ann"))).kind,
            Refusal::Kind::kConflict);
}

}  // namespace
}  // namespace manyply

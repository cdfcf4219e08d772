// Continues with a state directory of an earlier version that was stopped during its work. It has
// jobs of every mode that are done, running (with stored subtrees) or waiting.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/eventually.h"
#include "tests/tools/server/state_dir.h"
#include "tools/server/job_json.h"
#include "tools/server/jobs/job_manager.h"

namespace manyply {
namespace {

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

}  // namespace
}  // namespace manyply

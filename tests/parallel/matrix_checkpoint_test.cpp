// Stops counts in parts and continues them: their totals must be the same.

#include <gmock/gmock.h>

#include <filesystem>

#include "parallel/matrix/count_in_parts.h"
#include "parallel/units/checkpoint_file.h"
#include "tests/parallel/matrix_jobs.h"
#include "tests/support/kernels_here.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

/// A count of the start position with a store.
struct StoredCount {
  UnitStore* store;
  int depth = 5;
  std::size_t parts = 7;
  std::string_view fen = "startpos";
  const Kernel* kernel = &best_kernel();
  int threads = 1;
  std::uint64_t most_bytes = std::uint64_t{1} << 30;
  std::optional<int> cone_plies = {};
  std::stop_token stop = {};
  Progress* progress = nullptr;
};

Result<std::optional<MatrixCount>> result_of(const StoredCount& count) {
  const auto root = parse_position(count.fen).value();
  return count_by_configurations(
      {.root = root.position,
       .depth = count.depth,
       .most_bytes = count.most_bytes,
       .last_plies = MatrixSpec::LastPlies::kByKernel,
       .parts = count.parts,
       .cone_plies = count.cone_plies,
       .store = count.store,
       .name = "perft(" + std::to_string(count.depth) + ") of " + std::string(count.fen)},
      Workforce(Workers(count.threads), count.kernel, count.stop, count.progress));
}

MatrixCount count_of(const StoredCount& count) {
  const auto result = result_of(count);
  EXPECT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_TRUE(result.ok() && result.value());
  return result.ok() && result.value() ? *result.value() : MatrixCount{};
}

/// Returns the message of the error that ended the count.
std::string refusal_of(const StoredCount& count) {
  const auto result = result_of(count);
  return result.ok() ? "counted" : result.error().message;
}

constexpr std::uint64_t kStartOfDepth5 = 4'865'609;
constexpr std::uint64_t kStartOfDepth6 = 119'060'324;

/// Words of a unit's payload: nodes (2), rows, pairs of the kernel, pairs in lanes.
constexpr std::size_t kRowsWord = 2;

TEST(MatrixCheckpoint, GoesOnAfterEachPart) {
  for (const std::string_view fen : {std::string_view("startpos"), kRulesOfBothSides[5]}) {
    const MatrixCount whole = count_of({.store = nullptr, .parts = 0, .fen = fen});
    MemoryStore store;
    StoredCount count{.store = &store, .fen = fen};
    const std::size_t parts = 7;
    for (store.most = 0; store.most < parts; ++store.most) {
      EXPECT_EQ(refusal_of(count), "full");
      EXPECT_EQ(store.units.size(), store.most);
    }
    for (const std::size_t resumed : {parts - 1, parts}) {
      const MatrixCount counted = count_of(count);
      EXPECT_EQ(counted.nodes, whole.nodes) << fen;
      EXPECT_EQ(counted.report.rows, whole.report.rows);
      EXPECT_EQ(counted.report.kernel_pairs, whole.report.kernel_pairs);
      EXPECT_EQ(counted.report.parts, parts);
      EXPECT_EQ(counted.report.stored_parts, parts);
      EXPECT_EQ(counted.report.resumed_parts, resumed);
    }
    EXPECT_EQ(store.what, "perft(5) of " + std::string(fen) + " by configurations");
  }
}

/// A stored part must not be counted again.
TEST(MatrixCheckpoint, CountsNoPartTwice) {
  MemoryStore store;
  const StoredCount count{.store = &store};
  EXPECT_EQ(count_of(count).nodes, kStartOfDepth5);
  store.units.at(2)[0] += 1'000'000;
  store.units.at(2)[kRowsWord] += 5;
  const MatrixCount counted = count_of(count);
  EXPECT_EQ(counted.nodes, kStartOfDepth5 + 1'000'000);
  EXPECT_EQ(counted.report.resumed_leaves, static_cast<double>(kStartOfDepth5 + 1'000'000));
  store.units.erase(2);
  EXPECT_EQ(count_of(count).nodes, kStartOfDepth5);
  const StoppingKernel stopping(0);  // stops at its first call
  EXPECT_EQ(
      count_of({.store = &store, .kernel = &stopping.kernel(), .stop = stopping.token()}).nodes,
      kStartOfDepth5);
}

/// The sum of a part must not depend on kernels, threads, cones, memory, or the number of parts
/// that the counting process would choose by itself.
TEST(MatrixCheckpoint, GoesOnElsewhere) {
  MemoryStore first;
  EXPECT_EQ(count_of({.store = &first, .depth = 6, .parts = 9}).nodes, kStartOfDepth6);
  MemoryStore store;
  std::vector<StoredCount> places;
  for (const Kernel* kernel : kernels_here()) places.push_back({.store = &store, .kernel = kernel});
  for (const int threads : kWorkerCounts) places.push_back({.store = &store, .threads = threads});
  for (const int plies : {0, 1, 2}) places.push_back({.store = &store, .cone_plies = plies});
  places.push_back({.store = &store, .parts = 1});
  places.push_back({.store = &store, .parts = 0});
  places.push_back({.store = &store, .parts = 0, .most_bytes = std::uint64_t{6} << 20});
  store.plan = first.plan;
  std::size_t place = 0;
  for (store.most = 1; store.most <= 9; ++store.most, ++place) {
    StoredCount count = places[place % places.size()];
    count.depth = 6;
    const std::string refusal = refusal_of(count);
    EXPECT_EQ(refusal, store.most == 9 ? "counted" : "full") << place;
  }
  EXPECT_EQ(store.units, first.units);
  for (StoredCount count : places) {
    store.units.erase(store.units.begin());
    count.depth = 6;
    store.most = 9;
    EXPECT_EQ(count_of(count).nodes, kStartOfDepth6);
    EXPECT_EQ(store.units, first.units);
  }
}

/// If memory cannot hold a part of the plan, the part is split, but its sum is the same.
TEST(MatrixCheckpoint, PartsThatDoNotFitAreSplit) {
  MemoryStore roomy;
  const MatrixCount whole = count_of({.store = &roomy, .depth = 7, .parts = 2});
  EXPECT_EQ(whole.report.parts, 2U);
  MemoryStore store;
  store.plan = roomy.plan;
  const MatrixCount split =
      count_of({.store = &store, .depth = 7, .most_bytes = whole.report.bytes * 3 / 4});
  EXPECT_GT(split.report.parts, 2U);
  EXPECT_EQ(split.report.stored_parts, 2U);
  EXPECT_EQ(split.nodes, NodeCount(3'195'901'860));
  EXPECT_EQ(store.units, roomy.units);
}

/// A store is useful only if there are several parts.
TEST(MatrixCheckpoint, HasSeveralPartsInAnyMemory) {
  MemoryStore store;
  const MatrixCount counted = count_of({.store = &store, .depth = 6, .parts = 0});
  EXPECT_EQ(counted.nodes, kStartOfDepth6);
  EXPECT_GT(counted.report.stored_parts, 3U);
}

TEST(MatrixCheckpoint, GoesOnAfterAStopAtAnyMoment) {
  MemoryStore store;
  int stops = 0;
  for (std::uint64_t calls = 1;; calls = calls % 97 * 2 + 1, ++stops) {
    const std::size_t known = store.units.size();
    const StoppingKernel stopping(calls);
    const auto result = result_of(
        {.store = &store, .kernel = &stopping.kernel(), .threads = 2, .stop = stopping.token()});
    if (result.ok()) {
      EXPECT_EQ(result.value()->nodes, kStartOfDepth5);
      break;
    }
    EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
    EXPECT_GE(store.units.size(), known);
    ASSERT_LT(stops, 500);
  }
  EXPECT_GT(stops, 2);
  MemoryStore empty;
  EXPECT_FALSE(result_of({.store = &empty, .stop = stopped_before()}).ok());
  EXPECT_TRUE(empty.units.empty());
}

TEST(MatrixCheckpoint, ProgressBeginsWithTheShareThatIsDone) {
  MemoryStore store;
  store.most = 3;
  EXPECT_EQ(refusal_of({.store = &store}), "full");
  for (const std::size_t most : {5U, 7U, 7U}) {
    Progress progress;
    store.most = most;
    const std::size_t known = store.units.size();
    const auto result = result_of({.store = &store, .progress = &progress});
    const ProgressSnapshot shown = progress.snapshot();
    EXPECT_EQ(result.ok(), most == 7);
    EXPECT_GT(shown.share_resumed(), 0);
    EXPECT_EQ(shown.share_resumed() < 1, known < 7);
    EXPECT_EQ(shown.units_done == shown.units_total, most == 7);
    EXPECT_GE(shown.units_done, shown.units_resumed);
  }
}

/// Stops and continues counts that are jobs with a checkpoint file.
class MatrixCheckpointFile : public testing::Test {
 protected:
  MatrixCheckpointFile()
      : path_(std::filesystem::temp_directory_path() /
              ("manyply-parts-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove(path_);
  }
  ~MatrixCheckpointFile() override { std::filesystem::remove(path_); }

  Result<Report> count(int depth, std::string_view fen = "startpos",
                       Method method = Method::kConfigurations) {
    CheckpointFile file(path_.string());
    JobSpec spec = by_configurations(fen, depth);
    spec.method = method;
    spec.divide = false;
    spec.parts = 7;
    spec.store = &file;
    return run_job(spec, {});
  }
  std::string refusal(int depth, std::string_view fen = "startpos",
                      Method method = Method::kConfigurations) {
    const auto report = count(depth, fen, method);
    return report.ok() ? "counted" : report.error().message;
  }
  [[nodiscard]] std::uintmax_t size() const { return std::filesystem::file_size(path_); }

  static constexpr std::uintmax_t kRecordBytes = (5 + 2) * 8;
  const std::filesystem::path path_;
};

TEST_F(MatrixCheckpointFile, KeepsEveryPart) {
  Report report = count(5).value();
  EXPECT_EQ(report.nodes, kStartOfDepth5);
  EXPECT_EQ(report.units, 7U);
  EXPECT_EQ(report.resumed_units, 0U);
  for (const std::uint64_t resumed : {7U, 6U, 3U, 0U}) {
    std::filesystem::resize_file(path_, size() - (7 - resumed) * kRecordBytes);
    report = count(5).value();
    EXPECT_EQ(report.nodes, kStartOfDepth5);
    EXPECT_EQ(report.known, KnownVerdict::kMatch);
    EXPECT_EQ(report.resumed_units, resumed);
    EXPECT_EQ(report.resumed_leaves > 0, resumed > 0);
  }
}

TEST_F(MatrixCheckpointFile, RecordsCutAnywhereAreCountedAgain) {
  ASSERT_TRUE(count(4).ok());
  const std::uintmax_t whole = size();
  for (std::uintmax_t lost = 1; lost <= kRecordBytes + 1; lost += 5) {
    std::filesystem::resize_file(path_, whole - lost);
    const Report report = count(4).value();
    EXPECT_EQ(report.nodes, 197'281U);
    EXPECT_EQ(report.resumed_units, report.units - (lost > kRecordBytes ? 2 : 1));
    EXPECT_EQ(size(), whole);
  }
}

TEST_F(MatrixCheckpointFile, RefusesWhatIsNotItsOwn) {
  ASSERT_TRUE(count(5).ok());
  const std::uintmax_t whole = size();
  const std::string held =
      ": holds another count: perft(5) of " + std::string(kStartFen) + " by configurations";
  EXPECT_THAT(refusal(6), EndsWith(held));
  EXPECT_THAT(refusal(5, "kiwipete"), EndsWith(held));
  EXPECT_THAT(refusal(5, "startpos", Method::kHashed), EndsWith(held));
  EXPECT_EQ(size(), whole);
  std::filesystem::remove(path_);
  ASSERT_TRUE(count(5, "startpos", Method::kHashed).ok());
  EXPECT_THAT(refusal(5), EndsWith("counted by another method"));
  EXPECT_THAT(refusal(6), HasSubstr("holds another count: perft(5) of "));
}

/// The store has the right identity, but a plan of another position.
TEST(MatrixCheckpoint, RefusesAnotherPlan) {
  MemoryStore store;
  EXPECT_EQ(count_of({.store = &store, .depth = 4}).nodes, 197'281U);
  const std::string plan = *store.plan;
  store.plan->pop_back();
  EXPECT_THAT(refusal_of({.store = &store, .depth = 4}), HasSubstr("parts of another count"));
  store.plan = plan;
  store.plan->at(10) = store.plan->at(11) = '\xFF';
  EXPECT_THAT(refusal_of({.store = &store, .depth = 4}), HasSubstr("parts of another count"));
  store.plan = plan;
  EXPECT_EQ(refusal_of({.store = &store, .depth = 4}), "counted");
}

/// Divides are not counted in parts. Stores that do not keep plans cannot be used.
TEST(MatrixCheckpoint, StoresTotalsOnly) {
  MemoryStore store;
  JobSpec spec = by_configurations("startpos", 5);
  spec.store = &store;
  EXPECT_EQ(run(spec).divide.size(), 20U);
  EXPECT_TRUE(store.units.empty());
  spec.divide = false;
  EXPECT_EQ(run(spec).nodes, kStartOfDepth5);
  EXPECT_FALSE(store.units.empty());
  class WithoutPlans : public MemoryStore {
    Result<std::optional<std::string>> plan_of(const StoredJob& job) override {
      return UnitStore::plan_of(job);
    }
  } without_plans;
  spec.store = &without_plans;
  EXPECT_EQ(run_job(spec, {}).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace manyply

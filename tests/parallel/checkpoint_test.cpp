#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "parallel/jobs/job.h"
#include "parallel/jobs/statistics_job.h"
#include "parallel/units/checkpoint_file.h"
#include "tests/parallel/jobs.h"

namespace manyply {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr std::string_view kWhat = "perft(9) of a position";
constexpr std::uintmax_t kHeaderBytes = 48 + kWhat.size();
constexpr std::uintmax_t kRecordBytes = 32;
constexpr std::size_t kStoredUnits = 100;
const StoredJob kJob{.identity = {1, 2}, .units = kStoredUnits, .what = std::string(kWhat)};

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest()
      : path_(std::filesystem::temp_directory_path() /
              ("manyply-checkpoint-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove(path_);
  }
  ~CheckpointTest() override { std::filesystem::remove(path_); }

  void write_units(std::size_t first, std::size_t last) {
    CheckpointFile file(path_.string());
    ASSERT_TRUE(file.open(kJob).ok());
    for (std::size_t unit = first; unit < last; ++unit) {
      EXPECT_EQ(file.record(unit, to_words(count_of(unit))), std::nullopt);
    }
    EXPECT_EQ(file.flush(), std::nullopt);
  }

  static NodeCount count_of(std::size_t unit) { return NodeCount::from_words(unit, ~unit); }

  /// Returns the number of units with a right count. The test fails if a count is wrong.
  std::size_t right_units(CheckpointFile& file) {
    const auto known = file.open(kJob);
    if (!known) {
      ADD_FAILURE() << known.error().to_string();
      return 0;
    }
    std::size_t right = 0;
    for (std::size_t unit = 0; unit < kStoredUnits; ++unit) {
      if (!known->knows(unit)) continue;
      EXPECT_EQ(to_count(known->of(unit)), count_of(unit));
      ++right;
    }
    return right;
  }

  void flip_byte(std::uintmax_t at) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const auto byte = static_cast<char>(file.get() ^ 0x10);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  }

  const std::filesystem::path path_;
};

TEST_F(CheckpointTest, KeepsCountsOf128Bits) {
  write_units(0, 60);
  CheckpointFile file(path_.string());
  EXPECT_EQ(right_units(file), 60U);
  EXPECT_EQ(file.resumed_units(), 60U);
  EXPECT_EQ(file.dropped_bytes(), 0U);
}

TEST_F(CheckpointTest, GrowsOverSeveralRuns) {
  write_units(0, 10);
  write_units(5, 20);
  CheckpointFile file(path_.string());
  EXPECT_EQ(right_units(file), 20U);
}

TEST_F(CheckpointTest, DropsATailCutAnywhere) {
  write_units(0, 10);
  const std::uintmax_t whole = kHeaderBytes + 10 * kRecordBytes;
  ASSERT_EQ(std::filesystem::file_size(path_), whole);
  for (std::uintmax_t size = whole - 1; size > whole - 2 * kRecordBytes; --size) {
    std::filesystem::resize_file(path_, size);
    CheckpointFile file(path_.string());
    const std::size_t units = (size - kHeaderBytes) / kRecordBytes;
    EXPECT_EQ(right_units(file), units);
    EXPECT_EQ(file.dropped_bytes(), (size - kHeaderBytes) % kRecordBytes);
    EXPECT_EQ(std::filesystem::file_size(path_), kHeaderBytes + units * kRecordBytes);
    size = std::filesystem::file_size(path_) + size % kRecordBytes;
    if (units < 9) break;
  }
}

TEST_F(CheckpointTest, DropsWhatFollowsADamagedRecord) {
  for (std::uintmax_t byte = 0; byte < kRecordBytes; ++byte) {
    std::filesystem::remove(path_);
    write_units(0, 10);
    flip_byte(kHeaderBytes + 4 * kRecordBytes + byte);
    CheckpointFile file(path_.string());
    EXPECT_EQ(right_units(file), 4U) << "byte " << byte;
    EXPECT_EQ(file.dropped_bytes(), 6 * kRecordBytes);
  }
}

TEST_F(CheckpointTest, GoesOnAfterAHeaderCutShort) {
  for (std::uintmax_t size = 0; size < kHeaderBytes; ++size) {
    std::filesystem::remove(path_);
    write_units(0, 0);
    std::filesystem::resize_file(path_, size);
    write_units(0, 3);
    CheckpointFile file(path_.string());
    EXPECT_EQ(right_units(file), 3U) << "size " << size;
  }
}

TEST_F(CheckpointTest, RefusesWhatIsNotItsOwn) {
  const auto refusal = [](const std::string& path, const StoredJob& job) {
    CheckpointFile file(path);
    const auto known = file.open(job);
    return known.ok() ? "" : known.error().message;
  };
  write_units(0, 3);
  EXPECT_THAT(refusal(path_.string(), {.identity = {3, 4}, .units = kStoredUnits}),
              EndsWith(": holds another count: perft(9) of a position"));
  EXPECT_THAT(refusal(path_.string(),
                      {.identity = {3, 4}, .units = kStoredUnits, .what = std::string(kWhat)}),
              EndsWith(": holds perft(9) of a position, but another version of the program has "
                       "split it into other units"));
  std::ofstream(path_) << "a diary, by no means a checkpoint; it must not be overwritten";
  EXPECT_THAT(refusal(path_.string(), kJob), HasSubstr("is not a checkpoint"));
  std::ofstream(path_) << "short";
  EXPECT_THAT(refusal(path_.string(), kJob), HasSubstr("is not a checkpoint"));
  EXPECT_EQ(std::filesystem::file_size(path_), 5U);
  EXPECT_NE(refusal((path_ / "missing" / "file").string(), kJob), "");
  EXPECT_NE(refusal(std::filesystem::temp_directory_path().string(), kJob), "");
}

TEST_F(CheckpointTest, RefusesADamagedHeader) {
  for (const std::uintmax_t byte :
       std::vector<std::uintmax_t>{8, 20, 30, 32, 39, 45, kHeaderBytes - 1}) {
    std::filesystem::remove(path_);
    write_units(0, 3);
    flip_byte(byte);
    CheckpointFile file(path_.string());
    EXPECT_THAT(file.open(kJob).error().message, HasSubstr("damaged header"));
  }
}

TEST_F(CheckpointTest, KeepsNoMoreTextThanItReads) {
  const StoredJob wordy{.identity = {1, 2}, .units = 3, .what = std::string(5'000, 'x')};
  for (const std::size_t known : {0U, 1U}) {
    CheckpointFile file(path_.string());
    const auto units = file.open(wordy);
    ASSERT_TRUE(units.ok()) << units.error().to_string();
    EXPECT_EQ(units->known(), known);
    EXPECT_EQ(file.record(1, to_words(count_of(1))), std::nullopt);
  }
}

TEST_F(CheckpointTest, IsForOneJobAtATime) {
  CheckpointFile first(path_.string());
  ASSERT_TRUE(first.open(kJob).ok());
  CheckpointFile second(path_.string());
  EXPECT_THAT(second.open(kJob).error().message,
              EndsWith(": is in use by another process, for perft(9) of a position"));
}

TEST_F(CheckpointTest, TakesRecordsFromManyThreads) {
  CheckpointFile file(path_.string());
  ASSERT_TRUE(file.open(kJob).ok());
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t unit = t; unit < kStoredUnits; unit += 8) {
          EXPECT_EQ(file.record(unit, to_words(count_of(unit))), std::nullopt);
        }
      });
    }
  }
  EXPECT_EQ(std::filesystem::file_size(path_), kHeaderBytes + kStoredUnits * kRecordBytes);
  EXPECT_EQ(file.flush(), std::nullopt);
}

constexpr std::size_t kWords = 13;
const StoredJob kStatisticsJob{
    .identity = {1, 2}, .units = kStoredUnits, .words = kWords, .what = std::string(kWhat)};
constexpr std::uintmax_t kStatisticsBytes = (kWords + 2) * 8;

std::vector<std::uint64_t> statistics_of(std::size_t unit) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < kWords; ++i) words.push_back(unit << 32 | i);
  return words;
}

std::vector<std::size_t> known_units(const UnitPayloads& known) {
  std::vector<std::size_t> units;
  for (std::size_t unit = 0; unit < kStoredUnits; ++unit) {
    if (!known.knows(unit)) continue;
    units.push_back(unit);
    EXPECT_THAT(known.of(unit), testing::ElementsAreArray(statistics_of(unit)));
  }
  EXPECT_EQ(known.known(), units.size());
  return units;
}

TEST_F(CheckpointTest, APayloadIsThereWholeOrNotAtAll) {
  const std::uintmax_t whole = kHeaderBytes + 3 * kStatisticsBytes;
  for (std::uintmax_t size = whole - kStatisticsBytes; size <= whole; ++size) {
    std::filesystem::remove(path_);
    {
      CheckpointFile file(path_.string());
      ASSERT_TRUE(file.open(kStatisticsJob).ok());
      for (const std::size_t unit : {99U, 0U, 7U})
        EXPECT_EQ(file.record(unit, statistics_of(unit)), std::nullopt);
    }
    ASSERT_EQ(std::filesystem::file_size(path_), whole);
    std::filesystem::resize_file(path_, size);
    CheckpointFile file(path_.string());
    const auto known = file.open(kStatisticsJob);
    ASSERT_TRUE(known.ok());
    EXPECT_EQ(file.dropped_bytes(), (size - kHeaderBytes) % kStatisticsBytes);
    EXPECT_EQ(known_units(*known), size == whole ? std::vector<std::size_t>({0, 7, 99})
                                                 : std::vector<std::size_t>({0, 99}));
  }
}

// In the first format, each of the thirteen counts of a unit had its own record and number. A kill
// left a part of a unit in the file.
TEST_F(CheckpointTest, GoesOnInPiecesWhereItWasBegunSo) {
  const StoredJob kPieces{
      .identity = {1, 2}, .units = kStoredUnits * kWords, .words = 2, .what = std::string(kWhat)};
  {
    CheckpointFile file(path_.string());
    ASSERT_TRUE(file.open(kPieces).ok());
    for (const std::size_t unit : {5U, 6U, 7U}) {
      for (std::size_t i = 0; i < (unit == 6 ? 4 : kWords); ++i)
        EXPECT_EQ(file.record(unit * kWords + i, to_words(statistics_of(unit)[i])), std::nullopt);
    }
  }
  for (const std::vector<std::size_t>& expected :
       {std::vector<std::size_t>{5, 7}, {5, 6, 7}, {5, 6, 7}}) {
    CheckpointFile file(path_.string());
    const auto known = file.open(kStatisticsJob);
    ASSERT_TRUE(known.ok()) << known.error().to_string();
    EXPECT_EQ(known_units(*known), expected);
    EXPECT_EQ(file.dropped_bytes(), 0U);
    EXPECT_EQ(file.record(6, statistics_of(6)), std::nullopt);
  }
  EXPECT_EQ((std::filesystem::file_size(path_) - kHeaderBytes) % (kWords * kRecordBytes),
            4 * kRecordBytes);
  CheckpointFile counts(path_.string());
  EXPECT_THAT(counts.open(kJob).error().message, HasSubstr(": holds perft(9) of a position, but "));
}

/// Returns a job whose units depend on a plan of realistic size.
StoredJob planned_job(std::string plan = std::string(8'192, 'p')) {
  StoredJob job = kJob;
  job.plan = std::move(plan);
  return job;
}

/// Writes a file with a plan and one unit. Returns the size of the data before the unit.
std::uintmax_t write_planned(const std::filesystem::path& path, const StoredJob& job) {
  std::filesystem::remove(path);
  CheckpointFile file(path.string());
  EXPECT_EQ(file.plan_of(job).value(), std::nullopt);
  EXPECT_TRUE(file.open(job).ok());
  EXPECT_EQ(file.record(3, to_words(7)), std::nullopt);
  return std::filesystem::file_size(path) - kRecordBytes;
}

TEST_F(CheckpointTest, KeepsAPlan) {
  write_planned(path_, planned_job());
  CheckpointFile file(path_.string());
  EXPECT_EQ(file.plan_of(kJob).value(), planned_job().plan);
  const auto known = file.open(planned_job());
  EXPECT_TRUE(known->knows(3));
  EXPECT_EQ(known->known(), 1U);
  CheckpointFile second(path_.string());
  EXPECT_THAT(second.plan_of(kJob).error().message,
              EndsWith(": is in use by another process, for perft(9) of a position"));
}

TEST_F(CheckpointTest, GoesOnAfterAPlanCutShort) {
  const std::uintmax_t whole = write_planned(path_, planned_job());
  for (std::uintmax_t size = 0; size < whole; size += size < 200 ? 1 : 101) {
    write_planned(path_, planned_job());
    std::filesystem::resize_file(path_, size);
    CheckpointFile file(path_.string());
    const auto plan = file.plan_of(kJob);
    ASSERT_TRUE(plan.ok()) << size << ": " << plan.error().to_string();
    EXPECT_EQ(*plan, std::nullopt);
    const StoredJob other = planned_job(std::string(9'000, 'q'));
    const auto known = file.open(other);
    ASSERT_TRUE(known.ok()) << size << ": " << known.error().to_string();
    EXPECT_EQ(known->known(), 0U);
    EXPECT_EQ(std::filesystem::file_size(path_), whole + 9'000 - 8'192);
  }
}

TEST_F(CheckpointTest, RefusesADamagedPlan) {
  const std::uintmax_t whole = write_planned(path_, planned_job());
  for (const std::uintmax_t byte : std::vector<std::uintmax_t>{9, 30, 33, 41, 64, 72, 79, 80, 500,
                                                               whole - 9, whole - 8, whole - 1}) {
    write_planned(path_, planned_job());
    flip_byte(byte);
    CheckpointFile file(path_.string());
    EXPECT_THAT(file.plan_of(kJob).error().message, HasSubstr("damaged header")) << byte;
    EXPECT_THAT(file.open(planned_job()).error().message, HasSubstr("damaged header")) << byte;
    EXPECT_EQ(std::filesystem::file_size(path_), whole + kRecordBytes);
  }
}

TEST_F(CheckpointTest, RefusesPlansOfOtherJobs) {
  const std::uintmax_t whole = write_planned(path_, planned_job());
  const auto refusal = [this](StoredJob job, bool has_plan) {
    CheckpointFile file(path_.string());
    if (has_plan) return file.plan_of(job).error().message;
    return file.open(job).error().message;
  };
  StoredJob other = planned_job();
  other.what = "perft(8) of another";
  other.identity = {7, 8};
  EXPECT_THAT(refusal(other, true), EndsWith(": holds another count: perft(9) of a position"));
  EXPECT_THAT(refusal(other, false), EndsWith(": holds another count: perft(9) of a position"));
  other.what = std::string(kWhat) + " by configurations";
  EXPECT_THAT(refusal(other, true),
              EndsWith(": holds perft(9) of a position, counted by another method"));
  EXPECT_NE(refusal(planned_job("another plan"), false), "");
  EXPECT_NE(refusal(kJob, false), "");
  EXPECT_EQ(std::filesystem::file_size(path_), whole + kRecordBytes);
  std::filesystem::remove(path_);
  write_units(0, 3);  // without a plan
  EXPECT_NE(refusal(planned_job(), true), "");
  std::ofstream(path_) << "a diary";
  EXPECT_THAT(refusal(planned_job(), true), HasSubstr("is not a checkpoint"));
}

JobSpec job(int depth, UnitStore* store) {
  JobSpec spec;
  spec.depth = Depth(depth);
  spec.threads = 2;
  spec.hash = HashSpec{.bytes = std::uint64_t{4} << 20};
  spec.store = store;
  return spec;
}

// Files of version 0.1.0 from killed counts; data/checkpoints/README.md explains them.
class KilledVersion010 : public CheckpointTest {
 protected:
  static constexpr const char* kEndgame = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";

  void take(const char* name) {
    std::filesystem::copy_file(
        std::filesystem::path(MANYPLY_SOURCE_DIR) / "tests/data/checkpoints" / name, path_);
  }
  Report count(const char* fen, bool hashed) {
    CheckpointFile file(path_.string());
    JobSpec spec = job(5, &file);
    spec.root = parse_position(fen).value();
    if (!hashed) spec.hash.reset();
    return run_job(spec, {}).value();
  }
};

TEST_F(KilledVersion010, CountsGoOn) {
  take("count.ckpt");
  const Report report = count("startpos", true);
  EXPECT_EQ(report.nodes, 4865609U);
  EXPECT_EQ(report.resumed_units, 128U);
  EXPECT_EQ(report.units, 400U);
  EXPECT_EQ(count("startpos", false).resumed_units, 400U);
  // The error cannot say which other count the file belongs to.
  CheckpointFile file(path_.string());
  EXPECT_THAT(run_job(job(6, &file), {}).error().message,
              EndsWith("the position, depth, key bits or kind is different"));
}

TEST_F(KilledVersion010, DividesGoOn) {
  take("divide.ckpt");
  const Report report = count(kEndgame, false);
  EXPECT_EQ(report.nodes, 674624U);
  EXPECT_EQ(report.resumed_units, 71U);
  std::filesystem::remove(path_);
  EXPECT_EQ(report.divide, count(kEndgame, true).divide);
}

TEST_F(KilledVersion010, StatisticsGoOn) {
  take("stats.ckpt");
  StatisticsSpec spec{{.root = parse_position(kEndgame).value(), .depth = Depth(5), .threads = 2}};
  const StatisticsReport whole = run_statistics(spec, {}).value();
  // 24 whole subtrees, and one of the thirteen counts of another subtree.
  for (const std::uint64_t resumed : {24U, 191U}) {
    CheckpointFile file(path_.string());
    spec.store = &file;
    const StatisticsReport report = run_statistics(spec, {}).value();
    EXPECT_EQ(report.totals, whole.totals);
    EXPECT_EQ(report.resumed_units, resumed);
    EXPECT_EQ(report.units, 191U);
  }
}

TEST_F(CheckpointTest, ACancelledJobResumesToTheSameTotal) {
  std::stop_source stop;
  Progress progress;
  std::uint64_t stopped_with = 0;
  {
    CheckpointFile file(path_.string());
    std::jthread canceller([&] {
      while (progress.snapshot().units_done < 500) std::this_thread::yield();
      stop.request_stop();
    });
    EXPECT_EQ(run_job(job(7, &file), stop.get_token(), &progress).error().code,
              ErrorCode::kCancelled);
    constexpr std::uintmax_t kHeader =
        48 + std::string_view("perft(7) of ").size() + kStartFen.size();
    stopped_with = (std::filesystem::file_size(path_) - kHeader) / kRecordBytes;
    EXPECT_GE(stopped_with, 500U);
  }
  CheckpointFile file(path_.string());
  Progress second;
  const auto report = run_job(job(7, &file), {}, &second);
  EXPECT_EQ(report->nodes, 3195901860U);
  EXPECT_EQ(report->resumed_units, stopped_with);
  EXPECT_EQ(second.snapshot().units_resumed, stopped_with);
  EXPECT_EQ(second.snapshot().units_done, report->units);
  EXPECT_LT(stopped_with, report->units);
}

TEST_F(CheckpointTest, AnotherDepthIsAnotherJob) {
  {
    CheckpointFile file(path_.string());
    ASSERT_TRUE(run_job(job(5, &file), {}).ok());
  }
  CheckpointFile file(path_.string());
  EXPECT_THAT(run_job(job(6, &file), {}).error().message,
              EndsWith(": holds another count: perft(5) of " + std::string(kStartFen)));
}

TEST_F(CheckpointTest, AFullDiskEndsTheJob) {
  MemoryStore store;
  store.most = 0;
  EXPECT_EQ(run_job(job(6, &store), {}).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace manyply

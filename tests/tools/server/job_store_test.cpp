#include "tools/server/jobs/job_store.h"

#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "tests/tools/server/faulty_disk.h"
#include "tests/tools/server/state_dir.h"

namespace manyply {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr WallTime kNow{std::chrono::milliseconds(1'700'000'000'123)};

class JobStoreTest : public testing::Test {
 protected:
  std::unique_ptr<JobStore> open() {
    auto store = JobStore::open(dir_.path());
    if (!store) {
      ADD_FAILURE() << store.error().to_string();
      return nullptr;
    }
    return std::move(store).value();
  }

  std::string open_problem() {
    const auto store = JobStore::open(dir_.path());
    return store.ok() ? "no problem" : store.error().to_string();
  }

  static JobId accept(JobStore& store, const JobRequest& request) {
    return store.accept(request, request_digest(request), kNow).value();
  }

  static JobEnd done(std::uint64_t nodes, const std::string& report = "{}\n") {
    JobEnd end{JobState::kDone, kNow, std::nullopt, Answer{}};
    end.outcome->nodes = nodes;
    end.outcome->verdict = "match";
    end.outcome->document = report;
    return end;
  }

  /// Returns a record of the job with kIdentity.
  static std::vector<std::uint64_t> record_of(std::size_t unit, NodeCount count) {
    return UnitRecords({.identity = kIdentity, .units = kUnits}).written(unit, to_words(count));
  }
  /// Returns the count of a unit; nullopt if it is not known.
  static std::optional<NodeCount> known(const UnitPayloads& units, std::size_t unit) {
    return units.knows(unit) ? std::optional(to_count(units.of(unit))) : std::nullopt;
  }

  static constexpr Hash128 kIdentity{1, 2};
  static constexpr std::size_t kUnits = 10'000;
  inline static const StoredJob kJob{.identity = kIdentity, .units = kUnits};

  // Changes the database from another connection.
  void sql(const std::string& text) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(dir_.database().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  StateDir dir_;
};

TEST_F(JobStoreTest, WhatIsNewIsItsOwnersAlone) {
  namespace fs = std::filesystem;
  const fs::path state = dir_.path() / "in" / "state";
  const auto rights = [](const fs::path& path) { return fs::status(path).permissions(); };
  const auto store = JobStore::open(state.string() + "/").value();
  accept(*store, request_of(3));
  EXPECT_EQ(rights(state), fs::perms::owner_all);
  const fs::perms file = fs::perms::owner_read | fs::perms::owner_write;
  for (const char* name : {"jobs.db", "jobs.db-wal", "jobs.db-shm", "lock"})
    EXPECT_EQ(rights(state / name), file) << name;
  EXPECT_EQ(StateDirectory::exposure(state), std::nullopt);

  // Directories of older versions keep their permissions, and a warning is printed.
  fs::permissions(state, fs::perms(0755));
  EXPECT_EQ(StateDirectory::exposure(state), std::nullopt) << "nobody reads the files";
  fs::permissions(state / "jobs.db", fs::perms(0644));
  EXPECT_EQ(StateDirectory::exposure(state),
            "other users can read the jobs in " + state.string() + "; run chmod -R go= on it");
  fs::permissions(state, fs::perms(0700));
  EXPECT_EQ(StateDirectory::exposure(state), std::nullopt);
}

TEST_F(JobStoreTest, KeepsARequestAsItWasGiven) {
  JobRequest request{{.fen = "kiwipete", .moves = "e1g1 a6b5", .depth = Depth(5)}};
  request.mode = CountMode::kVerify;
  request.divide = true;
  request.deadline = std::chrono::hours(7);
  request = make_job_request(request).value();
  const JobId id = accept(*open(), request);

  const auto found = open()->load(id);
  ASSERT_TRUE(found.ok() && *found);
  const JobView& view = **found;
  EXPECT_EQ(view.id, id);
  EXPECT_EQ(view.state, JobState::kQueued);
  EXPECT_EQ(view.created, kNow);
  EXPECT_EQ(request_digest(view.request), request_digest(request));
  EXPECT_EQ(view.request.line.here(), request.line.here());
  EXPECT_EQ(view.request.deadline, request.deadline);
}

TEST_F(JobStoreTest, KeepsAnEstimateToItsLastDigit) {
  JobRequest request{{.depth = Depth(20), .mode = CountMode::kEstimate}};
  request.samples = 12'345;
  request.seed = JobRequest::kMaxSeed;
  request = make_job_request(request).value();
  const JobId id = accept(*open(), request);
  JobEnd end = done(0);
  end.outcome->nodes.reset();
  for (const double estimate : {8.387123456789012e28, 1e5, 100.0 / 3, 0.0}) {
    sql("DELETE FROM results; UPDATE jobs SET state = 0");
    end.outcome->estimate = estimate;
    ASSERT_TRUE(open()->finish(id, request, end).ok());
    const JobView view = open()->load(id).value().value();
    EXPECT_EQ(view.state, JobState::kDone);
    EXPECT_EQ(view.estimate, estimate);
    EXPECT_FALSE(view.nodes);
    EXPECT_EQ(view.request.samples, 12'345U);
    EXPECT_EQ(view.request.seed, JobRequest::kMaxSeed);
  }
  // The same samples and seed must give the same estimate, so another one is an error.
  auto store = open();
  end.outcome->estimate = 1.0;
  const Result<bool> ended = store->finish(accept(*store, request), request, end);
  EXPECT_EQ(ended.error().code, ErrorCode::kInternal);
  store.reset();
  sql("UPDATE jobs SET seed = 4");
  EXPECT_EQ(open()->load(id).value()->state, JobState::kFailed) << "another question's answer";
}

TEST_F(JobStoreTest, ResultsStayAsTheyAre) {
  const JobRequest request = request_of(3);
  auto store = open();
  const JobId first = accept(*store, request);
  const JobId second = accept(*store, request);
  EXPECT_EQ(store->find_result(result_identity(request)).value(), std::nullopt);
  ASSERT_TRUE(store->finish(first, request, done(8902, "{\"a\":1}\n")).ok());
  ASSERT_TRUE(store->finish(second, request, done(8902, "{\"a\":2}\n")).ok());
  EXPECT_FALSE(store->finish(first, request, {JobState::kCancelled, kNow, {}, {}}).value());
  store.reset();
  store = open();
  EXPECT_EQ(store->find_result(result_identity(request)).value(), first);
  for (const JobId id : {first, second}) {
    const JobView view = store->load(id).value().value();
    EXPECT_EQ(view.state, JobState::kDone);
    EXPECT_EQ(view.nodes, NodeCount(8902));
    EXPECT_EQ(view.document, "{\"a\":1}\n");
  }
}

TEST_F(JobStoreTest, TwoTotalsOfOneQuestionAreABug) {
  const JobRequest request = request_of(3);
  auto store = open();
  const JobId first = accept(*store, request);
  const JobId second = accept(*store, request);
  ASSERT_TRUE(store->finish(first, request, done(8902)).ok());
  const Result<bool> ended = store->finish(second, request, done(8903));
  EXPECT_EQ(ended.error().code, ErrorCode::kInternal);
  EXPECT_THAT(ended.error().message, AllOf(HasSubstr("8902"), HasSubstr("8903")));
  EXPECT_EQ(store->load(second).value()->state, JobState::kQueued);
}

TEST_F(JobStoreTest, DamagedResultsAreNeitherShownNorReused) {
  const JobRequest request = request_of(3);
  auto store = open();
  const JobId id = accept(*store, request);
  ASSERT_TRUE(store->finish(id, request, done(8902)).ok());
  sql("UPDATE results SET nodes = '8912'");
  EXPECT_EQ(store->find_result(result_identity(request)).value(), std::nullopt);
  const JobView view = store->load(id).value().value();
  EXPECT_EQ(view.state, JobState::kFailed);
  EXPECT_THAT(view.error->to_string(), HasSubstr("damaged"));
  // The job is counted again, and the right count replaces the wrong one.
  ASSERT_TRUE(store->finish(accept(*store, request), request, done(8902)).ok());
  EXPECT_EQ(store->load(id).value()->nodes, NodeCount(8902));
}

TEST_F(JobStoreTest, DamagedRequestsAreNotAnswered) {
  auto store = open();
  for (const char* damage :
       {"depth = 4", "fen = 'kiwipete'", "mode = 1", "mode = 77", "depth = -1", "moves = 'e2e4'",
        "fen = x'00'", "notation = 1", "digest = x'00'",
        "position = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1'", "position = NULL",
        "mode = 4, samples = NULL"}) {
    const JobId id = accept(*store, request_of(3));
    sql(std::string("UPDATE jobs SET ") + damage + " WHERE id = " + std::to_string(id.value));
    const JobView view = store->load(id).value().value();
    EXPECT_EQ(view.state, JobState::kFailed) << damage;
    EXPECT_TRUE(view.error) << damage;
    EXPECT_EQ(store->list(1, {}, {}).value().front().state, JobState::kFailed) << damage;
  }
}

TEST_F(JobStoreTest, UnitsSurviveAndDamagedOnesAreLeftOut) {
  auto store = open();
  const JobId id = accept(*store, request_of(3));
  ASSERT_TRUE(store->open_units(id, kJob).ok());
  std::vector<std::uint64_t> records;
  for (std::uint64_t unit = 0; unit < 10; ++unit) {
    const auto record = record_of(unit, NodeCount::from_words(unit, ~unit));
    records.insert(records.end(), record.begin(), record.end());
  }
  records[3 * 4 + 1] ^= 1;
  records[4 * 4] = 5;
  ASSERT_EQ(store->append_units(id, records), std::nullopt);
  ASSERT_EQ(store->append_units(id, record_of(50, 7)), std::nullopt);
  store.reset();
  store = open();
  const UnitPayloads stored = store->open_units(id, kJob)->known;
  for (std::uint64_t unit = 0; unit < 100; ++unit) {
    const bool kept = (unit < 10 && unit != 3 && unit != 4) || unit == 50;
    const std::optional<NodeCount> expected = !kept        ? std::nullopt
                                              : unit == 50 ? std::optional<NodeCount>(7)
                                                           : NodeCount::from_words(unit, ~unit);
    ASSERT_EQ(known(stored, unit), expected) << unit;
  }
  // Units of another split cannot be used, so they are deleted.
  EXPECT_EQ(store->open_units(id, {.identity = {1, 3}, .units = kUnits})->known.known(), 0U);
  EXPECT_EQ(store->open_units(id, kJob)->known.known(), 0U);
}

// Statistics of version 0.1.0: each unit has thirteen records, each with its own number.
TEST_F(JobStoreTest, UnitsInPiecesGoOnInPieces) {
  constexpr std::size_t kWords = 13;
  const StoredJob kStatisticsJob{.identity = kIdentity, .units = 10, .words = kWords};
  const StoredJob kPieces{.identity = kIdentity, .units = 10 * kWords};
  std::vector<std::uint64_t> payload;
  for (std::size_t i = 0; i < kWords; ++i) payload.push_back(100 + i);
  auto store = open();
  const JobId id = accept(*store, request_of(3));
  const UnitRecords pieces = store->open_units(id, kPieces)->records;
  for (std::size_t piece = 0; piece < 2 * kWords - 1; ++piece) {
    const auto record = pieces.written(piece, to_words(payload[piece % kWords]));
    ASSERT_EQ(store->append_units(id, record), std::nullopt);
  }
  {
    StoredUnits units(*store, id);
    const UnitPayloads known = units.open(kStatisticsJob).value();
    EXPECT_EQ(known.known(), 1U);
    ASSERT_TRUE(known.knows(0));
    EXPECT_THAT(known.of(0), testing::ElementsAreArray(payload));
    ASSERT_EQ(units.record(1, payload), std::nullopt);
  }
  const UnitPayloads known = store->open_units(id, kStatisticsJob)->known;
  EXPECT_EQ(known.known(), 2U);
  ASSERT_TRUE(known.knows(1));
  EXPECT_THAT(known.of(1), testing::ElementsAreArray(payload));
}

TEST_F(JobStoreTest, UnitsOfAFinishedJobAreDropped) {
  auto store = open();
  const JobRequest request = request_of(3);
  const JobId id = accept(*store, request);
  ASSERT_TRUE(store->open_units(id, kJob).ok());
  ASSERT_EQ(store->append_units(id, record_of(1, 7)), std::nullopt);
  ASSERT_TRUE(store->finish(id, request, {JobState::kCancelled, kNow, {}, {}}).value());
  EXPECT_TRUE(store->finish(id, request, {JobState::kCancelled, kNow, {}, {}}).value()) << "again";
  EXPECT_FALSE(store->finish(id, request, done(8902)).value()) << "had ended before";
  EXPECT_EQ(store->find_result(request.identity).value(), std::nullopt);
  EXPECT_EQ(store->append_units(id, record_of(2, 8)), std::nullopt) << "a thread that was late";
  EXPECT_EQ(store->open_units(id, kJob)->known.known(), 0U);
}

TEST_F(JobStoreTest, ListsPagesNewestFirst) {
  auto store = open();
  for (int i = 0; i < 5; ++i) accept(*store, request_of(3));
  ASSERT_TRUE(store->finish({2}, request_of(3), done(8902)).ok());
  const auto ids = [](const std::vector<JobView>& views) {
    std::vector<std::int64_t> ids;
    for (const JobView& view : views) ids.push_back(view.id.value);
    return ids;
  };
  EXPECT_THAT(ids(store->list(2, {}, {}).value()), testing::ElementsAre(5, 4));
  EXPECT_THAT(ids(store->list(9, JobId{4}, {}).value()), testing::ElementsAre(3, 2, 1));
  EXPECT_THAT(ids(store->list(9, {}, JobState::kDone).value()), testing::ElementsAre(2));
  EXPECT_THAT(ids(store->unfinished().value()), testing::ElementsAre(1, 3, 4, 5));
}

TEST_F(JobStoreTest, ListsWhatARequestMeansAsItWasStored) {
  auto store = open();
  const JobRequest request =
      make_job_request(
          {{.fen = "kiwipete", .moves = "e1h1 a6b5", .chess960 = true, .depth = Depth(3)}})
          .value();
  const JobId id = accept(*store, request);
  const auto same = [&](const JobView& view) {
    EXPECT_EQ(view.request.position, request.position);
    EXPECT_EQ(view.request.notation, CastlingNotation::kChess960);
    EXPECT_EQ(view.request.identity, result_identity(request));
    EXPECT_EQ(view.state, JobState::kQueued);
  };
  same(store->list(1, {}, {}).value().front());
  same(store->load(id).value().value());
  // A row of schema 3 has no position, so the position is computed.
  const Hash128 digest = request_digest(request);
  std::string hex;
  for (const std::byte byte : std::as_bytes(std::span(&digest, 1))) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex.append({kDigits[std::to_integer<std::size_t>(byte) / 16],
                kDigits[std::to_integer<std::size_t>(byte) % 16]});
  }
  sql("UPDATE jobs SET position = NULL, notation = NULL, digest = x'" + hex + "'");
  same(store->list(1, {}, {}).value().front());
  same(store->load(id).value().value());
}

TEST_F(JobStoreTest, ForgetsTheOldest) {
  auto store = open();
  for (int depth = 1; depth <= 4; ++depth) {
    const JobRequest request = request_of(depth);
    const JobId id = accept(*store, request);
    ASSERT_EQ(store->keep_key("key " + std::to_string(depth), {id, {}}), std::nullopt);
    ASSERT_TRUE(store->finish(id, request, done(20)).ok());
  }
  accept(*store, request_of(5));
  ASSERT_TRUE(store->prune(2).ok());
  EXPECT_EQ(store->load({2}).value(), std::nullopt);
  EXPECT_TRUE(store->load({3}).value());
  EXPECT_TRUE(store->load({5}).value());
  EXPECT_EQ(store->find_result(result_identity(request_of(2))).value(), std::nullopt);
  EXPECT_EQ(store->find_key("key 2").value().has_value(), false);
  EXPECT_EQ(store->find_key("key 3").value()->job, JobId{3});
  for (int i = 5; i <= 9; ++i) {
    ASSERT_EQ(store->keep_key("key " + std::to_string(i), {{3}, {}}), std::nullopt);
  }
  ASSERT_TRUE(store->prune(2).ok());
  EXPECT_FALSE(store->find_key("key 7").value());
  EXPECT_EQ(store->find_key("key 8").value()->job, JobId{3});
  EXPECT_EQ(accept(*store, request_of(5)), JobId{6});  // ids are never reused
}

TEST_F(JobStoreTest, RefusesAnotherSchema) {
  open().reset();
  sql("PRAGMA user_version = 99");
  EXPECT_THAT(open_problem(), HasSubstr("newer version"));
  sql("PRAGMA user_version = 5");
  EXPECT_THAT(open_problem(), HasSubstr("an unsupported version (schema 5, expected 6)"));
}

TEST_F(JobStoreTest, RefusesForeignDatabases) {
  std::filesystem::create_directories(dir_.path());
  sql("CREATE TABLE other (x)");
  EXPECT_THAT(open_problem(), HasSubstr("is not a state database"));
}

TEST_F(JobStoreTest, RefusesWhatIsNoDatabase) {
  std::filesystem::create_directories(dir_.path());
  std::ofstream(dir_.database()) << std::string(5000, 'x');
  EXPECT_THAT(open_problem(), HasSubstr("not a database"));
}

TEST_F(JobStoreTest, RefusesDamagedDatabases) {
  {
    auto store = open();
    for (int i = 0; i < 200; ++i) accept(*store, request_of(3));
  }
  std::fstream file(dir_.database(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(2 * 4096);
  file << std::string(4096, '\x5a');
  file.close();
  EXPECT_THAT(open_problem(), AnyOf(HasSubstr("damaged"), HasSubstr("malformed")));
}

TEST_F(JobStoreTest, OneOwnerAtATime) {
  const auto store = open();
  EXPECT_THAT(open_problem(), HasSubstr("another server"));
}

TEST_F(JobStoreTest, AFileIsNoDirectory) {
  std::ofstream(dir_.path()) << "x";
  EXPECT_NE(open_problem(), "no problem");
}

TEST_F(JobStoreTest, ADatabaseThatIsElsewhereTakesNothing) {
  namespace fs = std::filesystem;
  const fs::path aside = dir_.path().string() + "-aside";
  fs::remove_all(aside);
  const std::shared_ptr<const fs::path> tidy(&aside, [](const fs::path* path) {
    std::error_code ignored;
    fs::remove_all(*path, ignored);
  });
  auto store = open();
  const JobRequest request = request_of(3);
  const JobId id = accept(*store, request);
  const auto refused = [&](const char* how, const char* file) {
    const auto error = [&](const MaybeError& problem) {
      ASSERT_TRUE(problem) << how;
      EXPECT_EQ(problem->code, ErrorCode::kUnavailable);
      EXPECT_THAT(problem->to_string(), AllOf(HasSubstr(file), HasSubstr(how)));
    };
    const auto accepted = store->accept(request, {}, kNow);
    ASSERT_FALSE(accepted.ok()) << how;
    error(accepted.error());
    error(store->check_place());
    error(store->keep_key("key", {id, {}}));
    error(store->start_attempt(id, 1, kNow));
    const auto ended = store->finish(id, request, done(8902));
    ASSERT_FALSE(ended.ok()) << how;
    error(ended.error());
    error(store->append_units(id, record_of(1, 7)));
    const auto pruned = store->prune(0);
    ASSERT_FALSE(pruned.ok()) << how;
    error(pruned.error());
    EXPECT_EQ(store->load(id).value()->state, JobState::kQueued) << "is read as before";
  };
  const auto put_back = [&](const fs::path& from, const fs::path& to) {
    fs::remove_all(to);
    fs::rename(from, to);
    EXPECT_EQ(store->check_place(), std::nullopt);
    EXPECT_EQ(store->probe(), std::nullopt);
    EXPECT_EQ(store->list(9, {}, {}).value().size(), 1U) << "nothing came of what was refused";
    EXPECT_FALSE(store->find_key("key").value());
  };
  fs::rename(dir_.database(), aside);
  refused("moved or deleted", "jobs.db");
  fs::copy_file(aside, dir_.database());
  refused("replaced", "jobs.db");
  EXPECT_NE(store->probe(), std::nullopt);
  put_back(aside, dir_.database());

  fs::rename(dir_.path(), aside);
  refused("moved or deleted", "jobs.db");
  fs::copy(aside, dir_.path(), fs::copy_options::recursive);
  refused("replaced", "jobs.db");
  put_back(aside, dir_.path());

  // Another path to the same files does not count as a move.
  fs::rename(dir_.path(), aside);
  fs::create_directory_symlink(aside, dir_.path());
  EXPECT_EQ(store->check_place(), std::nullopt);
  EXPECT_EQ(store->probe(), std::nullopt);
  put_back(aside, dir_.path());

  fs::remove(dir_.database());
  refused("moved or deleted", "jobs.db");
}

// The log has commits that are not in the database yet.
TEST_F(JobStoreTest, ALogThatWasTakenAwayIsWrittenAnew) {
  auto store = open();
  for (const bool replaced : {false, true}) {
    const JobId before = accept(*store, request_of(3));
    const std::filesystem::path log = dir_.database().string() + "-wal";
    std::filesystem::remove(log);
    if (replaced) std::ofstream(log) << "something else";
    EXPECT_THAT(store->accept(request_of(4), {}, kNow).error().to_string(),
                HasSubstr("jobs.db-wal"));
    EXPECT_EQ(store->probe(), std::nullopt);
    EXPECT_EQ(store->check_place(), std::nullopt);
    const JobId after = accept(*store, request_of(5));
    // A copy of what a restart after a kill would find.
    const StateDir found("-found");
    std::filesystem::copy(dir_.path(), found.path());
    const auto other = JobStore::open(found.path());
    ASSERT_TRUE(other.ok()) << other.error().to_string();
    EXPECT_EQ((*other)->load(before).value()->request.depth, Depth(3));
    EXPECT_EQ((*other)->load(after).value()->request.depth, Depth(5));
    EXPECT_EQ((*other)->unfinished()->size(), replaced ? 4U : 2U);
  }
}

// The file is moved at the last moment. The commit is undone in the moved file, because no client
// was told of it.
TEST_F(JobStoreTest, ADatabaseMovedDuringACommitHasNothingNewInIt) {
  FaultyDisk disk;
  auto store = open();
  disk.work();
  const std::filesystem::path aside = dir_.database().string() + "-aside";
  JobRequest request = request_of(3);
  request.idempotency_key = "key";
  disk.after_sync([&] { std::filesystem::rename(dir_.database(), aside); });
  const auto accepted = store->accept(request, {}, kNow);
  ASSERT_TRUE(std::filesystem::exists(aside));
  EXPECT_FALSE(accepted.ok());
  std::filesystem::rename(aside, dir_.database());
  EXPECT_EQ(store->unfinished()->size(), 0U);
  EXPECT_FALSE(store->find_key("key").value());
  EXPECT_EQ(accept(*store, request), JobId{2});
  store.reset();
}

TEST_F(JobStoreTest, LockedByAnotherProgram) {
  auto store = open();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(dir_.database().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_THAT(store->accept(request_of(3), {}, kNow).error().to_string(), HasSubstr("locked"));
  sqlite3_close(other);
  EXPECT_EQ(accept(*store, request_of(3)), JobId{1});
}

TEST_F(JobStoreTest, AFullDiskLeavesEverythingAsItWas) {
  auto store = open();
  const JobRequest request = request_of(3);
  const JobId id = accept(*store, request);
  ASSERT_EQ(store->limit_pages_for_testing(1), std::nullopt);  // not below the current number
  const Result<bool> ended = store->finish(id, request, done(8902, std::string(100'000, ' ')));
  EXPECT_THAT(ended.error().to_string(), HasSubstr("full"));
  EXPECT_EQ(store->load(id).value()->state, JobState::kQueued);
  EXPECT_EQ(store->find_result(result_identity(request)).value(), std::nullopt);
  ASSERT_EQ(store->limit_pages_for_testing(1'000'000), std::nullopt);
  ASSERT_TRUE(store->finish(id, request, done(8902, std::string(100'000, ' '))).ok());
  EXPECT_EQ(store->load(id).value()->nodes, NodeCount(8902));
}

// The same test as above, with an error of the system: no file can grow.
TEST_F(JobStoreTest, AWriteThatFailsLeavesEverythingAsItWas) {
  auto store = open();
  const JobRequest request = request_of(3);
  const JobId id = accept(*store, request);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 50'000;
  setrlimit(RLIMIT_FSIZE, &small);
  const Result<bool> ended = store->finish(id, request, done(8902, std::string(200'000, ' ')));
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(ended.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(store->load(id).value()->state, JobState::kQueued);
  store.reset();
  store = open();
  EXPECT_EQ(store->load(id).value()->state, JobState::kQueued);
  ASSERT_TRUE(store->finish(id, request, done(8902)).ok());
  EXPECT_EQ(store->load(id).value()->nodes, NodeCount(8902));
}

// A real full file system, if the test may mount one.
TEST_F(JobStoreTest, AFullFileSystemLeavesEverythingAsItWas) {
  std::filesystem::create_directories(dir_.path());
  if (mount("none", dir_.path().c_str(), "tmpfs", 0, "size=512k") != 0)
    GTEST_SKIP() << "may not mount";
  const std::shared_ptr<const char> unmount(
      dir_.path().c_str(), [](const char* path) { EXPECT_EQ(umount2(path, MNT_DETACH), 0); });
  {
    auto store = open();
    int accepted = 0;
    MaybeError full;
    while (!full && accepted < 10'000) {
      const JobRequest request = request_of(3);
      const auto id = store->accept(request, {}, kNow);
      if (id.ok()) {
        ++accepted;
      } else {
        full = id.error();
      }
    }
    ASSERT_TRUE(full);
    EXPECT_THAT(full->to_string(), AnyOf(HasSubstr("full"), HasSubstr("I/O")));
    EXPECT_EQ(store->unfinished().value().size(), static_cast<std::size_t>(accepted));
  }
  // When there is room again, all acknowledged jobs are present.
  EXPECT_EQ(mount("none", dir_.path().c_str(), "tmpfs", MS_REMOUNT, "size=8m"), 0);
  {
    auto store = open();
    const auto jobs = store->unfinished().value();
    EXPECT_GT(jobs.size(), 10U);
    EXPECT_TRUE(store->accept(request_of(3), {}, kNow).ok());
  }
}

// Does everything that a job needs, again and again. In each run, the disk fails at another
// operation: only once, or from this operation on. After each run, everything that was acknowledged
// must be stored, stored data must be right, and the job must continue from this data.
TEST_F(JobStoreTest, DiskFailuresAtEveryMomentLoseNothingAcknowledged) {
  FaultyDisk disk;
  const JobRequest request = request_of(3);
  const JobRequest later = request_of(4);
  const auto record = record_of(7, 99);
  int failures = 0;
  bool failed = true;
  for (int at = 0; failed; ++at) {
    failed = false;
    for (const auto& [count, code] : {std::pair(1, SQLITE_IOERR_WRITE),
                                      {1, SQLITE_IOERR_FSYNC},
                                      {1, SQLITE_FULL},
                                      {INT_MAX, SQLITE_IOERR_FSYNC},
                                      {INT_MAX, SQLITE_FULL}}) {
      std::filesystem::remove_all(dir_.path());
      disk.work();
      auto store = open();
      const JobId before = accept(*store, later);
      disk.fail(at, count, code);
      const auto id = store->accept(request, {}, kNow);
      const JobId job = id.ok() ? *id : before;
      const bool has_units =
          id.ok() && store->open_units(job, kJob).ok() && !store->append_units(job, record);
      const bool ended = has_units && store->finish(job, request, done(8902)).ok();
      store.reset();
      failed |= !ended;
      failures += ended ? 0 : 1;
      disk.work();
      store = open();
      ASSERT_TRUE(store) << at;
      EXPECT_EQ(store->load(before).value()->state, JobState::kQueued) << at;
      if (!id.ok()) continue;
      const JobView view = store->load(job).value().value();
      EXPECT_FALSE(view.error) << at;
      if (ended) {
        EXPECT_EQ(view.state, JobState::kDone) << at;
      }
      if (view.state == JobState::kDone) {
        EXPECT_EQ(view.nodes, NodeCount(8902)) << at;
      } else {
        const auto unit = known(store->open_units(job, kJob)->known, 7);
        EXPECT_EQ(unit.value_or(99), NodeCount(99)) << at;
        if (has_units) {
          EXPECT_TRUE(unit) << at;
        }
        EXPECT_TRUE(store->finish(job, request, done(8902)).ok()) << at;
      }
      EXPECT_EQ(store->find_result(result_identity(request)).value(), job) << at;
    }
    ASSERT_LT(at, 500);
  }
  EXPECT_GT(failures, 30);
}

// The disk also fails at each operation while a state directory is created.
TEST_F(JobStoreTest, DiskFailuresAtTheStartAreErrors) {
  FaultyDisk disk;
  bool failed = true;
  int at = 0;
  for (; failed; ++at) {
    std::filesystem::remove_all(dir_.path());
    disk.fail(at, 1, SQLITE_FULL);
    auto store = JobStore::open(dir_.path());
    failed = !store.ok();
    disk.work();
    if (store.ok()) continue;
    EXPECT_THAT(store.error().to_string(), HasSubstr(dir_.path().string()));
    EXPECT_TRUE(open()) << at;
    ASSERT_LT(at, 500);
  }
  EXPECT_GT(at, 3);
}

TEST_F(JobStoreTest, UnitsWaitInMemoryForADiskWithRoom) {
  auto store = open();
  const JobId id = accept(*store, request_of(3));
  std::atomic<int> failures = 0;
  std::atomic<int> successes = 0;
  {
    StoredUnits units(*store, id, StoredUnits::kDefaultInterval,
                      [&](const MaybeError& error) { ++(error ? failures : successes); });
    ASSERT_TRUE(units.open(kJob).ok());
    ASSERT_EQ(store->limit_pages_for_testing(1), std::nullopt);
    for (std::size_t unit = 0; unit < 5000; ++unit) {
      ASSERT_EQ(units.record(unit, to_words(unit)), std::nullopt);
    }
    EXPECT_EQ(units.flush(), std::nullopt);
    EXPECT_GE(failures, 1);
    ASSERT_EQ(store->limit_pages_for_testing(1'000'000), std::nullopt);
    ASSERT_EQ(units.record(5000, to_words(5000)), std::nullopt);
  }
  EXPECT_GE(successes, 2);
  const UnitPayloads stored = store->open_units(id, kJob)->known;
  for (std::size_t unit = 0; unit <= 5000; ++unit) ASSERT_EQ(known(stored, unit), NodeCount(unit));
  EXPECT_EQ(known(stored, 5001), std::nullopt);
}

}  // namespace
}  // namespace manyply

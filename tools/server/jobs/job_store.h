// Jobs, finished subtrees and results on disk; they survive a kill at any moment.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/mutex.h"
#include "parallel/units/unit_store.h"
#include "tools/server/jobs/job_types.h"
#include "tools/server/jobs/state_database.h"

namespace manyply {

/// The end of a job: the final state, the time at which the job ended, and the outcome.
struct JobEnd {
  JobState state = JobState::kCancelled;  ///< a final state
  WallTime at;
  std::optional<Error> error;        ///< if failed
  std::optional<Answer> outcome;     ///< if done
  std::chrono::milliseconds ran{0};  ///< duration of the last attempt
};

/// The resources that a client's jobs have used.
struct ClientUsage {
  std::chrono::milliseconds ran{0};  ///< excludes attempts that ended in a kill
  std::uint64_t stored_bytes = 0;    ///< size of results and requests
};

/// The subtrees that an interrupted job has stored, and the format for further records.
struct OpenedUnits {
  UnitRecords records;
  UnitPayloads known;
};

/// A state directory: `jobs.db` (SQLite, WAL, synchronous=FULL) and `lock`, which is locked while
/// the store is open. If a function succeeds, its change is durable in the file `jobs.db` of this
/// directory. If a function fails, this file is unchanged. But if the database was moved away, the
/// moved file may contain the change. Error kUnavailable: the disk is full, or the database is
/// locked, is damaged or was moved. Reading still works after a move.
///
/// Thread safety: all functions may be called from any thread. Calls wait for each other and for
/// the disk.
class JobStore {
 public:
  /// Opens or creates the directory. Errors are those of StateDirectory::open().
  static Result<std::unique_ptr<JobStore>> open(const std::filesystem::path& directory);
  ~JobStore();
  JobStore(const JobStore&) = delete;
  JobStore& operator=(const JobStore&) = delete;

  /// Stores a new waiting job. If the request has an idempotency key, `key_digest` is stored with
  /// it. `client` is the name of the client that submitted the job; empty if the client has no
  /// name.
  Result<JobId> accept(const JobRequest& request, const Hash128& key_digest, WallTime created,
                       std::string_view client = {});

  /// The job to which an idempotency key belongs, and the digest of the request that used the key.
  struct KeyOwner {
    JobId job;
    Hash128 digest;
  };
  /// Returns the job that `key` belongs to; nullopt if the key is unknown.
  Result<std::optional<KeyOwner>> find_key(std::string_view key);
  /// Stores a further key for an existing job.
  [[nodiscard]] MaybeError keep_key(std::string_view key, const KeyOwner& owner);

  /// Returns the job that has the result with this identity; nullopt if no job has that result or
  /// the result is damaged.
  Result<std::optional<JobId>> find_result(const Hash128& identity);

  /// Marks a job as running.
  [[nodiscard]] MaybeError start_attempt(JobId job, int attempt, WallTime at);

  /// Adds `ran`, the duration of an attempt that was stopped, to the running time of the job.
  /// Another attempt will continue the job.
  [[nodiscard]] MaybeError pause(JobId job, std::chrono::milliseconds ran);

  /// Returns the resources that the stored jobs of `client` have used. The running time leaves out
  /// jobs that ended before `since`.
  Result<ClientUsage> usage_of(std::string_view client, WallTime since);

  /// Ends a job, deletes its subtrees and returns true. If the job was removed or has already ended
  /// in another state, changes nothing and returns false. If it has already ended in this state,
  /// changes nothing and returns true. Replaces a stored result only if the stored result is
  /// damaged. Error kInternal: the new total differs from the stored one, so one of the two is
  /// wrong.
  Result<bool> finish(JobId job, const JobRequest& request, const JobEnd& end);

  /// Returns a job; nullopt if it does not exist. Leaves out the contents of a batch.
  Result<std::optional<JobView>> load(JobId job);
  /// Returns the contents of a batch; an error if it does not exist.
  Result<std::shared_ptr<const Batch>> batch_of(JobId job);
  /// Returns at most `limit` jobs, newest first. If `before` is given, returns only jobs with
  /// smaller ids. If `state` is given, returns only jobs in that state. Leaves out reports and
  /// roots.
  Result<std::vector<JobView>> list(std::size_t limit, std::optional<JobId> before,
                                    std::optional<JobState> state, JobKind kind = JobKind::kCount);
  /// Returns the jobs that have not ended, in the order of acceptance.
  Result<std::vector<JobView>> unfinished();

  /// Deletes a finished job and its keys. Also deletes its result if no other job has the same
  /// result.
  Result<Removal> remove(JobId job);

  /// Keeps the newest `keep` finished jobs. Deletes all older ones, their keys, and results that no
  /// remaining job has. Also deletes the oldest keys, so that at most `keep` keys remain.
  Result<Forgotten> prune(std::size_t keep);

  // `max_bytes` is the limit for the database and its log (`-wal`) together. The share of the log
  // is 1/16 of this limit, but at most 4 MiB. The remainder is the room of the database.

  /// If the stored data exceed 7/8 of the database's room, deletes the oldest finished jobs. Stops
  /// when the data fit into 3/4 of the room, or when all finished jobs are deleted. If it fails,
  /// some jobs may already be deleted. The file keeps its size; new data reuse the free pages.
  Result<Forgotten> shrink(std::uint64_t max_bytes);
  /// If the database file is larger than the database's room, rewrites the file without its free
  /// pages. This is slow, and needs as much free disk space as the file has bytes.
  [[nodiscard]] MaybeError compact(std::uint64_t max_bytes);
  /// From now on, the log is truncated whenever it exceeds its share of `max_bytes`. So the log is
  /// never larger than this share plus the last transaction.
  [[nodiscard]] MaybeError bound_log(std::uint64_t max_bytes);

  /// Returns the subtrees that an earlier attempt stored, without damaged records. If they were
  /// stored with another StoredJob::identity, deletes them and returns none, because a different
  /// version of the program may have split the job differently.
  Result<OpenedUnits> open_units(JobId id, const StoredJob& job);
  /// Stores records of finished subtrees; does nothing if the job has ended. Precondition:
  /// `records` holds whole records in the format that open_units() returned.
  [[nodiscard]] MaybeError append_units(JobId job, std::span<const std::uint64_t> records);

  /// Tests whether the disk accepts writes: makes a small change durable. Restores the log if it
  /// was deleted.
  [[nodiscard]] MaybeError probe();
  /// Returns an error if the database is no longer where it was opened. Does not wait for other
  /// calls.
  [[nodiscard]] MaybeError check_place() const { return place_.problem(); }

  /// Limits the database to this number of pages, to simulate a full disk.
  [[nodiscard]] MaybeError limit_pages_for_testing(int pages);

 private:
  explicit JobStore(StateDirectory opened)
      : lock_file_(opened.lock_file),
        place_(opened.database.place()),
        database_(std::move(opened.database)) {}

  [[nodiscard]] MaybeError forget(JobId job, const Hash128& identity) MANYPLY_REQUIRES(mutex_);
  Result<Forgotten> forget_oldest(std::size_t jobs) MANYPLY_REQUIRES(mutex_);
  /// Returns the size in bytes of a number of pages. `pages` is an SQL expression for this number.
  /// It may contain `page_count` (number of all pages) and `freelist_count` (number of unused
  /// pages).
  Result<std::uint64_t> bytes_in(std::string_view pages) MANYPLY_REQUIRES(mutex_);
  [[nodiscard]] MaybeError store_result(const Hash128& identity, const Answer& outcome)
      MANYPLY_REQUIRES(mutex_);

  const int lock_file_;
  const DatabasePlace& place_;  // the place of database_; any thread may use it at any time
  Mutex mutex_;
  Database database_ MANYPLY_GUARDED_BY(mutex_);
};

/// The finished subtrees of a running job. record() never waits for the disk: a separate thread
/// stores new records once per interval, so a kill loses about one interval of work. If the disk
/// fails, the job continues: the records stay in memory until the next attempt to store them, and
/// `on_attempt` receives the error. If the disk fails in open(), open() returns no units and does
/// not start the thread. Then only flush() and the destructor store records.
class StoredUnits : public UnitStore {
 public:
  static constexpr std::chrono::milliseconds kDefaultInterval{1000};

  /// `on_attempt` is called after each attempt to open the units or to store records, on the thread
  /// that made the attempt. It may be empty.
  StoredUnits(JobStore& store, JobId job, std::chrono::milliseconds interval = kDefaultInterval,
              std::function<void(const MaybeError&)> on_attempt = {})
      : store_(store), job_(job), interval_(interval), on_attempt_(std::move(on_attempt)) {}
  ~StoredUnits() override;
  StoredUnits(const StoredUnits&) = delete;
  StoredUnits& operator=(const StoredUnits&) = delete;

  Result<UnitPayloads> open(const StoredJob& job) override;
  [[nodiscard]] std::optional<Error> record(std::size_t unit,
                                            std::span<const std::uint64_t> payload) override;
  /// Never returns an error: if units cannot be stored, the only harm is that they are counted
  /// again after a crash.
  [[nodiscard]] std::optional<Error> flush() override;

 private:
  void store_waiting();

  JobStore& store_;
  const JobId job_;
  const std::chrono::milliseconds interval_;
  const std::function<void(const MaybeError&)> on_attempt_;
  std::optional<UnitRecords> records_;  // set by open(), then unchanged

  Mutex storing_;  // held during an attempt to store; locked before mutex_
  Mutex mutex_;
  std::vector<std::uint64_t> waiting_ MANYPLY_GUARDED_BY(mutex_);  // unstored records
  std::jthread thread_;
};

}  // namespace manyply

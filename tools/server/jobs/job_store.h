// Jobs, finished subtrees and results on disk: what survives a kill at any moment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parallel/mutex.h"
#include "parallel/units/unit_record.h"
#include "tools/server/jobs/job_types.h"
#include "tools/server/jobs/state_directory.h"

namespace manyply {

/// How a job ended, and when.
struct JobEnd {
  JobState state = JobState::kCancelled;  ///< a final one
  WallTime at;
  std::optional<Error> error;        ///< if failed
  std::optional<Answer> outcome;     ///< if done
  std::chrono::milliseconds ran{0};  ///< its last attempt
};

/// The resources that a client's jobs have used.
struct ClientUsage {
  std::chrono::milliseconds ran{0};  ///< without attempts that a kill ended
  std::uint64_t stored_bytes = 0;    ///< of results, and of what was asked
};

/// What a job left behind when it was stopped, and how more is to be written.
struct OpenedUnits {
  UnitRecords records;
  UnitPayloads known;
};

/// A state directory: `jobs.db` (SQLite, WAL, synchronous=FULL) and `lock`, locked while it is
/// open. What a call has answered is on the disk, in the file that is at its path. An error
/// (kUnavailable: a full disk, a locked or damaged database, one that has been moved, …) leaves
/// everything as it was. Reading goes on wherever the open file is. Thread safety: everything from
/// any thread; calls wait for each other and for the disk.
class JobStore {
 public:
  /// As StateDirectory's.
  static Result<std::unique_ptr<JobStore>> open(const std::filesystem::path& directory);
  ~JobStore();
  JobStore(const JobStore&) = delete;
  JobStore& operator=(const JobStore&) = delete;

  /// A new job, waiting. `key_digest` is kept with the request's idempotency key, if it has one.
  /// `client`: who submitted it; empty for nobody in particular.
  Result<JobId> accept(const JobRequest& request, const Hash128& key_digest, WallTime created,
                       std::string_view client = {});

  struct KeyOwner {
    JobId job;
    Hash128 digest;
  };
  Result<std::optional<KeyOwner>> find_key(std::string_view key);
  [[nodiscard]] MaybeError keep_key(std::string_view key, const KeyOwner& owner);

  /// The job that found the result with this identity, if one did and it is intact.
  Result<std::optional<JobId>> find_result(const Hash128& identity);

  [[nodiscard]] MaybeError start_attempt(JobId job, int attempt, WallTime at);

  /// An attempt has been stopped after so long; another one will go on with the job.
  [[nodiscard]] MaybeError pause(JobId job, std::chrono::milliseconds ran);

  /// Of jobs that are kept; their time, if they had not ended at `since`.
  Result<ClientUsage> usage_of(std::string_view client, WallTime since);

  /// Ends a job; its subtrees are dropped. A job that has ended stays as it is, and false says that
  /// it had ended otherwise, or has been removed since. A result that is known stays as it is, and
  /// if another total is to be stored for it, that is kInternal: one of the two is wrong.
  Result<bool> finish(JobId job, const JobRequest& request, const JobEnd& end);

  /// Of a batch, without what it counts.
  Result<std::optional<JobView>> load(JobId job);
  /// What a batch counts. An error where there is no such batch, too.
  Result<std::shared_ptr<const Batch>> batch_of(JobId job);
  /// Without reports and roots, newest first; ids below `before`, in `state`.
  Result<std::vector<JobView>> list(std::size_t limit, std::optional<JobId> before,
                                    std::optional<JobState> state, JobKind kind = JobKind::kCount);
  /// In the order of acceptance.
  Result<std::vector<JobView>> unfinished();

  /// Forgets a finished job and its keys, and its result if no other job has that.
  Result<Removal> remove(JobId job);

  /// Forgets finished jobs but the newest `keep`, results that no job has, and all but the newest
  /// `keep` idempotency keys.
  Result<Forgotten> prune(std::size_t keep);

  // `max_bytes` is for the database and the log beside it (`-wal`), of which the log has a
  // sixteenth, 4 MiB at most. The rest is the database's room.

  /// Where what is stored takes more than 7/8 of its room, forgets the oldest finished jobs until
  /// it takes 3/4, or there are none. The file does not get smaller by this, but what comes takes
  /// the room that was given up.
  Result<Forgotten> shrink(std::uint64_t max_bytes);
  /// Writes the database anew if its file has outgrown its room. Takes its time, and as much room
  /// again while it does.
  [[nodiscard]] MaybeError compact(std::uint64_t max_bytes);
  /// From now on the log is emptied whenever it has outgrown its share: it takes that, and what the
  /// last transaction has written.
  [[nodiscard]] MaybeError bound_log(std::uint64_t max_bytes);

  /// What an earlier attempt stored; damaged records are left out. Units of another identity, as
  /// another version may have split the job, are dropped.
  Result<OpenedUnits> open_units(JobId id, const StoredJob& job);
  /// Of a job that has ended meanwhile nothing is kept. Precondition: whole records, as open_units
  /// answered.
  [[nodiscard]] MaybeError append_units(JobId job, std::span<const std::uint64_t> records);

  /// Writes something and makes it durable: does the disk take anything? A log that was taken away
  /// is written anew.
  [[nodiscard]] MaybeError probe();
  /// Is the database where it was opened? Waits for no other call.
  [[nodiscard]] MaybeError check_place() const { return place_.problem(); }

  /// The database may have so many pages at most: a full disk.
  [[nodiscard]] MaybeError limit_pages_for_testing(int pages);

 private:
  explicit JobStore(StateDirectory opened)
      : lock_file_(opened.lock_file),
        place_(opened.database.place()),
        database_(std::move(opened.database)) {}

  [[nodiscard]] MaybeError forget(JobId job, const Hash128& identity) MANYPLY_REQUIRES(mutex_);
  Result<Forgotten> forget_oldest(std::size_t jobs) MANYPLY_REQUIRES(mutex_);
  /// Of so many `pages`, a term of `page_count` (all) and `freelist_count` (those without
  /// anything).
  Result<std::uint64_t> bytes_in(std::string_view pages) MANYPLY_REQUIRES(mutex_);
  [[nodiscard]] MaybeError store_result(const Hash128& identity, const Answer& outcome)
      MANYPLY_REQUIRES(mutex_);

  const int lock_file_;
  const DatabasePlace& place_;  // the database's, at which others may look any time
  Mutex mutex_;
  Database database_ MANYPLY_GUARDED_BY(mutex_);
};

}  // namespace manyply

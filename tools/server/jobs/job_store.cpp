#include "tools/server/jobs/job_store.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/base/stopped_within.h"

namespace manyply {
namespace {

constexpr std::string_view kInsertKey = "INSERT INTO keys (key, digest, job) VALUES (?, ?, ?)";

/// Returns the share of `max_bytes` that the log may use.
std::uint64_t log_share(std::uint64_t max_bytes) {
  return std::min(max_bytes / 16, StateDirectory::kLargestLog);
}

std::int64_t stored(std::size_t number) { return static_cast<std::int64_t>(number); }
std::optional<std::int64_t> stored(const std::optional<std::uint64_t>& number) {
  return number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

/// Returns the size in bytes of a job's request and result. This size counts as stored bytes of the
/// job's client.
std::int64_t bytes_kept(const JobRequest& request, const JobEnd& end) {
  std::size_t bytes =
      request.stored_fen().size() + request.moves.size() + request.stored_position().size();
  if (request.suite) bytes += request.suite->text.size();
  if (end.outcome) bytes += end.outcome->document.size() + end.outcome->verdict.size();
  return stored(bytes);
}

}  // namespace

Result<std::unique_ptr<JobStore>> JobStore::open(const std::filesystem::path& directory) {
  Result<StateDirectory> opened = StateDirectory::open(directory);
  if (!opened) return opened.error();
  return std::unique_ptr<JobStore>(new JobStore(std::move(opened).value()));
}

JobStore::~JobStore() { close(lock_file_); }

Result<JobId> JobStore::accept(const JobRequest& request, const Hash128& key_digest,
                               WallTime created, std::string_view client) {
  const MutexLock lock(mutex_);
  Transaction transaction(database_);
  if (transaction.begin_error()) return *transaction.begin_error();
  std::optional<std::int64_t> deadline;
  if (request.deadline) deadline = request.deadline->count();
  if (auto error = database_.run(
          "INSERT INTO jobs (created, fen, moves, chess960, depth, mode, divide, deadline, "
          "samples, seed, position, notation, client, digest, identity) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          to_stored(created), request.stored_fen(), request.moves, std::int64_t{request.chess960},
          std::int64_t{request.depth.plies()}, static_cast<std::int64_t>(request.mode),
          std::int64_t{request.divide}, deadline, stored(request.samples), stored(request.seed),
          request.stored_position(), static_cast<std::int64_t>(request.notation),
          client.empty() ? std::nullopt : std::optional(client), bytes_of(row_digest(request)),
          bytes_of(request.identity)))
    return *std::move(error);
  const JobId id{database_.last_insert_id()};
  if (request.idempotency_key) {
    if (auto error =
            database_.run(kInsertKey, *request.idempotency_key, bytes_of(key_digest), id.value))
      return *std::move(error);
  }
  if (request.suite) {
    if (auto error = database_.run(
            "INSERT INTO batches (job, positions, counts, epd) VALUES (?, ?, ?, ?)", id.value,
            stored(request.batch->positions), stored(request.batch->counts), request.suite->text))
      return *std::move(error);
  }
  if (auto error = transaction.commit()) {
    // The client receives an error, but a database file that was moved away may contain the job.
    // If so, delete the job from that file. Otherwise the job would run after a restart if the file
    // is put back. This may still happen if the deletion fails.
    if (transaction.committed()) {
      const std::string number = std::to_string(id.value);
      static_cast<void>(database_.execute("DELETE FROM keys WHERE job = " + number +
                                          "; DELETE FROM jobs WHERE id = " + number));
    }
    return *std::move(error);
  }
  return id;
}

Result<std::optional<JobStore::KeyOwner>> JobStore::find_key(std::string_view key) {
  const MutexLock lock(mutex_);
  Statement find = database_.prepare("SELECT job, digest FROM keys WHERE key = ?", key);
  const Result<bool> row = find.step();
  if (!row) return row.error();
  if (!*row) return std::optional<KeyOwner>();
  return std::optional(KeyOwner{{find.integer(0)}, to_hash(find.blob(1))});
}

MaybeError JobStore::keep_key(std::string_view key, const KeyOwner& owner) {
  const MutexLock lock(mutex_);
  return Transaction::run(database_, kInsertKey, key, bytes_of(owner.digest), owner.job.value);
}

Result<std::optional<JobId>> JobStore::find_result(const Hash128& identity) {
  const MutexLock lock(mutex_);
  const auto found = read_jobs(
      database_.prepare(
          select_jobs(Extent::kRow, "WHERE jobs.identity = ? AND state = 2 ORDER BY id LIMIT 1"),
          bytes_of(identity)),
      Extent::kRow);
  if (!found) return found.error();
  if (found->empty() || found->front().state != JobState::kDone) return std::optional<JobId>();
  return std::optional(found->front().id);
}

MaybeError JobStore::start_attempt(JobId job, int attempt, WallTime at) {
  const MutexLock lock(mutex_);
  return Transaction::run(
      database_, "UPDATE jobs SET state = 1, attempts = ?, started = ? WHERE id = ? AND state < 2",
      std::int64_t{attempt}, to_stored(at), job.value);
}

MaybeError JobStore::pause(JobId job, std::chrono::milliseconds ran) {
  const MutexLock lock(mutex_);
  return Transaction::run(
      database_, "UPDATE jobs SET ran = ifnull(ran, 0) + ? WHERE id = ? AND client IS NOT NULL",
      std::int64_t{ran.count()}, job.value);
}

Result<ClientUsage> JobStore::usage_of(std::string_view client, WallTime since) {
  const MutexLock lock(mutex_);
  Statement sum = database_.prepare(
      "SELECT ifnull(sum(CASE WHEN finished IS NULL OR finished > ? THEN ran END), 0), "
      "ifnull(sum(bytes), 0) FROM jobs WHERE client = ?",
      to_stored(since), client);
  const Result<bool> row = sum.step();
  if (!row) return row.error();
  return ClientUsage{std::chrono::milliseconds(sum.integer(0)),
                     static_cast<std::uint64_t>(sum.integer(1))};
}

MaybeError JobStore::store_result(const Hash128& identity, const Answer& outcome) {
  const std::string nodes = answer_text(outcome);
  Statement known =
      database_.prepare("SELECT nodes, verdict, report, checksum FROM results WHERE identity = ?",
                        bytes_of(identity));
  const Result<bool> row = known.step();
  if (!row) return row.error();
  if (*row &&
      checksum_of(identity, known.text(0), known.text(1), known.text(2)) == known.integer(3)) {
    if (known.text(0) == nodes) return std::nullopt;
    return Error{ErrorCode::kInternal, "result", 0,
                 "this count is " + nodes + ", but the stored count of the same question is " +
                     known.text(0)};
  }
  return database_.run(
      "INSERT OR REPLACE INTO results (identity, nodes, verdict, report, checksum) "
      "VALUES (?, ?, ?, ?, ?)",
      bytes_of(identity), nodes, outcome.verdict, outcome.document,
      checksum_of(identity, nodes, outcome.verdict, outcome.document));
}

Result<bool> JobStore::finish(JobId job, const JobRequest& request, const JobEnd& end) {
  const MutexLock lock(mutex_);
  Transaction transaction(database_);
  if (transaction.begin_error()) return *transaction.begin_error();
  Statement there = database_.prepare("SELECT state FROM jobs WHERE id = ?", job.value);
  const Result<bool> row = there.step();
  if (!row) return row.error();
  if (!*row || there.integer(0) >= static_cast<int>(JobState::kDone)) {
    const bool so = *row && there.integer(0) == static_cast<std::int64_t>(end.state);
    if (auto error = transaction.commit()) return *std::move(error);
    return so;
  }
  if (end.outcome) {
    if (auto error = store_result(request.identity, *end.outcome)) return *std::move(error);
  }
  std::optional<std::int64_t> code;
  std::optional<std::string_view> field;
  std::optional<std::string_view> message;
  if (end.error) {
    code = static_cast<std::int64_t>(end.error->code);
    field = end.error->field;
    message = end.error->message;
  }
  if (auto error =
          database_.run("UPDATE jobs SET state = ?, finished = ?, error_code = ?, error_field = ?, "
                        "error_message = ?, identity = ?, unit_identity = NULL, unit_count = NULL, "
                        "ran = CASE WHEN client IS NOT NULL THEN ifnull(ran, 0) + ? END, "
                        "bytes = CASE WHEN client IS NOT NULL THEN ? END WHERE id = ?",
                        static_cast<std::int64_t>(end.state), to_stored(end.at), code, field,
                        message, bytes_of(request.identity), std::int64_t{end.ran.count()},
                        bytes_kept(request, end), job.value))
    return *std::move(error);
  if (auto error = database_.run("DELETE FROM units WHERE job = ?", job.value))
    return *std::move(error);
  if (auto error = transaction.commit()) return *std::move(error);
  return true;
}

Result<std::optional<JobView>> JobStore::load(JobId job) {
  const MutexLock lock(mutex_);
  auto found = read_jobs(database_.prepare(select_jobs(Extent::kAll, "WHERE id = ?"), job.value),
                         Extent::kAll);
  if (!found) return found.error();
  if (found->empty()) return std::optional<JobView>();
  return std::optional(std::move(found).value().front());
}

Result<std::shared_ptr<const Batch>> JobStore::batch_of(JobId job) {
  Result<std::string> epd = [&]() -> Result<std::string> {
    const MutexLock lock(mutex_);
    Statement select = database_.prepare("SELECT epd FROM batches WHERE job = ?", job.value);
    const Result<bool> row = select.step();
    if (!row) return row.error();
    return *row ? select.text(0) : std::string();
  }();
  if (!epd) return epd.error();
  Result<Suite> suite = read_suite_text("epd", *epd);
  if (!suite) return suite.error();
  return std::make_shared<const Batch>(Batch{std::move(suite).value(), std::move(epd).value()});
}

Result<std::vector<JobView>> JobStore::list(std::size_t limit, std::optional<JobId> before,
                                            std::optional<JobState> state, JobKind kind) {
  const MutexLock lock(mutex_);
  std::optional<std::int64_t> wanted;
  if (state) wanted = static_cast<std::int64_t>(*state);
  return read_jobs(
      database_.prepare(
          select_jobs(
              Extent::kRow,
              "WHERE id < ?1 AND (?2 IS NULL OR state = ?2) AND (batches.job IS NOT NULL) = ?4 "
              "ORDER BY id DESC LIMIT ?3"),
          before ? before->value : INT64_MAX, wanted, stored(limit),
          std::int64_t{kind == JobKind::kBatch}),
      Extent::kRow);
}

Result<std::vector<JobView>> JobStore::unfinished() {
  const MutexLock lock(mutex_);
  return read_jobs(database_.prepare(select_jobs(Extent::kRoot, "WHERE state < 2 ORDER BY id")),
                   Extent::kRoot);
}

MaybeError JobStore::forget(JobId job, const Hash128& identity) {
  for (const char* sql : {"DELETE FROM jobs WHERE id = ?", "DELETE FROM keys WHERE job = ?"}) {
    if (auto error = database_.run(sql, job.value)) return error;
  }
  return database_.run(
      "DELETE FROM results WHERE identity = ?1 AND NOT EXISTS "
      "(SELECT 1 FROM jobs WHERE jobs.identity = ?1 AND state = 2)",
      bytes_of(identity));
}

Result<Removal> JobStore::remove(JobId job) {
  const MutexLock lock(mutex_);
  Transaction transaction(database_);
  if (transaction.begin_error()) return *transaction.begin_error();
  Hash128 identity;
  {
    Statement find = database_.prepare("SELECT state, identity FROM jobs WHERE id = ?", job.value);
    const Result<bool> row = find.step();
    if (!row) return row.error();
    if (!*row) return Removal::kNoSuchJob;
    if (find.integer(0) < static_cast<int>(JobState::kDone)) return Removal::kNotFinished;
    identity = to_hash(find.blob(1));
  }
  if (auto error = forget(job, identity)) return *std::move(error);
  if (auto error = transaction.commit()) return *std::move(error);
  return Removal::kRemoved;
}

Result<Forgotten> JobStore::prune(std::size_t keep) {
  const MutexLock lock(mutex_);
  Transaction transaction(database_);
  if (transaction.begin_error()) return *transaction.begin_error();
  const auto newest = database_.integer(
      "SELECT ifnull(max(id), 0) FROM (SELECT id FROM jobs WHERE state >= 2 "
      "ORDER BY id DESC LIMIT -1 OFFSET ?)",
      stored(keep));
  if (!newest) return newest.error();
  if (auto error = database_.run("DELETE FROM jobs WHERE state >= 2 AND id <= ?", *newest))
    return *std::move(error);
  const Forgotten forgotten{static_cast<std::size_t>(database_.changes()), {*newest}};
  if (auto error = database_.run(
          "DELETE FROM keys WHERE rowid <= (SELECT max(rowid) FROM keys) - ?", stored(keep)))
    return *std::move(error);
  if (forgotten.jobs > 0) {
    if (auto error = database_.execute(
            "DELETE FROM keys WHERE job NOT IN (SELECT id FROM jobs);"
            "DELETE FROM results WHERE identity NOT IN (SELECT identity FROM jobs WHERE state = "
            "2)"))
      return *std::move(error);
  }
  if (auto error = transaction.commit()) return *std::move(error);
  return forgotten;
}

Result<std::uint64_t> JobStore::bytes_in(std::string_view pages) {
  const auto bytes =
      database_.integer("SELECT (" + std::string(pages) +
                        ") * page_size FROM pragma_page_count, pragma_freelist_count, "
                        "pragma_page_size");
  if (!bytes) return bytes.error();
  return static_cast<std::uint64_t>(*bytes);
}

Result<Forgotten> JobStore::forget_oldest(std::size_t jobs) {
  Transaction transaction(database_);
  if (transaction.begin_error()) return *transaction.begin_error();
  std::vector<std::pair<JobId, Hash128>> oldest;
  {
    Statement select = database_.prepare(
        "SELECT id, identity FROM jobs WHERE state >= 2 ORDER BY id LIMIT ?", stored(jobs));
    for (;;) {
      const Result<bool> row = select.step();
      if (!row) return row.error();
      if (!*row) break;
      oldest.emplace_back(JobId{select.integer(0)}, to_hash(select.blob(1)));
    }
  }
  Forgotten forgotten;
  for (const auto& [id, identity] : oldest) {
    if (auto error = forget(id, identity)) return *std::move(error);
    ++forgotten.jobs;
    forgotten.newest = id;
  }
  if (auto error = transaction.commit()) return *std::move(error);
  return forgotten;
}

Result<Forgotten> JobStore::shrink(std::uint64_t max_bytes) {
  constexpr std::size_t kAtATime = 32;  // limits how long other calls wait for deletions
  Forgotten all;
  const std::uint64_t room = max_bytes - log_share(max_bytes);
  for (std::uint64_t wanted = room - room / 8;;) {
    const MutexLock lock(mutex_);
    const auto used = bytes_in("page_count - freelist_count");
    if (!used) return used.error();
    if (*used <= wanted) return all;
    wanted = room - room / 4;
    const auto some = forget_oldest(kAtATime);
    if (!some) return some.error();
    if (some->jobs == 0) {
      all.short_of_room = *used > room;
      return all;
    }
    all.jobs += some->jobs;
    all.newest = some->newest;
  }
}

MaybeError JobStore::compact(std::uint64_t max_bytes) {
  const MutexLock lock(mutex_);
  const auto bytes = bytes_in("page_count");
  if (!bytes) return bytes.error();
  if (*bytes <= max_bytes - log_share(max_bytes)) return std::nullopt;
  return database_.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
}

MaybeError JobStore::bound_log(std::uint64_t max_bytes) {
  constexpr std::uint64_t kFrameHeader = 24;
  const MutexLock lock(mutex_);
  const auto page = bytes_in("1");
  if (!page) return page.error();
  const std::uint64_t bytes = log_share(max_bytes);
  return database_.execute(
      "PRAGMA wal_autocheckpoint = " + std::to_string(bytes / (*page + kFrameHeader)) +
      "; PRAGMA journal_size_limit = " + std::to_string(bytes));
}

Result<OpenedUnits> JobStore::open_units(JobId id, const StoredJob& job) {
  const MutexLock lock(mutex_);
  Statement owner =
      database_.prepare("SELECT unit_identity, unit_count FROM jobs WHERE id = ?", id.value);
  const Result<bool> row = owner.step();
  if (!row) return row.error();
  std::optional<UnitRecords> begun_as;
  if (*row && !owner.is_null(0) && to_hash(owner.blob(0)) == job.identity)
    begun_as = UnitRecords::begun_as(job, static_cast<std::uint64_t>(owner.integer(1)));
  if (begun_as) {
    UnitReader reader(*begun_as);
    const std::size_t record_bytes = begun_as->record_bytes();
    Statement select = database_.prepare("SELECT records FROM units WHERE job = ?", id.value);
    for (;;) {
      const Result<bool> more = select.step();
      if (!more) return more.error();
      if (!*more) return OpenedUnits{*begun_as, std::move(reader).known()};
      for (auto bytes = select.blob(0); bytes.size() >= record_bytes;
           bytes = bytes.subspan(record_bytes))
        (void)reader.take(bytes.first(record_bytes));  // ignores damaged records
    }
  }
  Transaction transaction(database_);
  if (transaction.begin_error()) return *transaction.begin_error();
  if (auto error = database_.run("DELETE FROM units WHERE job = ?", id.value))
    return *std::move(error);
  const UnitRecords records(job);
  if (auto error = database_.run("UPDATE jobs SET unit_identity = ?, unit_count = ? WHERE id = ?",
                                 bytes_of(job.identity), stored(records.stored_units()), id.value))
    return *std::move(error);
  if (auto error = transaction.commit()) return *std::move(error);
  return OpenedUnits{records, UnitPayloads(job)};
}

MaybeError JobStore::append_units(JobId job, std::span<const std::uint64_t> records) {
  const MutexLock lock(mutex_);
  return Transaction::run(
      database_,
      "INSERT INTO units (job, records) "
      "SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?1 AND state < 2)",
      job.value, std::as_bytes(records));
}

MaybeError JobStore::probe() {
  const MutexLock lock(mutex_);
  if (place_.only_log_is_gone()) {
    if (auto error = database_.restore_log()) return error;
  }
  return Transaction::run(
      database_, "PRAGMA user_version = " + std::to_string(StateDirectory::kSchemaVersion));
}

MaybeError JobStore::limit_pages_for_testing(int pages) {
  const MutexLock lock(mutex_);
  return database_.execute("PRAGMA max_page_count = " + std::to_string(pages));
}

StoredUnits::~StoredUnits() {
  thread_ = {};  // stops and joins the thread
  store_waiting();
}

Result<UnitPayloads> StoredUnits::open(const StoredJob& job) {
  auto opened = store_.open_units(job_, job);
  // Counting continues even if the disk is full or the database is damaged.
  if (on_attempt_) on_attempt_(opened.ok() ? std::nullopt : MaybeError(opened.error()));
  if (!opened.ok()) {
    records_.emplace(job);
    return UnitPayloads(job);
  }
  auto [records, known] = std::move(opened).value();
  records_ = records;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stopped_within(interval_, stop)) store_waiting();
  });
  return std::move(known);
}

std::optional<Error> StoredUnits::record(std::size_t unit, std::span<const std::uint64_t> payload) {
  const std::vector<std::uint64_t> record = records_->written(unit, payload);
  const MutexLock lock(mutex_);
  waiting_.insert(waiting_.end(), record.begin(), record.end());
  return std::nullopt;
}

std::optional<Error> StoredUnits::flush() {
  store_waiting();
  return std::nullopt;
}

void StoredUnits::store_waiting() {
  const MutexLock storing(storing_);
  std::vector<std::uint64_t> records;
  {
    const MutexLock lock(mutex_);
    std::swap(records, waiting_);
  }
  if (records.empty()) return;
  const MaybeError error = store_.append_units(job_, records);
  if (on_attempt_) on_attempt_(error);
  if (!error) return;
  const MutexLock lock(mutex_);
  waiting_.insert(waiting_.end(), records.begin(), records.end());
}

}  // namespace manyply

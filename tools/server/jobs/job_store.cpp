#include "tools/server/jobs/job_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include "tools/question/unique_format.h"

namespace manyply {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDatabase = "jobs.db";
constexpr std::uint64_t kLargestLog = std::uint64_t{4} << 20;
constexpr int kApplicationId = 0x4d6e7970;  // "Mnyp", in the database's header

/// From each schema version to the next. Never change one that was released: append.
constexpr std::array<const char*, JobStore::kSchemaVersion> kMigrations{
    // Times are milliseconds since 1970, UTC. `digest` and `checksum` show damage. Units are kept
    // as UnitRecords, many a row.
    R"(CREATE TABLE jobs (
         id INTEGER PRIMARY KEY AUTOINCREMENT,
         created INTEGER NOT NULL,
         fen TEXT NOT NULL, moves TEXT NOT NULL, chess960 INTEGER NOT NULL,
         depth INTEGER NOT NULL, mode INTEGER NOT NULL, divide INTEGER NOT NULL,
         digest BLOB NOT NULL,
         identity BLOB NOT NULL,
         state INTEGER NOT NULL DEFAULT 0,
         attempts INTEGER NOT NULL DEFAULT 0,
         started INTEGER, finished INTEGER,
         error_code INTEGER, error_field TEXT, error_message TEXT,
         unit_identity BLOB, unit_count INTEGER);
       CREATE INDEX jobs_by_state ON jobs (state);
       CREATE INDEX jobs_by_identity ON jobs (identity);
       CREATE TABLE results (
         identity BLOB PRIMARY KEY,
         nodes TEXT NOT NULL, verdict TEXT NOT NULL, report TEXT NOT NULL,
         checksum INTEGER NOT NULL);
       CREATE TABLE units (job INTEGER NOT NULL, records BLOB NOT NULL);
       CREATE INDEX units_by_job ON units (job);)",
    R"(ALTER TABLE jobs ADD COLUMN deadline INTEGER;
       CREATE TABLE keys (key TEXT PRIMARY KEY, digest BLOB NOT NULL, job INTEGER NOT NULL);
       CREATE INDEX keys_by_job ON keys (job);)",
    // What an estimate is of. Of one, results.nodes is a real number, 8.9e+03, unless it is exact.
    R"(ALTER TABLE jobs ADD COLUMN samples INTEGER;
       ALTER TABLE jobs ADD COLUMN seed INTEGER;)",
    // What `fen` and `moves` mean; then `digest` is of that, too. Absent in older rows.
    R"(ALTER TABLE jobs ADD COLUMN position TEXT;
       ALTER TABLE jobs ADD COLUMN notation INTEGER;)",
    // Who submitted it, and what it has taken: milliseconds of running, bytes of the result and of
    // what was asked. All are absent where there was no name.
    R"(ALTER TABLE jobs ADD COLUMN client TEXT;
       ALTER TABLE jobs ADD COLUMN ran INTEGER;
       ALTER TABLE jobs ADD COLUMN bytes INTEGER;
       CREATE INDEX jobs_by_client ON jobs (client, finished, ran, bytes)
         WHERE client IS NOT NULL;)",
    // What a batch counts: EPD. Last, so that whoever wants the numbers does not read it.
    R"(CREATE TABLE batches (
         job INTEGER PRIMARY KEY,
         positions INTEGER NOT NULL, counts INTEGER NOT NULL,
         epd TEXT NOT NULL);
       CREATE TRIGGER batch_goes AFTER DELETE ON jobs
         BEGIN DELETE FROM batches WHERE job = old.id; END;)",
};

/// What is read of a job. Statements that begin with select_jobs have these columns, in this order.
enum Column : std::uint8_t {
  kId,
  kCreated,
  kFen,
  kMoves,
  kChess960,
  kDepth,
  kMode,
  kDivide,
  kDeadline,
  kSamples,
  kSeed,
  kPosition,
  kNotation,
  kClient,
  kDigest,
  kState,
  kAttempts,
  kStarted,
  kFinished,
  kErrorCode,
  kErrorField,
  kErrorMessage,
  kIdentity,
  kNodes,
  kVerdict,
  kReport,
  kChecksum,
  kPositions,
  kCounts,
  kSuite,
};
constexpr std::string_view kSelectJobs =
    "SELECT "
    "id, created, fen, moves, chess960, depth, mode, divide, deadline, samples, seed, "
    "position, notation, client, digest, state, attempts, started, finished, error_code, "
    "error_field, "
    "error_message, jobs.identity, nodes, verdict, report, checksum, positions, counts, ";
static_assert(std::ranges::count(kSelectJobs, ',') == kSuite);

Error cannot_keep(const fs::path& path, const std::string& what) {
  return {ErrorCode::kUnavailable, "state", 0, path.string() + ": " + what};
}

std::int64_t to_stored(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

WallTime from_stored(std::int64_t time) { return WallTime(std::chrono::milliseconds(time)); }

std::span<const std::byte> bytes_of(const Hash128& hash) {
  return std::as_bytes(std::span(&hash, 1));
}

Hash128 to_hash(std::span<const std::byte> bytes) {
  Hash128 hash;
  if (bytes.size() == sizeof hash) std::memcpy(&hash, bytes.data(), sizeof hash);
  return hash;
}

std::int64_t checksum_of(const Hash128& identity, const std::string& nodes,
                         const std::string& verdict, const std::string& report) {
  const std::string all = nodes + '\n' + verdict + '\n' + report;
  return static_cast<std::int64_t>(xxh3_64(std::as_bytes(std::span(all)), identity.low));
}

/// A job whose stored form cannot be believed any more.
void mark_damaged(JobView& view, const char* what) {
  view.state = JobState::kFailed;
  if (view.request.position.empty())
    view.request.position = to_fen(view.request.line.here(), view.request.notation);
  view.error = Error{ErrorCode::kUnavailable, "state", 0,
                     std::string("the stored ") + what + " is damaged; submit the job again"};
  view.document.clear();
}

/// How much is read of a job, beside its state.
enum class Extent : std::uint8_t {
  kRow,   ///< no report, and no root unless the row is from before schema 4
  kRoot,  ///< no report, but what a batch counts
  kAll,   ///< all but what a batch counted
};

std::string select_jobs(Extent extent, std::string_view which) {
  std::string sql(kSelectJobs);
  sql += extent == Extent::kRoot ? "epd" : "NULL";
  sql +=
      " FROM jobs LEFT JOIN results ON state = 2 AND results.identity = jobs.identity "
      "LEFT JOIN batches ON batches.job = jobs.id ";
  return sql += which;
}

void read_request(const Statement& row, Extent extent, JobView& view) {
  JobRequest request;
  request.fen = row.text(kFen);
  request.moves = row.text(kMoves);
  request.chess960 = row.integer(kChess960) != 0;
  const std::int64_t depth = row.integer(kDepth);
  const auto mode = static_cast<std::uint64_t>(row.integer(kMode));
  request.divide = row.integer(kDivide) != 0;
  if (const auto deadline = row.optional_integer(kDeadline))
    request.deadline = std::chrono::seconds(*deadline);
  const auto number = [&row](Column column) -> std::optional<std::uint64_t> {
    const auto stored = row.optional_integer(column);
    return stored ? std::optional(static_cast<std::uint64_t>(*stored)) : std::nullopt;
  };
  request.samples = number(kSamples);
  request.seed = number(kSeed);
  if (depth < 0 || depth > Depth::kMax || mode >= modes().size())
    return mark_damaged(view, "request");
  request.depth = Depth(static_cast<int>(depth));
  request.mode = static_cast<CountMode>(mode);
  request.identity = to_hash(row.blob(kIdentity));
  if (const auto positions = row.optional_integer(kPositions)) {
    request.batch = {static_cast<std::uint64_t>(*positions),
                     static_cast<std::uint64_t>(row.integer(kCounts))};
  }
  const auto position = row.optional_text(kPosition);
  bool good = true;
  if (position) {
    request.position = *position;
    const bool chess960 = row.integer(kNotation) == static_cast<int>(CastlingNotation::kChess960);
    request.notation = chess960 ? CastlingNotation::kChess960 : CastlingNotation::kStandard;
    good = row_digest(request) == to_hash(row.blob(kDigest));
  }
  const bool whole = request.batch ? extent == Extent::kRoot : extent != Extent::kRow;
  if (good && (!position || whole)) {
    Result<JobRequest> checked =
        request.batch ? make_batch_request(request, row.text(kSuite)) : make_job_request(request);
    good = checked.ok() && (position ? checked->position == *position
                                     : request_digest(*checked) == to_hash(row.blob(kDigest)));
    if (good) request = std::move(checked).value();
  }
  view.request = std::move(request);
  if (!good) mark_damaged(view, "request");
}

/// What was counted, or estimated, as text: "8902", "8.9e+03". A number that was estimated always
/// has an exponent, and all the digits that it takes to read the same number again.
std::string answer_text(const Answer& outcome) {
  if (outcome.nodes) return outcome.nodes->to_string();
  std::array<char, 32> text{};
  const double estimate = outcome.estimate.value_or(0);
  const auto end = std::to_chars(text.data(), text.data() + text.size(), estimate,
                                 std::chars_format::scientific);
  return {text.data(), end.ptr};
}

bool read_answer(const std::string& text, JobView& view) {
  if (const auto count = NodeCount::parse(text)) {
    view.nodes = *count;
    return true;
  }
  double estimate = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, estimate, std::chars_format::scientific);
  if (read.ec != std::errc() || read.ptr != end) return false;
  view.estimate = estimate;
  return true;
}

void read_result(const Statement& row, Extent extent, JobView& view) {
  const std::string nodes = row.text(kNodes);
  view.verdict = row.text(kVerdict);
  std::string report = row.text(kReport);
  if (!read_answer(nodes, view) || checksum_of(to_hash(row.blob(kIdentity)), nodes, view.verdict,
                                               report) != row.integer(kChecksum)) {
    return mark_damaged(view, "result");
  }
  if (view.request.mode == CountMode::kUnique) {  // its report alone has them, and is short
    const auto distinct = distinct_in(report);
    if (!distinct) return mark_damaged(view, "result");
    view.distinct = *distinct;
  }
  if (extent == Extent::kAll) view.document = std::move(report);
}

JobView read_job(const Statement& row, Extent extent) {
  JobView view;
  view.id = {row.integer(kId)};
  view.created = from_stored(row.integer(kCreated));
  const std::int64_t state = row.integer(kState);
  view.attempts = static_cast<int>(row.integer(kAttempts));
  if (const auto at = row.optional_integer(kStarted)) view.started = from_stored(*at);
  if (const auto at = row.optional_integer(kFinished)) view.finished = from_stored(*at);
  if (state < 0 || state > static_cast<int>(JobState::kCancelled)) {
    mark_damaged(view, "state");
    return view;
  }
  view.client = row.optional_text(kClient).value_or("");
  view.state = static_cast<JobState>(state);
  if (view.state == JobState::kFailed) {
    view.error = Error{static_cast<ErrorCode>(row.integer(kErrorCode)), row.text(kErrorField), 0,
                       row.text(kErrorMessage)};
  }
  read_request(row, extent, view);
  if (view.state == JobState::kDone) read_result(row, extent, view);
  return view;
}

/// The jobs that `statement`, which begins with kSelectJobs, answers.
Result<std::vector<JobView>> read_jobs(Statement statement, Extent extent) {
  std::vector<JobView> views;
  for (;;) {
    const Result<bool> row = statement.step();
    if (!row) return row.error();
    if (!*row) return views;
    views.push_back(read_job(statement, extent));
  }
}

Result<std::int64_t> integer_of(const Database& database, std::string_view sql) {
  Statement statement = database.prepare(sql);
  const Result<bool> row = statement.step();
  if (!row) return row.error();
  return *row ? statement.integer(0) : 0;
}

MaybeError upgrade(const Database& database, const fs::path& path, int to_version) {
  const auto version = integer_of(database, "PRAGMA user_version");
  if (!version) return version.error();
  const auto application = integer_of(database, "PRAGMA application_id");
  if (!application) return application.error();
  const auto tables = integer_of(database, "SELECT count(*) FROM sqlite_master");
  if (!tables) return tables.error();
  if (*tables > 0 && *application != kApplicationId)
    return cannot_keep(path, "is not a state database of perft serve");
  if (*version > to_version) {
    return cannot_keep(path, "was written by a newer version (schema " + std::to_string(*version) +
                                 ", this one knows " + std::to_string(to_version) + ")");
  }
  if (*version == to_version) return std::nullopt;
  Transaction transaction(database);
  if (transaction.begin_error()) return transaction.begin_error();
  for (auto step = static_cast<std::size_t>(*version); step < static_cast<std::size_t>(to_version);
       ++step) {
    if (auto error = database.execute(kMigrations[step])) return error;
  }
  if (auto error = database.execute("PRAGMA application_id = " + std::to_string(kApplicationId) +
                                    "; PRAGMA user_version = " + std::to_string(to_version)))
    return error;
  return transaction.commit();
}

/// Of `max_bytes` for the database and the log beside it.
std::uint64_t log_share(std::uint64_t max_bytes) { return std::min(max_bytes / 16, kLargestLog); }

MaybeError check_health(const Database& database, const fs::path& path) {
  Statement check = database.prepare("PRAGMA quick_check(1)");
  const Result<bool> row = check.step();
  if (!row) return row.error();
  if (!*row || check.text(0) != "ok") return cannot_keep(path, "is damaged: " + check.text(0));
  return std::nullopt;
}

Result<Database> open_database(const fs::path& path, int version) {
  // SQLite would let everybody read it, and what it keeps beside it gets the rights of this file.
  if (const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600); file >= 0)
    close(file);
  Result<Database> opened = Database::open(path.string(), JobStore::kBusyMs);
  if (!opened) return opened;
  Database database = std::move(opened).value();
  // What one great transaction made of the log is given back later.
  // WAL: a commit is one append and one fsync. FULL: that fsync is not left out. The journal's
  // mode lives in the file, so this is also the first access, which finds what is no database.
  if (auto error = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
                                    "PRAGMA journal_size_limit = " +
                                    std::to_string(kLargestLog)))
    return *std::move(error);
  if (auto error = check_health(database, path)) return *std::move(error);
  if (auto error = upgrade(database, path, version)) return *std::move(error);
  if (auto error = database.settle()) return *std::move(error);
  return database;
}

/// What people ask is theirs: a new directory is its owner's alone, and so is what comes into it.
MaybeError create_for_owner(const fs::path& directory) {
  std::error_code failure;
  const fs::path name = directory.has_filename() ? directory : directory.parent_path();
  if (name.has_parent_path()) fs::create_directories(name.parent_path(), failure);
  if (!failure && mkdir(name.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    failure.assign(errno, std::generic_category());
  if (!failure && !fs::is_directory(name, failure) && !failure)
    failure = std::make_error_code(std::errc::not_a_directory);
  if (failure) return cannot_keep(directory, failure.message());
  return std::nullopt;
}

Result<int> lock_directory(const fs::path& directory) {
  if (auto error = create_for_owner(directory)) return *std::move(error);
  const fs::path path = directory / "lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return cannot_keep(path, std::generic_category().message(errno));
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    close(file);
    return why == EWOULDBLOCK ? cannot_keep(directory, "another server is using this directory")
                              : cannot_keep(path, std::generic_category().message(why));
  }
  return file;
}

}  // namespace

Result<std::unique_ptr<JobStore>> JobStore::open(const fs::path& directory) {
  const Result<int> lock = lock_directory(directory);
  if (!lock) return lock.error();
  Result<Database> database = open_database(directory / kDatabase, kSchemaVersion);
  if (!database) {
    close(*lock);
    return database.error();
  }
  return std::unique_ptr<JobStore>(new JobStore(*lock, std::move(database).value()));
}

std::optional<std::string> JobStore::exposure(const fs::path& directory) {
  struct stat place{};
  struct stat database{};
  if (stat(directory.c_str(), &place) != 0 || stat((directory / kDatabase).c_str(), &database) != 0)
    return std::nullopt;
  const bool group = (place.st_mode & S_IXGRP) != 0 && (database.st_mode & S_IRGRP) != 0;
  const bool others = (place.st_mode & S_IXOTH) != 0 && (database.st_mode & S_IROTH) != 0;
  if (!group && !others) return std::nullopt;
  return "other users can read the jobs in " + directory.string() +
         "; chmod -R go= takes that away";
}

JobStore::~JobStore() { close(lock_file_); }

MaybeError JobStore::create_for_testing(const fs::path& directory, int schema_version, int jobs) {
  std::error_code ignored;
  fs::create_directories(directory, ignored);
  const Result<Database> database = open_database(directory / kDatabase, schema_version);
  if (!database) return database.error();
  Result<JobRequest> request = make_job_request({{.depth = Depth(3), .mode = CountMode::kHashed}});
  for (int i = 0; i < jobs; ++i) {
    Statement insert = database->prepare(
        "INSERT INTO jobs (created, fen, moves, chess960, depth, mode, divide, digest, identity) "
        "VALUES (0, 'startpos', '', 0, 3, 0, 0, ?, ?)");
    insert.bind_blob(bytes_of(request_digest(*request)));
    insert.bind_blob(bytes_of(result_identity(*request)));
    if (auto error = insert.run()) return error;
  }
  return std::nullopt;
}

Result<JobId> JobStore::accept(const JobRequest& request, const Hash128& key_digest,
                               WallTime created, std::string_view client) {
  const MutexLock lock(mutex_);
  Transaction transaction(database_);
  if (transaction.begin_error()) return *transaction.begin_error();
  Statement insert = database_.prepare(
      "INSERT INTO jobs (created, fen, moves, chess960, depth, mode, divide, deadline, samples, "
      "seed, position, notation, client, digest, identity) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(to_stored(created)).bind(request.fen).bind(request.moves);
  insert.bind(std::int64_t{request.chess960}).bind(std::int64_t{request.depth.plies()});
  insert.bind(static_cast<std::int64_t>(request.mode)).bind(std::int64_t{request.divide});
  insert.bind(request.deadline ? std::optional(std::int64_t{request.deadline->count()})
                               : std::nullopt);
  for (const auto& number : {request.samples, request.seed}) {
    insert.bind(number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt);
  }
  insert.bind(request.position).bind(static_cast<std::int64_t>(request.notation));
  insert.bind(client.empty() ? std::nullopt : std::optional(client));
  insert.bind_blob(bytes_of(row_digest(request))).bind_blob(bytes_of(request.identity));
  if (auto error = insert.run()) return *std::move(error);
  const JobId id{database_.last_insert_id()};
  if (request.idempotency_key) {
    Statement key = database_.prepare("INSERT INTO keys (key, digest, job) VALUES (?, ?, ?)");
    key.bind(*request.idempotency_key).bind_blob(bytes_of(key_digest)).bind(id.value);
    if (auto error = key.run()) return *std::move(error);
  }
  if (request.suite) {
    Statement batch =
        database_.prepare("INSERT INTO batches (job, positions, counts, epd) VALUES (?, ?, ?, ?)");
    batch.bind(id.value).bind(static_cast<std::int64_t>(request.batch->positions));
    batch.bind(static_cast<std::int64_t>(request.batch->counts)).bind(request.suite->text);
    if (auto error = batch.run()) return *std::move(error);
  }
  if (auto error = transaction.commit()) {
    // In a file that is elsewhere now: should it be put back, nobody was told of this job. If even
    // this fails, that job may be found after a restart.
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
  Statement find = database_.prepare("SELECT job, digest FROM keys WHERE key = ?");
  const Result<bool> row = find.bind(key).step();
  if (!row) return row.error();
  if (!*row) return std::optional<KeyOwner>();
  return std::optional(KeyOwner{{find.integer(0)}, to_hash(find.blob(1))});
}

MaybeError JobStore::keep_key(std::string_view key, const KeyOwner& owner) {
  const MutexLock lock(mutex_);
  Transaction transaction(database_);
  if (transaction.begin_error()) return transaction.begin_error();
  Statement insert = database_.prepare("INSERT INTO keys (key, digest, job) VALUES (?, ?, ?)");
  insert.bind(key).bind_blob(bytes_of(owner.digest)).bind(owner.job.value);
  if (auto error = insert.run()) return error;
  return transaction.commit();
}

Result<std::optional<JobId>> JobStore::find_result(const Hash128& identity) {
  const MutexLock lock(mutex_);
  Statement find = database_.prepare(
      select_jobs(Extent::kRow, "WHERE jobs.identity = ? AND state = 2 ORDER BY id LIMIT 1"));
  find.bind_blob(bytes_of(identity));
  const auto found = read_jobs(std::move(find), Extent::kRow);
  if (!found) return found.error();
  if (found->empty() || found->front().state != JobState::kDone) return std::optional<JobId>();
  return std::optional(found->front().id);
}

MaybeError JobStore::start_attempt(JobId job, int attempt, WallTime at) {
  const MutexLock lock(mutex_);
  Transaction transaction(database_);
  if (transaction.begin_error()) return transaction.begin_error();
  Statement update = database_.prepare(
      "UPDATE jobs SET state = 1, attempts = ?, started = ? WHERE id = ? AND state < 2");
  update.bind(std::int64_t{attempt}).bind(to_stored(at)).bind(job.value);
  if (auto error = update.run()) return error;
  return transaction.commit();
}

MaybeError JobStore::pause(JobId job, std::chrono::milliseconds ran) {
  const MutexLock lock(mutex_);
  Transaction transaction(database_);
  if (transaction.begin_error()) return transaction.begin_error();
  Statement update = database_.prepare(
      "UPDATE jobs SET ran = ifnull(ran, 0) + ? WHERE id = ? AND client IS NOT NULL");
  if (auto error = update.bind(std::int64_t{ran.count()}).bind(job.value).run()) return error;
  return transaction.commit();
}

Result<ClientUsage> JobStore::usage_of(std::string_view client, WallTime since) {
  const MutexLock lock(mutex_);
  Statement sum = database_.prepare(
      "SELECT ifnull(sum(CASE WHEN finished IS NULL OR finished > ? THEN ran END), 0), "
      "ifnull(sum(bytes), 0) FROM jobs WHERE client = ?");
  const Result<bool> row = sum.bind(to_stored(since)).bind(client).step();
  if (!row) return row.error();
  return ClientUsage{std::chrono::milliseconds(sum.integer(0)),
                     static_cast<std::uint64_t>(sum.integer(1))};
}

MaybeError JobStore::store_result(const Hash128& identity, const Answer& outcome) {
  const std::string nodes = answer_text(outcome);
  Statement known =
      database_.prepare("SELECT nodes, verdict, report, checksum FROM results WHERE identity = ?");
  known.bind_blob(bytes_of(identity));
  const Result<bool> row = known.step();
  if (!row) return row.error();
  if (*row &&
      checksum_of(identity, known.text(0), known.text(1), known.text(2)) == known.integer(3)) {
    if (known.text(0) == nodes) return std::nullopt;
    return Error{
        ErrorCode::kInternal, "result", 0,
        "this count is " + nodes + ", but an earlier one of the same was " + known.text(0)};
  }
  Statement insert = database_.prepare(
      "INSERT OR REPLACE INTO results (identity, nodes, verdict, report, checksum) "
      "VALUES (?, ?, ?, ?, ?)");
  insert.bind_blob(bytes_of(identity)).bind(nodes).bind(outcome.verdict).bind(outcome.document);
  return insert.bind(checksum_of(identity, nodes, outcome.verdict, outcome.document)).run();
}

Result<bool> JobStore::finish(JobId job, const JobRequest& request, const JobEnd& end) {
  const MutexLock lock(mutex_);
  Transaction transaction(database_);
  if (transaction.begin_error()) return *transaction.begin_error();
  Statement stored = database_.prepare("SELECT state FROM jobs WHERE id = ?");
  const Result<bool> there = stored.bind(job.value).step();
  if (!there) return there.error();
  if (!*there || stored.integer(0) >= static_cast<int>(JobState::kDone)) {
    const bool so = *there && stored.integer(0) == static_cast<std::int64_t>(end.state);
    if (auto error = transaction.commit()) return *std::move(error);
    return so;
  }
  if (end.outcome) {
    if (auto error = store_result(request.identity, *end.outcome)) return *std::move(error);
  }
  Statement update = database_.prepare(
      "UPDATE jobs SET state = ?, finished = ?, error_code = ?, error_field = ?, error_message = "
      "?, "
      "identity = ?, unit_identity = NULL, unit_count = NULL, "
      "ran = CASE WHEN client IS NOT NULL THEN ifnull(ran, 0) + ? END, "
      "bytes = CASE WHEN client IS NOT NULL THEN ? END WHERE id = ?");
  update.bind(static_cast<std::int64_t>(end.state)).bind(to_stored(end.at));
  if (end.error) {
    update.bind(static_cast<std::int64_t>(end.error->code));
    update.bind(end.error->field).bind(end.error->message);
  } else {
    update.bind_null().bind_null().bind_null();
  }
  std::size_t bytes = request.fen.size() + request.moves.size() + request.position.size();
  if (request.suite) bytes += request.suite->text.size();
  if (end.outcome) bytes += end.outcome->document.size() + end.outcome->verdict.size();
  update.bind_blob(bytes_of(request.identity)).bind(std::int64_t{end.ran.count()});
  update.bind(static_cast<std::int64_t>(bytes)).bind(job.value);
  if (auto error = update.run()) return *std::move(error);
  Statement drop = database_.prepare("DELETE FROM units WHERE job = ?");
  if (auto error = drop.bind(job.value).run()) return *std::move(error);
  if (auto error = transaction.commit()) return *std::move(error);
  return true;
}

Result<std::optional<JobView>> JobStore::load(JobId job) {
  const MutexLock lock(mutex_);
  Statement select = database_.prepare(select_jobs(Extent::kAll, "WHERE id = ?"));
  select.bind(job.value);
  auto found = read_jobs(std::move(select), Extent::kAll);
  if (!found) return found.error();
  if (found->empty()) return std::optional<JobView>();
  return std::optional(std::move(found).value().front());
}

Result<std::shared_ptr<const Batch>> JobStore::batch_of(JobId job) {
  Result<std::string> epd = [&]() -> Result<std::string> {
    const MutexLock lock(mutex_);
    Statement select = database_.prepare("SELECT epd FROM batches WHERE job = ?");
    const Result<bool> row = select.bind(job.value).step();
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
  Statement select = database_.prepare(
      select_jobs(Extent::kRow,
                  "WHERE id < ?1 AND (?2 IS NULL OR state = ?2) AND (batches.job IS NOT NULL) = ?4 "
                  "ORDER BY id DESC LIMIT ?3"));
  select.bind(before ? before->value : INT64_MAX);
  if (state) {
    select.bind(static_cast<std::int64_t>(*state));
  } else {
    select.bind_null();
  }
  select.bind(static_cast<std::int64_t>(limit)).bind(std::int64_t{kind == JobKind::kBatch});
  return read_jobs(std::move(select), Extent::kRow);
}

Result<std::vector<JobView>> JobStore::unfinished() {
  const MutexLock lock(mutex_);
  return read_jobs(database_.prepare(select_jobs(Extent::kRoot, "WHERE state < 2 ORDER BY id")),
                   Extent::kRoot);
}

MaybeError JobStore::forget(JobId job, const Hash128& identity) {
  for (const char* sql : {"DELETE FROM jobs WHERE id = ?", "DELETE FROM keys WHERE job = ?"}) {
    Statement drop = database_.prepare(sql);
    if (auto error = drop.bind(job.value).run()) return error;
  }
  Statement result = database_.prepare(
      "DELETE FROM results WHERE identity = ?1 AND NOT EXISTS "
      "(SELECT 1 FROM jobs WHERE jobs.identity = ?1 AND state = 2)");
  return result.bind_blob(bytes_of(identity)).run();
}

Result<Removal> JobStore::remove(JobId job) {
  const MutexLock lock(mutex_);
  Transaction transaction(database_);
  if (transaction.begin_error()) return *transaction.begin_error();
  Hash128 identity;
  {
    Statement find = database_.prepare("SELECT state, identity FROM jobs WHERE id = ?");
    const Result<bool> row = find.bind(job.value).step();
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
  const auto newest =
      integer_of(database_,
                 "SELECT ifnull(max(id), 0) FROM (SELECT id FROM jobs WHERE state >= 2 "
                 "ORDER BY id DESC LIMIT -1 OFFSET " +
                     std::to_string(keep) + ")");
  if (!newest) return newest.error();
  Statement jobs = database_.prepare("DELETE FROM jobs WHERE state >= 2 AND id <= ?");
  if (auto error = jobs.bind(*newest).run()) return *std::move(error);
  const Forgotten forgotten{static_cast<std::size_t>(database_.changes()), {*newest}};
  Statement keys =
      database_.prepare("DELETE FROM keys WHERE rowid <= (SELECT max(rowid) FROM keys) - ?");
  if (auto error = keys.bind(static_cast<std::int64_t>(keep)).run()) return *std::move(error);
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

Result<std::uint64_t> JobStore::file_bytes() {
  const auto pages = integer_of(database_, "PRAGMA page_count");
  if (!pages) return pages.error();
  const auto size = integer_of(database_, "PRAGMA page_size");
  if (!size) return size.error();
  return static_cast<std::uint64_t>(*pages * *size);
}

Result<std::uint64_t> JobStore::used_bytes() {
  const auto file = file_bytes();
  if (!file) return file.error();
  const auto free = integer_of(database_, "PRAGMA freelist_count");
  if (!free) return free.error();
  const auto size = integer_of(database_, "PRAGMA page_size");
  if (!size) return size.error();
  return *file - static_cast<std::uint64_t>(*free * *size);
}

Result<Forgotten> JobStore::forget_oldest(std::size_t jobs) {
  Transaction transaction(database_);
  if (transaction.begin_error()) return *transaction.begin_error();
  std::vector<std::pair<JobId, Hash128>> oldest;
  {
    Statement select =
        database_.prepare("SELECT id, identity FROM jobs WHERE state >= 2 ORDER BY id LIMIT ?");
    select.bind(static_cast<std::int64_t>(jobs));
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
  constexpr std::size_t kAtATime = 32;  // others wait for no more than these
  Forgotten all;
  const std::uint64_t room = max_bytes - log_share(max_bytes);
  for (std::uint64_t wanted = room - room / 8;;) {
    const MutexLock lock(mutex_);
    const auto used = used_bytes();
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
  const auto bytes = file_bytes();
  if (!bytes) return bytes.error();
  if (*bytes <= max_bytes - log_share(max_bytes)) return std::nullopt;
  return database_.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
}

MaybeError JobStore::bound_log(std::uint64_t max_bytes) {
  constexpr std::uint64_t kFrameHeader = 24;
  const MutexLock lock(mutex_);
  const auto page = integer_of(database_, "PRAGMA page_size");
  if (!page) return page.error();
  const std::uint64_t bytes = log_share(max_bytes);
  const std::uint64_t frames = bytes / (static_cast<std::uint64_t>(*page) + kFrameHeader);
  return database_.execute("PRAGMA wal_autocheckpoint = " + std::to_string(frames) +
                           "; PRAGMA journal_size_limit = " + std::to_string(bytes));
}

Result<OpenedUnits> JobStore::open_units(JobId id, const StoredJob& job) {
  const MutexLock lock(mutex_);
  Statement owner = database_.prepare("SELECT unit_identity, unit_count FROM jobs WHERE id = ?");
  const Result<bool> row = owner.bind(id.value).step();
  if (!row) return row.error();
  std::optional<UnitRecords> begun_as;
  if (*row && !owner.is_null(0) && to_hash(owner.blob(0)) == job.identity)
    begun_as = UnitRecords::begun_as(job, static_cast<std::uint64_t>(owner.integer(1)));
  if (begun_as) {
    UnitReader reader(*begun_as);
    const std::size_t record_bytes = begun_as->record_bytes();
    Statement select = database_.prepare("SELECT records FROM units WHERE job = ?");
    select.bind(id.value);
    for (;;) {
      const Result<bool> more = select.step();
      if (!more) return more.error();
      if (!*more) return OpenedUnits{*begun_as, std::move(reader).known()};
      for (auto bytes = select.blob(0); bytes.size() >= record_bytes;
           bytes = bytes.subspan(record_bytes))
        (void)reader.take(bytes.first(record_bytes));  // a damaged one is counted again
    }
  }
  Transaction transaction(database_);
  if (transaction.begin_error()) return *transaction.begin_error();
  Statement drop = database_.prepare("DELETE FROM units WHERE job = ?");
  if (auto error = drop.bind(id.value).run()) return *std::move(error);
  Statement claim =
      database_.prepare("UPDATE jobs SET unit_identity = ?, unit_count = ? WHERE id = ?");
  const UnitRecords records(job);
  claim.bind_blob(bytes_of(job.identity))
      .bind(static_cast<std::int64_t>(records.stored_units()))
      .bind(id.value);
  if (auto error = claim.run()) return *std::move(error);
  if (auto error = transaction.commit()) return *std::move(error);
  return OpenedUnits{records, UnitPayloads(job)};
}

MaybeError JobStore::append_units(JobId job, std::span<const std::uint64_t> records) {
  const MutexLock lock(mutex_);
  Transaction transaction(database_);
  if (transaction.begin_error()) return transaction.begin_error();
  Statement insert = database_.prepare(
      "INSERT INTO units (job, records) "
      "SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?1 AND state < 2)");
  if (auto error = insert.bind(job.value).bind_blob(std::as_bytes(records)).run()) return error;
  return transaction.commit();
}

MaybeError JobStore::probe() {
  const MutexLock lock(mutex_);
  if (place_.only_log_is_gone()) {
    if (auto error = database_.restore_log()) return error;
  }
  Transaction transaction(database_);
  if (transaction.begin_error()) return transaction.begin_error();
  if (auto error = database_.execute("PRAGMA user_version = " + std::to_string(kSchemaVersion)))
    return error;
  return transaction.commit();
}

MaybeError JobStore::limit_pages_for_testing(int pages) {
  const MutexLock lock(mutex_);
  return database_.execute("PRAGMA max_page_count = " + std::to_string(pages));
}

}  // namespace manyply

#include "tools/server/jobs/state_database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

#include "tools/report/mode_formats.h"

namespace manyply {

std::optional<DatabasePlace::FileId> DatabasePlace::identify(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

std::string DatabasePlace::resolved() const {
  std::error_code failure;
  const std::filesystem::path real = std::filesystem::canonical(path_, failure);
  return failure ? path_ : real.string();
}

DatabasePlace::Files DatabasePlace::noted() const {
  const MutexLock lock(mutex_);
  return files_;
}

MaybeError DatabasePlace::note() {
  const std::string path = resolved();
  const Files files{identify(path), identify(path + "-wal")};
  if (!files.database) return moved(path_);
  const MutexLock lock(mutex_);
  files_ = files;
  return std::nullopt;
}

MaybeError DatabasePlace::moved(const std::string& file) const {
  const bool another = identify(file).has_value();
  return Error{ErrorCode::kUnavailable, "state", 0,
               file + (another ? ": has been replaced by another file while it is in use"
                               : ": has been moved or deleted while it is in use")};
}

MaybeError DatabasePlace::problem() const {
  const Files files = noted();
  if (!files.database) return std::nullopt;
  const std::string path = resolved();
  if (identify(path) != files.database) return moved(path_);
  if (files.log && identify(path + "-wal") != files.log) return moved(path + "-wal");
  return std::nullopt;
}

bool DatabasePlace::only_log_is_gone() const {
  const Files files = noted();
  const std::string path = resolved();
  return files.database && files.log && identify(path) == files.database &&
         identify(path + "-wal") != files.log;
}

namespace {

Error sqlite_error(sqlite3* database, int code, const std::string& path) {
  std::string what = sqlite3_errstr(code);
  if (database != nullptr && sqlite3_errcode(database) == (code & 0xFF)) {
    what = sqlite3_errmsg(database);
  }
  return {ErrorCode::kUnavailable, "state", 0, path + ": " + what};
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Statement::Statement(sqlite3* database, const std::string* path, std::string_view sql)
    : database_(database), path_(path) {
  sqlite3_stmt* statement = nullptr;
  code_ =
      sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
}

Statement& Statement::bind(std::int64_t value) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_int64(statement_.get(), next_++, value);
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  if (code_ == SQLITE_OK) {
    code_ = sqlite3_bind_text64(statement_.get(), next_++, text.empty() ? "" : text.data(),
                                text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  return *this;
}

Statement& Statement::bind(std::span<const std::byte> blob) {
  if (code_ == SQLITE_OK) {
    code_ =
        sqlite3_bind_blob64(statement_.get(), next_++, blob.data(), blob.size(), SQLITE_TRANSIENT);
  }
  return *this;
}

Statement& Statement::bind(std::nullopt_t) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_null(statement_.get(), next_++);
  return *this;
}

Result<bool> Statement::step() {
  if (code_ == SQLITE_OK) {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    code_ = code;
  }
  return sqlite_error(database_, code_, *path_);
}

MaybeError Statement::run() {
  const Result<bool> row = step();
  if (!row) return row.error();
  return std::nullopt;
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  return text != nullptr ? std::string(text, static_cast<std::size_t>(bytes)) : std::string();
}

std::optional<std::string> Statement::optional_text(int column) const {
  return is_null(column) ? std::nullopt : std::optional(text(column));
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  return is_null(column) ? std::nullopt : std::optional(integer(column));
}

std::span<const std::byte> Statement::blob(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const std::byte*>(data),
          data != nullptr ? static_cast<std::size_t>(bytes) : 0};
}

Result<Database> Database::open(const std::string& path, int busy_ms) {
  Database opened(path);
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &database,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  opened.database_.reset(database);
  if (code != SQLITE_OK) return sqlite_error(database, code, path);
  sqlite3_busy_timeout(database, busy_ms);
  return opened;
}

MaybeError Database::execute(const std::string& sql) const {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return sqlite_error(database_.get(), code, *path_);
  return std::nullopt;
}

std::int64_t Database::last_insert_id() const { return sqlite3_last_insert_rowid(database_.get()); }
int Database::changes() const { return sqlite3_changes(database_.get()); }

MaybeError Database::settle() {
  if (auto error = place_->note()) return error;
  int moved = 0;  // were the files moved since they were opened?
  sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (moved != 0) {
    return Error{ErrorCode::kUnavailable, "state", 0, *path_ + ": was moved while it was opened"};
  }
  return std::nullopt;
}

MaybeError Database::restore_log() {
  // When SQLite leaves WAL mode, it writes the rest of the log into the database.
  if (auto error = execute("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL")) return error;
  if (const Result<bool> read = prepare("PRAGMA user_version").step(); !read) return read.error();
  return settle();
}

Transaction::Transaction(const Database& database)
    : database_(database), begin_error_(database.place().problem()), open_(false) {
  if (!begin_error_) begin_error_ = database.execute("BEGIN IMMEDIATE");
  open_ = !begin_error_;
}

Transaction::~Transaction() {
  // A failed ROLLBACK does no harm: SQLite discards changes that were never committed.
  if (open_) static_cast<void>(database_.execute("ROLLBACK"));
}

MaybeError Transaction::commit() {
  if (begin_error_) return begin_error_;
  if (auto error = database_.execute("COMMIT")) return error;
  open_ = false;
  committed_ = true;
  return database_.place().problem();
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDatabase = "jobs.db";
constexpr int kApplicationId = 0x4d6e7970;  // "Mnyp", stored in the database header

/// Times are milliseconds since 1970, UTC. If you change the schema, raise kSchemaVersion. Then
/// also extend settle_schema() with a migration from the previous version.
constexpr const char* kSchema = R"(
  CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    created INTEGER NOT NULL,
    fen TEXT NOT NULL, moves TEXT NOT NULL, chess960 INTEGER NOT NULL,
    depth INTEGER NOT NULL, mode INTEGER NOT NULL, divide INTEGER NOT NULL,
    digest BLOB NOT NULL,             -- reveals damage of the request and of `position`
    identity BLOB NOT NULL,
    state INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    started INTEGER, finished INTEGER,
    error_code INTEGER, error_field TEXT, error_message TEXT,
    unit_identity BLOB, unit_count INTEGER,
    deadline INTEGER,
    samples INTEGER, seed INTEGER,    -- of an estimate
    position TEXT, notation INTEGER,  -- result of `fen` and `moves`; null in the oldest rows
    client TEXT,                      -- its name; null if it has none. `ran` (milliseconds) and
    ran INTEGER, bytes INTEGER);      -- `bytes` (stored) are null if `client` is null
  CREATE INDEX jobs_by_state ON jobs (state);
  CREATE INDEX jobs_by_identity ON jobs (identity);
  CREATE INDEX jobs_by_client ON jobs (client, finished, ran, bytes) WHERE client IS NOT NULL;
  CREATE TABLE results (
    identity BLOB PRIMARY KEY,
    nodes TEXT NOT NULL,  -- an integer; for an inexact estimate a real number: 8.9e+03
    verdict TEXT NOT NULL, report TEXT NOT NULL,
    checksum INTEGER NOT NULL);
  CREATE TABLE units (job INTEGER NOT NULL, records BLOB NOT NULL);  -- a row has many UnitRecords
  CREATE INDEX units_by_job ON units (job);
  CREATE TABLE keys (key TEXT PRIMARY KEY, digest BLOB NOT NULL, job INTEGER NOT NULL);
  CREATE INDEX keys_by_job ON keys (job);
  CREATE TABLE batches (
    job INTEGER PRIMARY KEY,
    positions INTEGER NOT NULL, counts INTEGER NOT NULL,
    epd TEXT NOT NULL);   -- last, so that SQLite can read the numbers without it
  CREATE TRIGGER batch_goes AFTER DELETE ON jobs
    BEGIN DELETE FROM batches WHERE job = old.id; END;)";

Error cannot_keep(const fs::path& path, const std::string& what) {
  return {ErrorCode::kUnavailable, "state", 0, path.string() + ": " + what};
}

MaybeError check_health(const Database& database, const fs::path& path) {
  Statement check = database.prepare("PRAGMA quick_check(1)");
  const Result<bool> row = check.step();
  if (!row) return row.error();
  if (!*row || check.text(0) != "ok") return cannot_keep(path, "is damaged: " + check.text(0));
  return std::nullopt;
}

/// Creates the schema in an empty database. Refuses a database of another program or version.
MaybeError settle_schema(const Database& database, const fs::path& path) {
  constexpr int kVersion = StateDirectory::kSchemaVersion;
  const auto version = database.integer("PRAGMA user_version");
  if (!version) return version.error();
  const auto application = database.integer("PRAGMA application_id");
  if (!application) return application.error();
  const auto tables = database.integer("SELECT count(*) FROM sqlite_master");
  if (!tables) return tables.error();
  if (*tables > 0 && *application != kApplicationId)
    return cannot_keep(path, "is not a state database of perft serve");
  if (*version == kVersion) return std::nullopt;
  if (*tables > 0) {
    return cannot_keep(
        path, "was written by " +
                  std::string(*version > kVersion ? "a newer version" : "an unsupported version") +
                  " (schema " + std::to_string(*version) + ", expected " +
                  std::to_string(kVersion) + ")");
  }
  Transaction transaction(database);
  if (transaction.begin_error()) return transaction.begin_error();
  if (auto error = database.execute(kSchema)) return error;
  if (auto error = database.execute("PRAGMA application_id = " + std::to_string(kApplicationId) +
                                    "; PRAGMA user_version = " + std::to_string(kVersion)))
    return error;
  return transaction.commit();
}

Result<Database> open_database(const fs::path& path) {
  // Create the file here, because SQLite would create a file that all users can read. SQLite then
  // gives the same mode to the log and its index.
  if (const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600); file >= 0)
    close(file);
  Result<Database> opened = Database::open(path.string(), StateDirectory::kBusyMs);
  if (!opened) return opened;
  Database database = std::move(opened).value();
  // journal_size_limit: the log shrinks again after a large transaction. WAL: a commit is one
  // append and one fsync. FULL: SQLite never skips that fsync. The first statement fails if the
  // file is not a database, because SQLite stores the journal mode in the file.
  if (auto error = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
                                    "PRAGMA journal_size_limit = " +
                                    std::to_string(StateDirectory::kLargestLog)))
    return *std::move(error);
  if (auto error = check_health(database, path)) return *std::move(error);
  if (auto error = settle_schema(database, path)) return *std::move(error);
  if (auto error = database.settle()) return *std::move(error);
  return database;
}

/// Creates the directory with access for its owner only, because requests are private. Does not
/// change the mode of an existing directory.
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

Result<StateDirectory> StateDirectory::open(const fs::path& directory) {
  const Result<int> lock = lock_directory(directory);
  if (!lock) return lock.error();
  Result<Database> database = open_database(directory / kDatabase);
  if (!database) {
    close(*lock);
    return database.error();
  }
  return StateDirectory{*lock, std::move(database).value()};
}

std::optional<std::string> StateDirectory::exposure(const fs::path& directory) {
  struct stat place{};
  struct stat database{};
  if (stat(directory.c_str(), &place) != 0 || stat((directory / kDatabase).c_str(), &database) != 0)
    return std::nullopt;
  const bool group = (place.st_mode & S_IXGRP) != 0 && (database.st_mode & S_IRGRP) != 0;
  const bool others = (place.st_mode & S_IXOTH) != 0 && (database.st_mode & S_IROTH) != 0;
  if (!group && !others) return std::nullopt;
  return "other users can read the jobs in " + directory.string() + "; run chmod -R go= on it";
}

namespace {

/// Columns of every statement that select_jobs() makes, in this order.
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

WallTime from_stored(std::int64_t time) { return WallTime(std::chrono::milliseconds(time)); }

/// Marks a job as failed because its stored row is damaged.
void mark_damaged(JobView& view, const char* what) {
  view.state = JobState::kFailed;
  if (view.request.position.empty() && !view.request.batch)
    view.request.position = to_fen(view.request.line.here(), view.request.notation);
  view.error = Error{ErrorCode::kUnavailable, "state", 0,
                     std::string("the stored ") + what + " is damaged; submit the job again"};
  view.document.clear();
}

void read_request(const Statement& row, Extent extent, JobView& view) {
  JobRequest request;
  if (const auto positions = row.optional_integer(kPositions)) {
    request.batch = {static_cast<std::uint64_t>(*positions),
                     static_cast<std::uint64_t>(row.integer(kCounts)), row.text(kFen)};
  } else {
    request.fen = row.text(kFen);
  }
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
  const auto position = row.optional_text(kPosition);
  bool good = true;
  if (position) {
    if (!request.batch) request.position = *position;
    const bool chess960 = row.integer(kNotation) == static_cast<int>(CastlingNotation::kChess960);
    request.notation = chess960 ? CastlingNotation::kChess960 : CastlingNotation::kStandard;
    good =
        request.stored_position() == *position && row_digest(request) == to_hash(row.blob(kDigest));
  }
  const bool whole = request.batch ? extent == Extent::kRoot : extent != Extent::kRow;
  if (good && (!position || whole)) {
    Result<JobRequest> checked =
        request.batch ? make_batch_request(request, row.text(kSuite)) : make_job_request(request);
    good = checked.ok() && (position ? checked->stored_position() == *position
                                     : request_digest(*checked) == to_hash(row.blob(kDigest)));
    if (good) request = std::move(checked).value();
  }
  view.request = std::move(request);
  if (!good) mark_damaged(view, "request");
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
  if (view.request.mode == CountMode::kUnique) {  // stored only in the report, which is short
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
    const std::int64_t code = row.integer(kErrorCode);
    if (code < 0 || code > static_cast<int>(ErrorCode::kInternal)) {
      mark_damaged(view, "error code");
      return view;
    }
    view.error =
        Error{static_cast<ErrorCode>(code), row.text(kErrorField), 0, row.text(kErrorMessage)};
  }
  read_request(row, extent, view);
  if (view.state == JobState::kDone) read_result(row, extent, view);
  return view;
}

}  // namespace

std::int64_t to_stored(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

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

std::string answer_text(const Answer& outcome) {
  if (outcome.nodes) return outcome.nodes->to_string();
  std::array<char, 32> text{};
  const double estimate = outcome.estimate.value_or(0);
  const auto end = std::to_chars(text.data(), text.data() + text.size(), estimate,
                                 std::chars_format::scientific);
  return {text.data(), end.ptr};
}

std::string select_jobs(Extent extent, std::string_view which) {
  std::string sql(kSelectJobs);
  sql += extent == Extent::kRoot ? "epd" : "NULL";
  sql +=
      " FROM jobs LEFT JOIN results ON state = 2 AND results.identity = jobs.identity "
      "LEFT JOIN batches ON batches.job = jobs.id ";
  return sql += which;
}

Result<std::vector<JobView>> read_jobs(Statement statement, Extent extent) {
  std::vector<JobView> views;
  for (;;) {
    const Result<bool> row = statement.step();
    if (!row) return row.error();
    if (!*row) return views;
    views.push_back(read_job(statement, extent));
  }
}

}  // namespace manyply

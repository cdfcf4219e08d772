#include "tools/server/jobs/sqlite.h"

#include <sqlite3.h>

namespace manyply {
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
  // Leaving WAL mode writes the rest of the log into the database.
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
  // If even this fails, nothing is lost: without a COMMIT, SQLite ignores the changes.
  if (open_) static_cast<void>(database_.execute("ROLLBACK"));
}

MaybeError Transaction::commit() {
  if (begin_error_) return begin_error_;
  if (auto error = database_.execute("COMMIT")) return error;
  open_ = false;
  committed_ = true;
  return database_.place().problem();
}

}  // namespace manyply

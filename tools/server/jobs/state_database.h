// The SQLite database in the state directory: its location, statements, transactions, schema and
// rows of jobs.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "tools/server/jobs/job_types.h"

struct sqlite3;
struct sqlite3_stmt;

namespace manyply {

using MaybeError = std::optional<Error>;

/// Identifies the files of an open SQLite database: the file at its path, and the log beside it
/// (`-wal`), which holds the latest commits. If one of these files is moved, deleted or replaced,
/// commits still succeed. But the next process that opens the path will not find these commits.
///
/// The index of the log (`-shm`) is not checked: it holds no data, and the next process rebuilds it
/// from the log.
///
/// Thread safety: all functions may be called from any thread. These functions access the file
/// system, not the database.
class DatabasePlace {
 public:
  explicit DatabasePlace(std::string path) : path_(std::move(path)) {}

  /// Records the identity of the files that are at the path now. Before the first call, problem()
  /// returns no error. Returns kUnavailable if there is no database.
  [[nodiscard]] MaybeError note();

  /// Returns kUnavailable if a recorded file is no longer at its path. A process that opens the
  /// database now would not find this file. The message contains the path of the missing file.
  /// After the same file is put back, there is no error any more.
  [[nodiscard]] MaybeError problem() const;

  /// Returns whether the log is missing or replaced while the database itself is in place.
  [[nodiscard]] bool only_log_is_gone() const;

 private:
  /// Identifies a file even if it is renamed.
  struct FileId {
    dev_t device;
    ino_t number;
    friend bool operator==(const FileId&, const FileId&) = default;
  };
  struct Files {
    std::optional<FileId> database;
    std::optional<FileId> log;  // absent if the database has no log
  };
  static std::optional<FileId> identify(const std::string& path);
  [[nodiscard]] Files noted() const;
  /// Returns the path with symbolic links resolved, because SQLite puts the log beside the actual
  /// file.
  [[nodiscard]] std::string resolved() const;
  [[nodiscard]] MaybeError moved(const std::string& file) const;

  const std::string path_;
  mutable Mutex mutex_;  // a thread that holds it takes no other lock
  Files files_ MANYPLY_GUARDED_BY(mutex_);
};

// The part of SQLite's C API that the server needs, with errors as values. Only state_database.cpp
// includes SQLite.

/// One prepared statement. As in SQLite, parameters start at 1 and columns at 0. If preparing or
/// binding fails, step() returns that error. The database must outlive the statement.
class Statement {
 public:
  Statement& bind(std::int64_t value);
  Statement& bind(std::string_view text);
  Statement& bind(std::span<const std::byte> blob);
  Statement& bind(std::nullopt_t);
  template <typename T>
  Statement& bind(const std::optional<T>& value) {
    return value ? bind(*value) : bind(std::nullopt);
  }

  /// Advances to the next row. Returns false if there are no more rows.
  [[nodiscard]] Result<bool> step();
  /// Runs a statement that returns no rows.
  [[nodiscard]] MaybeError run();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::optional<std::string> optional_text(int column) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  /// Valid until the next step().
  [[nodiscard]] std::span<const std::byte> blob(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3* database, const std::string* path, std::string_view sql);

  sqlite3* database_;
  const std::string* path_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int next_ = 1;
  int code_;  // SQLite's code of the first error
};

/// One connection, used by one thread at a time. Errors are kUnavailable, with the path and
/// SQLite's message.
class Database {
 public:
  /// Opens or creates a database. Every later access waits up to `busy_ms` for locks of other
  /// programs.
  static Result<Database> open(const std::string& path, int busy_ms);

  /// Prepares a statement and binds `values` to its first parameters.
  template <typename... Values>
  [[nodiscard]] Statement prepare(std::string_view sql, const Values&... values) const {
    Statement statement(database_.get(), path_.get(), sql);
    static_cast<void>((statement.bind(values), ...));
    return statement;
  }
  /// Runs a statement that returns no rows.
  template <typename... Values>
  [[nodiscard]] MaybeError run(std::string_view sql, const Values&... values) const {
    return prepare(sql, values...).run();
  }
  /// Returns the integer in the first column of the first row; 0 if there are no rows.
  template <typename... Values>
  Result<std::int64_t> integer(std::string_view sql, const Values&... values) const {
    Statement statement = prepare(sql, values...);
    const Result<bool> row = statement.step();
    if (!row) return row.error();
    return *row ? statement.integer(0) : 0;
  }
  /// Runs one or more statements without parameters; ignores their rows.
  [[nodiscard]] MaybeError execute(const std::string& sql) const;
  [[nodiscard]] std::int64_t last_insert_id() const;
  [[nodiscard]] int changes() const;

  /// Records the identity of the open files. From now on, a transaction returns an error if one of
  /// these files is not at its path when the transaction begins or commits. Call settle() after the
  /// first read from the database, because that read creates the log.
  [[nodiscard]] MaybeError settle();
  /// Replaces a deleted log: writes the contents of the old log into the database, then creates a
  /// new log beside the database.
  [[nodiscard]] MaybeError restore_log();
  /// Returns the place of the files; safe to use from any thread.
  [[nodiscard]] const DatabasePlace& place() const { return *place_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(const std::string& path)
      : path_(std::make_unique<std::string>(path)), place_(std::make_unique<DatabasePlace>(path)) {}

  std::unique_ptr<std::string> path_;  // statements point to it
  std::unique_ptr<DatabasePlace> place_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// One transaction. Begins only if the database files are still at their paths. Rolls back unless
/// committed.
class Transaction {
 public:
  /// Acquires the write lock immediately.
  explicit Transaction(const Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  [[nodiscard]] const MaybeError& begin_error() const { return begin_error_; }
  /// Commits. If a database file was moved away meanwhile, returns an error, but committed() is
  /// true: the moved file contains the transaction.
  [[nodiscard]] MaybeError commit();
  [[nodiscard]] bool committed() const { return committed_; }

  /// Runs a statement that returns no rows, in a separate transaction.
  template <typename... Values>
  static MaybeError run(const Database& database, std::string_view sql, const Values&... values) {
    Transaction transaction(database);
    if (transaction.begin_error()) return transaction.begin_error();
    if (auto error = database.run(sql, values...)) return error;
    return transaction.commit();
  }

 private:
  const Database& database_;
  MaybeError begin_error_;
  bool open_;
  bool committed_ = false;
};

/// The directory that holds a server's jobs. While it is open, it is locked and holds an intact
/// database of this version.
struct StateDirectory {
  static constexpr int kSchemaVersion = 6;
  static constexpr int kBusyMs = 1000;  ///< time to wait for other programs that lock the database
  static constexpr std::uint64_t kLargestLog = std::uint64_t{4} << 20;  ///< in bytes

  /// Opens `directory`. Creates it, its parents and its files if they are missing. Only the owner
  /// can access a new `directory` and new files in it. Fails if another process uses `directory`,
  /// or if its database is damaged or belongs to another program or version.
  static Result<StateDirectory> open(const std::filesystem::path& directory);

  /// Returns a warning with a remedy if other users can read the database; otherwise nullopt. Older
  /// versions created such databases.
  static std::optional<std::string> exposure(const std::filesystem::path& directory);

  int lock_file;  ///< closing it releases the directory
  Database database;
};

// Reads the rows of jobs, and detects damage in them.

// Conversions between values and their stored form: times as milliseconds since 1970 (UTC), hashes
// as bytes.

[[nodiscard]] std::int64_t to_stored(WallTime time);
[[nodiscard]] std::span<const std::byte> bytes_of(const Hash128& hash);
[[nodiscard]] Hash128 to_hash(std::span<const std::byte> bytes);

/// Returns a count or estimate as text: "8902", "8.9e+03". An estimate that is not exact always has
/// an exponent, and enough digits to restore the same number.
[[nodiscard]] std::string answer_text(const Answer& outcome);
/// Returns the checksum of a row of `results`.
[[nodiscard]] std::int64_t checksum_of(const Hash128& identity, const std::string& nodes,
                                       const std::string& verdict, const std::string& report);

/// Defines which data of a job read_jobs() reads. Below, "root" means JobRequest::line, "contents"
/// means JobRequest::suite, and "report" means Answer::document.
enum class Extent : std::uint8_t {
  kRow,   ///< none of these, except the root if the row is older than the column `position`
  kRoot,  ///< the root or the contents, but no report
  kAll,   ///< the root and the report, but no contents
};

/// Returns the text of a SELECT statement for read_jobs(). `which` is the end of the statement:
/// WHERE, ORDER BY and LIMIT.
[[nodiscard]] std::string select_jobs(Extent extent, std::string_view which);
/// Reads all rows of a statement made by select_jobs() with the same `extent`. A damaged row
/// becomes a failed job.
Result<std::vector<JobView>> read_jobs(Statement statement, Extent extent);

}  // namespace manyply

// The part of SQLite's C API that the server needs, with errors as values. No other file includes
// SQLite.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "tools/server/jobs/database_place.h"

struct sqlite3;
struct sqlite3_stmt;

namespace manyply {

/// One prepared statement. As in SQLite, parameters start at 1 and columns at 0. If binding fails,
/// step() returns that error. The database must outlive the statement.
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

  /// Advances to the next row. Returns true if there is one, false at the end.
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
  int code_;  // of the first error
};

/// One connection, used by one thread at a time. Errors are kUnavailable, with the path and
/// SQLite's message.
class Database {
 public:
  /// Opens or creates a database. Waits up to `busy_ms` for locks of other programs.
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

  /// Records the open files, which must stay in place from now on: a transaction that begins or
  /// ends while they are moved returns an error. Call it after the database has been read.
  [[nodiscard]] MaybeError settle();
  /// Replaces a deleted log: writes its contents into the database, then creates a new log beside
  /// it.
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

/// One transaction, valid only if the database file is still at its path. Rolls back unless
/// committed.
class Transaction {
 public:
  /// Acquires the write lock immediately.
  explicit Transaction(const Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  [[nodiscard]] const MaybeError& begin_error() const { return begin_error_; }
  /// Commits. If the file was moved away meanwhile, returns an error although committed() is true;
  /// if the file is put back, it contains the transaction.
  [[nodiscard]] MaybeError commit();
  [[nodiscard]] bool committed() const { return committed_; }

  /// Runs a statement that returns no rows in a transaction of its own.
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

}  // namespace manyply

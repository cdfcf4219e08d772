// SQLite's C API, as far as the server needs it, with errors as values. The only door to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"
#include "tools/server/jobs/database_place.h"

struct sqlite3;
struct sqlite3_stmt;

namespace manyply {

/// One prepared statement. Binds from 1, reads columns from 0, as SQLite does. An error met while
/// binding or stepping is kept, and answered by step(). Its database must outlive it.
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

  /// True when there is a row, false at the end.
  [[nodiscard]] Result<bool> step();
  /// For statements without rows.
  [[nodiscard]] MaybeError run();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::optional<std::string> optional_text(int column) const;
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  /// Valid until the next step.
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
  int code_;  // of the first thing that went wrong
};

/// One connection. For one thread at a time. Errors are kUnavailable with the path and what SQLite
/// says.
class Database {
 public:
  /// Opens or creates. Waits up to `busy_ms` for other programs' locks.
  static Result<Database> open(const std::string& path, int busy_ms);

  /// With the first of its parameters bound to `values`.
  template <typename... Values>
  [[nodiscard]] Statement prepare(std::string_view sql, const Values&... values) const {
    Statement statement(database_.get(), path_.get(), sql);
    static_cast<void>((statement.bind(values), ...));
    return statement;
  }
  /// Runs a statement that answers no rows.
  template <typename... Values>
  [[nodiscard]] MaybeError run(std::string_view sql, const Values&... values) const {
    return prepare(sql, values...).run();
  }
  /// The number that is the answer; 0 where there are no rows.
  template <typename... Values>
  Result<std::int64_t> integer(std::string_view sql, const Values&... values) const {
    Statement statement = prepare(sql, values...);
    const Result<bool> row = statement.step();
    if (!row) return row.error();
    return *row ? statement.integer(0) : 0;
  }
  /// One or more statements without parameters and without interest in rows.
  [[nodiscard]] MaybeError execute(const std::string& sql) const;
  [[nodiscard]] std::int64_t last_insert_id() const;
  [[nodiscard]] int changes() const;

  /// From now on, the files that are open have to stay where they are: transactions that begin or
  /// end while they are elsewhere answer an error. Call it once the database has been read.
  [[nodiscard]] MaybeError settle();
  /// A log that was taken away is written anew, beside the database, after what it held has been
  /// written into the database.
  [[nodiscard]] MaybeError restore_log();
  /// For any thread.
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

/// All or nothing, and in the file that its path leads to. Rolls back unless committed.
class Transaction {
 public:
  /// Takes the write lock at once.
  explicit Transaction(const Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  [[nodiscard]] const MaybeError& begin_error() const { return begin_error_; }
  /// An error although committed() says so: the database was taken away meanwhile. It may be put
  /// back, and then has all of this in it.
  [[nodiscard]] MaybeError commit();
  [[nodiscard]] bool committed() const { return committed_; }

  /// A statement that answers no rows, as a transaction of its own.
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

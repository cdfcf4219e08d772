// libpq, as far as campaigns need it, with errors as values. The only door to it, together with
// database_address.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "tools/campaign/database_address.h"

struct pg_conn;
struct pg_result;

namespace manyply {

/// Values for $1, $2, … of a statement, sent in binary.
class PostgresValues {
 public:
  PostgresValues& integer(std::int64_t value);  ///< bigint
  PostgresValues& number(double value);         ///< double precision
  PostgresValues& text(std::string_view value);
  PostgresValues& bytes(std::span<const std::byte> value);  ///< bytea
  /// What the server shall read as the statement's own type: arrays, numeric.
  PostgresValues& literal(std::string_view value);

 private:
  friend class Postgres;
  struct Value {
    unsigned type;  // an OID; 0 = the server finds out
    bool binary;
    std::string bytes;
  };
  PostgresValues& add(unsigned type, bool binary, std::string bytes);

  std::vector<Value> values_;
};

/// The rows of an answer, in binary. Numbers of any width are integers, columns count from 0.
/// Reading what is no such thing is a BugError.
class PostgresRows {
 public:
  [[nodiscard]] int count() const;
  [[nodiscard]] bool is_null(int row, int column) const;
  [[nodiscard]] std::int64_t integer(int row,
                                     int column) const;    ///< smallint, int, bigint, boolean
  [[nodiscard]] double number(int row, int column) const;  ///< real, double precision
  [[nodiscard]] std::string text(int row, int column) const;
  /// As long as the rows live.
  [[nodiscard]] std::span<const std::byte> bytes(int row, int column) const;

 private:
  friend class Postgres;
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

/// One connection. For one thread at a time. Nothing blocks beyond its time limit or a requested
/// stop; after either the connection is given up. Errors:
///   kUnavailable   may pass: no connection, a server that starts, ends, is full or a standby, a
///                  deadlock. Whether the statement was done is not known if it was a COMMIT
///   kInvalidInput  will not: no right, no schema, what one of our functions refuses
///   kCancelled     after the stop
///   kInternal      any other complaint of the server's
class Postgres {
 public:
  static constexpr std::chrono::seconds kPatience{60};

  /// Connects as libpq does, unless why_insecure(), within ten seconds or its
  /// connect_timeout. Refuses servers that may
  /// lose what they acknowledged (fsync, full_page_writes or synchronous_commit off), and those
  /// before version 15.
  static Result<Postgres> connect(const DatabaseAddress& address, const std::stop_token& stop);

  /// One statement.
  Result<PostgresRows> ask(const char* sql, const PostgresValues& values = {},
                           const std::stop_token& stop = {},
                           std::chrono::milliseconds patience = kPatience);
  /// Statements without values and without interest in rows.
  [[nodiscard]] std::optional<Error> execute(const std::string& script,
                                             const std::stop_token& stop = {});
  /// False once the connection has been lost or given up.
  [[nodiscard]] bool connected() const { return connection_ != nullptr; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Finish {
    void operator()(pg_conn* connection) const;
  };
  explicit Postgres(pg_conn* connection) : connection_(connection) {}

  [[nodiscard]] std::optional<Error> establish(const std::stop_token& stop,
                                               std::chrono::seconds patience);
  [[nodiscard]] std::optional<Error> check_security(const DatabaseAddress& address) const;
  [[nodiscard]] std::optional<Error> check_server(const std::stop_token& stop);
  /// Waits until the connection's socket is ready.
  [[nodiscard]] std::optional<Error> wait(bool to_read, bool to_write, const std::stop_token& stop,
                                          Clock::time_point end) const;
  Result<PostgresRows> answer(const std::stop_token& stop, Clock::time_point end);
  Result<PostgresRows> collect(const std::stop_token& stop, Clock::time_point end);
  [[nodiscard]] Error lost() const;

  std::unique_ptr<pg_conn, Finish> connection_;
};

}  // namespace manyply

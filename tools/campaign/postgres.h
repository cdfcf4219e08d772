// The functions of libpq that campaigns need, with errors as values. Only postgres.cpp uses libpq.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

struct pg_conn;
struct pg_result;

namespace manyply {

/// The address of a PostgreSQL database. As in every program that uses libpq, missing values come
/// from the environment, a service file and a password file.
struct DatabaseAddress {
  std::string conninfo = {};  ///< "host=db dbname=perft" or a URI; may be empty
  bool insecure = false;      ///< allow network connections without TLS
};

/// Parameters of a connection, by name.
using DatabaseParameters = std::map<std::string, std::string, std::less<>>;

/// Returns the parameters that a connection would use. Values come from `address`, then
/// from the environment and the service file, then from libpq's defaults. Error kInvalidInput: the
/// text is invalid, sets `service` (use PGSERVICE), or contains a password. A password would be
/// visible in the list of processes.
Result<DatabaseParameters> connection_parameters(const DatabaseAddress& address);

/// Returns whether connections to `host` stay on this machine. This is the case for "localhost",
/// loopback addresses, and the names of sockets: a folder, "@…" (an abstract socket), or an empty
/// text.
[[nodiscard]] bool is_local_host(std::string_view host);

/// Returns an error if a connection with these parameters would be insecure: a host is another
/// machine, and TLS is not enforced.
[[nodiscard]] std::optional<Error> why_insecure(const DatabaseParameters& parameters);

/// Values for $1, $2, … of a statement. All values except literals are sent in binary format.
class PostgresValues {
 public:
  PostgresValues& integer(std::int64_t value);  ///< bigint
  PostgresValues& number(double value);         ///< double precision
  PostgresValues& text(std::string_view value);
  PostgresValues& bytes(std::span<const std::byte> value);  ///< bytea
  /// Adds a text. The server converts the text to the type that the statement needs, such as an
  /// array or numeric.
  PostgresValues& literal(std::string_view value);

 private:
  friend class Postgres;
  struct Value {
    unsigned type;  // OID; with 0, the server determines the type
    bool binary;
    std::string bytes;
  };
  PostgresValues& add(unsigned type, bool binary, std::string bytes);

  std::vector<Value> values_;
};

/// The rows of a result, in binary format. Integers of any width are accepted. Rows and columns are
/// numbered from 0. Reading a value throws BugError if it is null or its length does not fit.
class PostgresRows {
 public:
  [[nodiscard]] int count() const;
  [[nodiscard]] bool is_null(int row, int column) const;
  [[nodiscard]] std::int64_t integer(int row,
                                     int column) const;    ///< smallint, int, bigint, boolean
  [[nodiscard]] double number(int row, int column) const;  ///< real, double precision
  [[nodiscard]] std::string text(int row, int column) const;
  /// The result is valid as long as the rows exist.
  [[nodiscard]] std::span<const std::byte> bytes(int row, int column) const;

 private:
  friend class Postgres;
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

/// One connection. Use it from one thread at a time. A function that reaches its time limit or
/// receives a stop request closes the connection and returns. Errors:
/// - kUnavailable: a temporary error, such as a lost connection, a deadlock, or a server that is
///   starting, stopping, full or a standby. If the statement was a COMMIT, it may have succeeded.
/// - kInvalidInput: a permanent error: a missing permission or schema, or a refusal by one of our
///   functions.
/// - kCancelled: a stop was requested.
/// - kInternal: any other error of the server.
class Postgres {
 public:
  static constexpr std::chrono::seconds kPatience{60};  ///< usual time limit of one call

  /// Connects as libpq does, within connect_timeout or ten seconds. Unless `address.insecure`,
  /// refuses connections that why_insecure() rejects, and unencrypted connections to another
  /// machine. Refuses servers with a version before 15. Also refuses servers that may lose
  /// acknowledged data because fsync, full_page_writes or synchronous_commit is off.
  static Result<Postgres> connect(const DatabaseAddress& address, const std::stop_token& stop);

  /// Runs one statement and returns its rows.
  Result<PostgresRows> ask(const char* sql, const PostgresValues& values = {},
                           const std::stop_token& stop = {},
                           std::chrono::milliseconds patience = kPatience);
  /// Runs statements without values. Ignores their rows.
  [[nodiscard]] std::optional<Error> execute(const std::string& script,
                                             const std::stop_token& stop = {});
  /// Returns false if the connection was lost or closed.
  [[nodiscard]] bool connected() const { return connection_ != nullptr; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Finish {
    void operator()(pg_conn* connection) const;
  };
  explicit Postgres(pg_conn* connection) : connection_(connection) {}

  /// Waits until the connection is established.
  [[nodiscard]] std::optional<Error> establish(const std::stop_token& stop,
                                               std::chrono::seconds patience);
  /// Returns an error if the connection is insecure.
  [[nodiscard]] std::optional<Error> check_security(const DatabaseAddress& address) const;
  /// Returns an error if the server is too old or may lose data.
  [[nodiscard]] std::optional<Error> check_server(const std::stop_token& stop);
  /// Blocks until the connection's socket is ready. Returns an error if a stop is requested or
  /// `end` passes before the socket is ready.
  [[nodiscard]] std::optional<Error> wait(bool to_read, bool to_write, const std::stop_token& stop,
                                          Clock::time_point end) const;
  /// Waits for the result of the statement that was sent. If the result is incomplete, closes the
  /// connection.
  Result<PostgresRows> answer(const std::stop_token& stop, Clock::time_point end);
  /// Sends all remaining data and reads all results. Returns the last result, or the first error.
  Result<PostgresRows> collect(const std::stop_token& stop, Clock::time_point end);
  /// Returns the error kUnavailable with libpq's message.
  [[nodiscard]] Error lost() const;

  std::unique_ptr<pg_conn, Finish> connection_;
};

}  // namespace manyply

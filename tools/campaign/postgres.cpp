#include "tools/campaign/postgres.h"

#include <arpa/inet.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "core/base/check.h"

namespace manyply {
namespace {

Error refusal(std::string message) {
  return {ErrorCode::kInvalidInput, "database", 0, std::move(message)};
}

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

/// Calls visit(name, value) for each option that has a value.
template <typename Visit>
void for_each_value(const Options& options, const Visit& visit) {
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr && *option->val != '\0') visit(option->keyword, option->val);
  }
}

/// Returns the value of a parameter; empty if it is absent.
std::string_view value_of(const DatabaseParameters& parameters, std::string_view name) {
  const auto at = parameters.find(name);
  return at != parameters.end() ? std::string_view(at->second) : std::string_view();
}

bool is_loopback(const std::string& address) {
  in_addr v4{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

/// Splits a list of hosts at commas. As in libpq, an empty list is one empty host.
std::vector<std::string> hosts_in(std::string_view list) {
  std::vector<std::string> hosts;
  for (;;) {
    const std::size_t comma = list.find(',');
    hosts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return hosts;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<DatabaseParameters> connection_parameters(const DatabaseAddress& address) {
  DatabaseParameters parameters;
  const Options defaults(PQconndefaults());
  if (!defaults) return refusal("libpq cannot read the service file or the environment variables");
  for_each_value(defaults, [&](const char* name, const char* value) { parameters[name] = value; });
  if (address.conninfo.empty()) return parameters;

  char* complaint = nullptr;
  const Options given(PQconninfoParse(address.conninfo.c_str(), &complaint));
  if (!given) {
    // libpq's message may quote the text, and the text may contain a password. So the message is
    // not shown.
    PQfreemem(complaint);
    return refusal("is not a connection string such as \"host=db.example dbname=perft\"");
  }
  std::optional<Error> error;
  for_each_value(given, [&](const char* name, const char* value) {
    const std::string_view known = name;
    if (known == "password" || known == "sslpassword") {
      error = refusal(
          "a password here would be visible in the list of processes; write it to a "
          "password file (PGPASSFILE)");
    }
    if (known == "service")
      error = refusal("set PGSERVICE to the service instead, so that its settings can be checked");
    parameters[name] = value;
  });
  if (error) return *std::move(error);
  return parameters;
}

bool is_local_host(std::string_view host) {
  return host.empty() || host.front() == '/' || host.front() == '@' || host == "localhost" ||
         is_loopback(std::string(host));
}

std::optional<Error> why_insecure(const DatabaseParameters& parameters) {
  const std::string_view mode = value_of(parameters, "sslmode");
  if (mode == "require" || mode == "verify-ca" || mode == "verify-full") return std::nullopt;
  // If hostaddr is set, libpq connects to this address and uses host only as a name.
  const std::string_view addresses = value_of(parameters, "hostaddr");
  for (const std::string& host :
       hosts_in(addresses.empty() ? value_of(parameters, "host") : addresses)) {
    if (!is_local_host(host)) {
      return refusal(
          "'" + host +
          "' is another machine: set sslmode=verify-full (or require), or use --insecure");
    }
  }
  return std::nullopt;
}

namespace {

// OIDs of PostgreSQL's built-in types. They never change.
constexpr unsigned kBytea = 17;
constexpr unsigned kBigint = 20;
constexpr unsigned kText = 25;
constexpr unsigned kDouble = 701;

constexpr int kBinary = 1;
constexpr std::chrono::seconds kConnectPatience{10};
/// Time between checks for a stop request while a call waits for the server.
constexpr std::chrono::milliseconds kGlance{20};

/// Returns the bytes of `word`, highest first. This is PostgreSQL's binary format.
template <typename Word>
std::string big_endian(Word word) {
  std::string bytes(sizeof word, '\0');
  for (std::size_t i = 0; i < sizeof word; ++i)
    bytes[sizeof word - 1 - i] = static_cast<char>(word >> (8 * i));
  return bytes;
}

/// Returns the lines of a libpq message as one line. Removes the line end at the end of the
/// message.
std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

Error unavailable(std::string message) {
  return {ErrorCode::kUnavailable, "database", 0, one_line(std::move(message))};
}

/// Returns the error code for a SQLSTATE: temporary, permanent or unexpected (see Postgres).
ErrorCode code_of(std::string_view state) {
  const auto is = [&](std::string_view begin) { return state.starts_with(begin); };
  // Temporary errors concern the connection, a rollback, resources, an intervention by the
  // operator, the system, a lock that is not available, or a standby, which cannot write.
  if (state.empty() || is("08") || is("40") || is("53") || is("57") || is("58") || is("55P03") ||
      is("25006"))
    return ErrorCode::kUnavailable;
  // Permanent errors are a missing permission, schema, table, function or role, an exception of our
  // functions, or a duplicate key.
  if (is("42501") || is("3F") || is("42P01") || is("42883") || is("28") || is("P0") || is("23505"))
    return ErrorCode::kInvalidInput;
  return ErrorCode::kInternal;
}

Error error_of(const PGresult* result) {
  const auto field = [result](int which) -> std::string {
    const char* const text = PQresultErrorField(result, which);
    return text != nullptr ? text : "";
  };
  const std::string state = field(PG_DIAG_SQLSTATE);
  std::string message = field(PG_DIAG_MESSAGE_PRIMARY);
  if (message.empty()) message = PQresultErrorMessage(result);
  if (state == "3F000" || state == "42P01" || state == "42883")
    message += " (has 'perft campaign init' been run here, by this version?)";
  return {code_of(state), "database", 0, one_line(std::move(message))};
}

/// Returns the time limit for connecting. libpq applies connect_timeout only in its blocking calls,
/// which this file does not use.
std::chrono::seconds connect_patience(const DatabaseParameters& parameters) {
  const int seconds = std::atoi(std::string(value_of(parameters, "connect_timeout")).c_str());
  return seconds > 0 ? std::chrono::seconds(seconds) : kConnectPatience;
}

void drop_notice(void* /*unused*/, const PGresult* /*unused*/) {}

}  // namespace

PostgresValues& PostgresValues::add(unsigned type, bool binary, std::string bytes) {
  values_.push_back({type, binary, std::move(bytes)});
  return *this;
}
PostgresValues& PostgresValues::integer(std::int64_t value) {
  return add(kBigint, true, big_endian(static_cast<std::uint64_t>(value)));
}
PostgresValues& PostgresValues::number(double value) {
  return add(kDouble, true, big_endian(std::bit_cast<std::uint64_t>(value)));
}
PostgresValues& PostgresValues::text(std::string_view value) {
  return add(kText, true, std::string(value));
}
PostgresValues& PostgresValues::bytes(std::span<const std::byte> value) {
  return add(kBytea, true, std::string(reinterpret_cast<const char*>(value.data()), value.size()));
}
PostgresValues& PostgresValues::literal(std::string_view value) {
  return add(0, false, std::string(value));
}

void PostgresRows::Clear::operator()(pg_result* result) const { PQclear(result); }
void Postgres::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }

int PostgresRows::count() const { return result_ ? PQntuples(result_.get()) : 0; }

bool PostgresRows::is_null(int row, int column) const {
  MANYPLY_CHECK(row >= 0 && row < count() && column >= 0 && column < PQnfields(result_.get()));
  return PQgetisnull(result_.get(), row, column) != 0;
}

std::span<const std::byte> PostgresRows::bytes(int row, int column) const {
  MANYPLY_CHECK(!is_null(row, column));
  return {reinterpret_cast<const std::byte*>(PQgetvalue(result_.get(), row, column)),
          static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::string PostgresRows::text(int row, int column) const {
  const auto value = bytes(row, column);
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

std::int64_t PostgresRows::integer(int row, int column) const {
  const auto value = bytes(row, column);
  MANYPLY_CHECK(value.size() == 1 || value.size() == 2 || value.size() == 4 || value.size() == 8);
  std::uint64_t word = 0;
  for (const std::byte byte : value) word = word << 8 | std::to_integer<std::uint64_t>(byte);
  const int unused_bits = 64 - 8 * static_cast<int>(value.size());
  return static_cast<std::int64_t>(word << unused_bits) >> unused_bits;
}

double PostgresRows::number(int row, int column) const {
  const auto word = static_cast<std::uint64_t>(integer(row, column));
  if (bytes(row, column).size() == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(word));
  MANYPLY_CHECK(bytes(row, column).size() == 8);
  return std::bit_cast<double>(word);
}

Result<Postgres> Postgres::connect(const DatabaseAddress& address, const std::stop_token& stop) {
  Result<DatabaseParameters> read = connection_parameters(address);
  if (!read) return read.error();
  DatabaseParameters parameters = std::move(read).value();
  if (!address.insecure) {
    if (auto error = why_insecure(parameters)) return *std::move(error);
  }
  // Detect a lost network in seconds. With TCP's defaults, this takes a quarter of an hour. The
  // user's values, which are already in the map, take precedence.
  for (const auto& [name, value] :
       {std::pair{"tcp_user_timeout", "6000"}, std::pair{"keepalives_idle", "5"},
        std::pair{"keepalives_interval", "2"}, std::pair{"keepalives_count", "3"},
        std::pair{"fallback_application_name", "perft campaign"}})
    parameters.emplace(name, value);
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : parameters) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);

  Postgres postgres(PQconnectStartParams(names.data(), values.data(), 0));
  if (!postgres.connection_) return Error{ErrorCode::kUnavailable, "", 0, "out of memory"};
  if (auto error = postgres.establish(stop, connect_patience(parameters))) return *std::move(error);
  if (auto error = postgres.check_security(address)) return *std::move(error);
  if (auto error = postgres.check_server(stop)) return *std::move(error);
  return postgres;
}

std::optional<Error> Postgres::establish(const std::stop_token& stop,
                                         std::chrono::seconds patience) {
  PGconn* const connection = connection_.get();
  PQsetNoticeReceiver(connection, drop_notice, nullptr);
  const Clock::time_point end = Clock::now() + patience;
  if (PQstatus(connection) == CONNECTION_BAD) return lost();
  for (PostgresPollingStatusType status = PGRES_POLLING_WRITING; status != PGRES_POLLING_OK;
       status = PQconnectPoll(connection)) {
    if (status == PGRES_POLLING_FAILED) return lost();
    if (auto error =
            wait(status == PGRES_POLLING_READING, status == PGRES_POLLING_WRITING, stop, end))
      return error;
  }
  PQsetnonblocking(connection, 1);
  return std::nullopt;
}

std::optional<Error> Postgres::check_security(const DatabaseAddress& address) const {
  if (address.insecure || PQsslInUse(connection_.get()) != 0) return std::nullopt;
  // Check the address, not the name. A host name like "localhost" may resolve to another machine.
  const std::string host = PQhostaddr(connection_.get());
  if (is_local_host(host)) return std::nullopt;
  return refusal("the connection to " + host + " is not encrypted; set sslmode=verify-full");
}

std::optional<Error> Postgres::check_server(const std::stop_token& stop) {
  constexpr int kOldest = 150'000;
  if (PQserverVersion(connection_.get()) < kOldest)
    return refusal("campaigns need PostgreSQL 15 or newer");
  const Result<PostgresRows> settings =
      ask("SELECT name FROM pg_settings WHERE setting = 'off' AND "
          "name IN ('fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name",
          {}, stop);
  if (!settings) return settings.error();
  if (settings->count() > 0)
    return refusal("the server may lose commits that it acknowledged: " + settings->text(0, 0) +
                   " is off");
  return std::nullopt;
}

Result<PostgresRows> Postgres::ask(const char* sql, const PostgresValues& values,
                                   const std::stop_token& stop,
                                   std::chrono::milliseconds patience) {
  if (!connection_) return unavailable("the connection to the server is lost");
  std::vector<Oid> types;
  std::vector<const char*> texts;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const PostgresValues::Value& value : values.values_) {
    types.push_back(value.type);
    texts.push_back(value.bytes.c_str());
    lengths.push_back(static_cast<int>(value.bytes.size()));
    formats.push_back(value.binary ? kBinary : 0);
  }
  if (PQsendQueryParams(connection_.get(), sql, static_cast<int>(types.size()), types.data(),
                        texts.data(), lengths.data(), formats.data(), kBinary) == 0) {
    Error error = lost();
    connection_.reset();
    return error;
  }
  return answer(stop, Clock::now() + patience);
}

std::optional<Error> Postgres::execute(const std::string& script, const std::stop_token& stop) {
  if (!connection_) return unavailable("the connection to the server is lost");
  if (PQsendQuery(connection_.get(), script.c_str()) == 0) {
    Error error = lost();
    connection_.reset();
    return error;
  }
  const Result<PostgresRows> rows = answer(stop, Clock::now() + kPatience);
  if (!rows) return rows.error();
  return std::nullopt;
}

Result<PostgresRows> Postgres::answer(const std::stop_token& stop, Clock::time_point end) {
  Result<PostgresRows> rows = collect(stop, end);
  // If the answer was not read completely, close the connection. Otherwise the next statement would
  // read the remaining data.
  const bool unfinished = PQtransactionStatus(connection_.get()) == PQTRANS_ACTIVE;
  if (unfinished || PQstatus(connection_.get()) == CONNECTION_BAD) connection_.reset();
  return rows;
}

Result<PostgresRows> Postgres::collect(const std::stop_token& stop, Clock::time_point end) {
  PGconn* const connection = connection_.get();
  for (int left = 1; left != 0;) {
    left = PQflush(connection);
    if (left < 0) return lost();
    if (left == 0) break;
    // The server may send data before it has read the whole statement. It may then stop reading
    // until we have received these data.
    if (auto error = wait(true, true, stop, end)) return *std::move(error);
    if (PQconsumeInput(connection) == 0) return lost();
  }
  PostgresRows rows;
  std::optional<Error> error;
  for (;;) {
    while (PQisBusy(connection) != 0) {
      if (auto interrupted = wait(true, false, stop, end)) return *std::move(interrupted);
      if (PQconsumeInput(connection) == 0) return lost();
    }
    PostgresRows next;
    next.result_.reset(PQgetResult(connection));
    if (!next.result_) break;
    const ExecStatusType status = PQresultStatus(next.result_.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
      if (!error) error = error_of(next.result_.get());
    } else {
      rows = std::move(next);
    }
  }
  if (error) return *std::move(error);
  return rows;
}

std::optional<Error> Postgres::wait(bool to_read, bool to_write, const std::stop_token& stop,
                                    Clock::time_point end) const {
  const auto events = static_cast<short>((to_read ? POLLIN : 0) | (to_write ? POLLOUT : 0));
  for (;;) {
    if (stop.stop_requested()) return cancelled();
    if (Clock::now() >= end) return unavailable("the server did not answer in time");
    pollfd socket{PQsocket(connection_.get()), events, 0};
    if (socket.fd < 0) return lost();
    const int ready = poll(&socket, 1, static_cast<int>(kGlance.count()));
    if (ready > 0) return std::nullopt;
    if (ready < 0 && errno != EINTR)
      return unavailable(std::error_code(errno, std::generic_category()).message());
  }
}

Error Postgres::lost() const { return unavailable(PQerrorMessage(connection_.get())); }

}  // namespace manyply

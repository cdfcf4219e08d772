#include "tools/campaign/database_address.h"

#include <arpa/inet.h>
#include <libpq-fe.h>

#include <memory>
#include <optional>

namespace manyply {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

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

/// Sets a parameter; replaces an earlier value.
void put(Parameters& parameters, const std::string& name, std::string value) {
  for (auto& [known, old] : parameters) {
    if (known == name) {
      old = std::move(value);
      return;
    }
  }
  parameters.emplace_back(name, std::move(value));
}

/// Returns the value of a parameter; empty if it is absent.
std::string_view value_of(const Parameters& parameters, std::string_view name) {
  for (const auto& [known, value] : parameters) {
    if (known == name) return value;
  }
  return {};
}

bool is_loopback(const std::string& address) {
  in_addr v4{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

/// Splits a list of hosts at commas. An empty list gives one empty host, as libpq has it.
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

Result<std::vector<std::pair<std::string, std::string>>> connection_parameters(
    const DatabaseAddress& address) {
  Parameters parameters;
  const Options defaults(PQconndefaults());
  if (!defaults) return refusal("the service file or the environment makes no sense to libpq");
  for_each_value(defaults,
                 [&](const char* name, const char* value) { put(parameters, name, value); });
  if (address.conninfo.empty()) return parameters;

  char* complaint = nullptr;
  const Options given(PQconninfoParse(address.conninfo.c_str(), &complaint));
  if (!given) {
    // libpq's message may quote the text, which may contain a password, so it is not shown.
    PQfreemem(complaint);
    return refusal("is no connection string such as \"host=db.example dbname=perft\"");
  }
  std::optional<Error> error;
  for_each_value(given, [&](const char* name, const char* value) {
    const std::string_view known = name;
    if (known == "password" || known == "sslpassword") {
      error = refusal(
          "a password here would stand in the list of processes; write it to the file that "
          "PGPASSFILE names");
    }
    if (known == "service")
      error = refusal("name the service in PGSERVICE, so that its settings can be checked");
    put(parameters, name, value);
  });
  if (error) return *std::move(error);
  return parameters;
}

bool is_local_host(std::string_view host) {
  return host.empty() || host.front() == '/' || host.front() == '@' || host == "localhost" ||
         is_loopback(std::string(host));
}

std::optional<Error> why_insecure(const Parameters& parameters) {
  const std::string_view mode = value_of(parameters, "sslmode");
  if (mode == "require" || mode == "verify-ca" || mode == "verify-full") return std::nullopt;
  // If hostaddr is set, libpq connects to it and uses host only as a name.
  const std::string_view addresses = value_of(parameters, "hostaddr");
  for (const std::string& host :
       hosts_in(addresses.empty() ? value_of(parameters, "host") : addresses)) {
    if (!is_local_host(host)) {
      return refusal("'" + host +
                     "' is another machine: set sslmode=verify-full (or require), or say "
                     "--insecure");
    }
  }
  return std::nullopt;
}

}  // namespace manyply

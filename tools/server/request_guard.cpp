#include "tools/server/request_guard.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "core/base/ascii.h"
#include "tools/server/http/problem.h"

namespace manyply {
namespace {

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns the host without the port, from "host", "host:port" or "[::1]:port"; nullopt if it has
/// none of these forms.
std::optional<std::string> host_name(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view rest = host.substr(end + 1);
    if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return std::nullopt;
    return std::string(host.substr(1, end - 1));
  }
  const std::size_t colon = host.find(':');
  if (colon != std::string_view::npos && !is_port(host.substr(colon + 1))) return std::nullopt;
  std::string name = to_lower(host.substr(0, colon));
  if (name.empty()) return std::nullopt;
  return name;
}

/// Returns whether `name` is localhost or an IP address, which DNS cannot redirect to this machine.
bool names_a_machine_directly(const std::string& name) {
  std::array<unsigned char, 16> address{};
  return name == "localhost" || inet_pton(AF_INET, name.c_str(), address.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), address.data()) == 1;
}

}  // namespace

std::variant<Client, HttpResponse> RequestGuard::admit(const HttpRequest& request,
                                                       Role needed) const {
  const auto host = request.header("Host");
  const auto name = host && request.header_count("Host") == 1 ? host_name(*host) : std::nullopt;
  if (!name) return problem(400, "the request must have exactly one Host header");
  if (!options_.clients && !names_a_machine_directly(*name)) {
    return problem(421,
                   "without access control, this server accepts only localhost and IP addresses as "
                   "Host; start it with --token-file for other names");
  }

  if (const auto origin = request.header("Origin")) {
    const std::string from = to_lower(*origin);
    const std::string own = to_lower(*host);
    if (request.header_count("Origin") != 1 ||
        (from != "http://" + own && from != "https://" + own))
      return problem(403, "requests from pages of other sites are refused");
  } else if (const auto site = request.header("Sec-Fetch-Site");
             site && (*site == "cross-site" || *site == "same-site") &&
             request.header("Sec-Fetch-Mode") != "navigate") {
    return problem(403, "requests from pages of other sites are refused");
  }

  if (needed == Role::kNone) return Client{.anonymous = true};
  if (!options_.clients) return Client::anybody();
  return identify(request, needed);
}

std::variant<Client, HttpResponse> RequestGuard::identify(const HttpRequest& request,
                                                          Role needed) const {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view given = request.header("Authorization").value_or("");
  const bool bearer = to_lower(given.substr(0, kScheme.size())) == kScheme &&
                      request.header_count("Authorization") == 1;
  const auto list = options_.clients->now();
  const Client* const client = bearer ? list->find(given.substr(kScheme.size())) : nullptr;
  if (client == nullptr) {
    HttpResponse response =
        problem(401, bearer ? "this token is unknown to the server"
                            : "this server requires a token: send 'Authorization: Bearer TOKEN'");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  if (client->role < needed) {
    return problem(403, "this request requires the role '" + std::string(to_string(needed)) +
                            "', but this token has the role '" +
                            std::string(to_string(client->role)) + "'");
  }
  return *client;
}

const std::vector<std::pair<std::string, std::string>>& security_headers() {
  static const std::vector<std::pair<std::string, std::string>> headers{
      {"Content-Security-Policy",
       "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
       "object-src 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
  };
  return headers;
}

}  // namespace manyply

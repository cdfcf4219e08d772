#include "tools/server/http/listen_address.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <charconv>

namespace manyply {

Result<ListenAddress> parse_listen_address(std::string_view text) {
  const Error refusal{ErrorCode::kInvalidInput, "listen", 0,
                      "'" + std::string(text) +
                          "' is not an address and port such as 127.0.0.1:8080 or [::1]:8080"};
  constexpr std::string_view kUnix = "unix:";
  if (text.starts_with(kUnix)) {
    constexpr std::size_t kLongest = sizeof sockaddr_un::sun_path - 1;
    const std::string_view path = text.substr(kUnix.size());
    if (path.empty() || path.size() > kLongest) {
      return Error{
          ErrorCode::kInvalidInput, "listen", 0,
          "unix: must be followed by a path of 1 to " + std::to_string(kLongest) + " bytes"};
    }
    ListenAddress listen;
    listen.socket = path;
    listen.loopback = true;
    return listen;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refusal;
  const std::string_view port = text.substr(colon + 1);
  ListenAddress listen;
  const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), listen.port);
  if (problem != std::errc{} || end != port.data() + port.size()) return refusal;

  std::string_view host = text.substr(0, colon);
  if (host.empty() || host == "localhost") host = "127.0.0.1";
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  listen.address = bracketed ? host.substr(1, host.size() - 2) : host;
  in_addr v4{};
  in6_addr v6{};
  if (!bracketed && inet_pton(AF_INET, listen.address.c_str(), &v4) == 1) {
    listen.loopback = ntohl(v4.s_addr) >> 24 == 127;
  } else if (bracketed && inet_pton(AF_INET6, listen.address.c_str(), &v6) == 1) {
    listen.loopback = IN6_IS_ADDR_LOOPBACK(&v6) != 0;
  } else {
    return refusal;
  }
  return listen;
}

std::string url_of(const ListenAddress& address, std::string_view base_path) {
  if (!address.socket.empty()) {
    const bool plain = base_path == "/" && address.socket.find(":/") == std::string::npos;
    return "unix:" + address.socket + (plain ? "" : ":" + std::string(base_path));
  }
  const bool v6 = address.address.find(':') != std::string::npos;
  return "http://" + (v6 ? "[" + address.address + "]" : address.address) + ':' +
         std::to_string(address.port) + std::string(base_path);
}

}  // namespace manyply

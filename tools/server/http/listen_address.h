// Addresses to listen on: "127.0.0.1:8080", "[::1]:8080", "localhost:8080", "unix:/run/perft.sock".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace manyply {

/// A parsed address: either IP address and port, or a socket path.
struct ListenAddress {
  std::string address;  ///< an IP address
  std::uint16_t port = 0;
  bool loopback = false;  ///< reachable only from this machine
  std::string socket;     ///< path of a Unix domain socket; if set, the other members are unused
};

/// Parses an address. Port 0 means any free port. Without a host, ":8080" listens on the loopback
/// address.
Result<ListenAddress> parse_listen_address(std::string_view text);

/// Returns the URL for a browser: "http://127.0.0.1:8080/perft/". For a socket, returns the address
/// that client commands accept: "unix:PATH" or "unix:PATH:/perft/". `base_path` begins and ends
/// with a slash.
[[nodiscard]] std::string url_of(const ListenAddress& address, std::string_view base_path = "/");

}  // namespace manyply

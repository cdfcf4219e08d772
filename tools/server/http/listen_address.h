// Where a server listens: "127.0.0.1:8080", "[::1]:8080", "localhost:8080", "unix:/run/perft.sock".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace manyply {

struct ListenAddress {
  std::string address;  ///< an IP address
  std::uint16_t port = 0;
  bool loopback = false;  ///< only this machine can reach it
  std::string socket;     ///< instead of all that: the path of a Unix domain socket
};

/// The port may be 0: any that is free. The host may be left out: ":8080" is this machine alone.
Result<ListenAddress> parse_listen_address(std::string_view text);

/// What a browser is given: "http://127.0.0.1:8080/perft/"; of a socket, what the commands that ask
/// a server take: "unix:PATH", or "unix:PATH:/perft/". `base_path` has slashes around it.
[[nodiscard]] std::string url_of(const ListenAddress& address, std::string_view base_path = "/");

}  // namespace manyply

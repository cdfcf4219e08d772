// Addresses to listen on: "127.0.0.1:8080", "[::1]:8080", "localhost:8080", "unix:/run/perft.sock".
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace manyply {

/// A parsed address: either IP address and port, or a socket path.
struct ListenAddress {
  std::string address;  ///< an IP address
  std::uint16_t port = 0;
  bool loopback = false;  ///< reachable only from this machine
  std::string socket;     ///< path of a Unix domain socket; if set, `address` and `port` are unused
};

/// Parses an address. Port 0 means any free port. An address without a host, such as ":8080", means
/// the loopback address. Error kInvalidInput, field "listen".
Result<ListenAddress> parse_listen_address(std::string_view text);

/// Returns the URL for a browser: "http://127.0.0.1:8080/perft/". For a socket, returns the address
/// that client commands accept: "unix:PATH" or "unix:PATH:/perft/". `base_path` begins and ends
/// with a slash.
[[nodiscard]] std::string url_of(const ListenAddress& address, std::string_view base_path = "/");

// Claims the path of a Unix domain socket.

/// The right to bind a socket at a path. Only one process at a time has this right, until the
/// object is destroyed or the process ends. The right is a lock (flock) on the file PATH.lock
/// beside the socket.
class SocketFile {
 public:
  /// Claims `path`. Removes a stale socket that a killed server left there. Error kUnavailable:
  /// another server listens at the path or is about to listen, the file at the path is not a
  /// socket, or the file system reports an error.
  static Result<std::unique_ptr<SocketFile>> claim(const std::string& path);

  /// Records that the caller has bound the socket to the path.
  void bound();

  /// Removes the lock file and the socket. Does not remove a socket that another process has put at
  /// the path.
  ~SocketFile();
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;

 private:
  SocketFile(std::string path, int lock);

  const std::string path_;
  const int lock_;
  struct stat own_{};
};

}  // namespace manyply

// The file of a Unix domain socket.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "core/result.h"

namespace manyply {

/// Takes the file away in the end, unless another one is at its path by then.
class SocketFile {
 public:
  /// Of a socket that has just been bound to `path`.
  explicit SocketFile(std::string path);
  ~SocketFile();
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;

  /// Takes away the socket that is at `path`, if nobody listens to it: a killed server's. Errors:
  /// kUnavailable, if somebody does, or if it is no socket.
  [[nodiscard]] static std::optional<Error> make_way(const std::string& path);

 private:
  const std::string path_;
  struct stat own_{};
};

}  // namespace manyply

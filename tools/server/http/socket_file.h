// Claims the path of a Unix domain socket.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>

#include "core/base/result.h"

namespace manyply {

/// The right to bind a socket at a path. Only one process has it at a time, until the object is
/// destroyed or the process ends. It is a flock on a file beside the socket, PATH.lock.
class SocketFile {
 public:
  /// Claims `path`. Removes a stale socket there, which a killed server left. Fails with
  /// kUnavailable if a server listens at the path or is about to, or if the file is not a socket.
  static Result<std::unique_ptr<SocketFile>> claim(const std::string& path);

  /// Records that the caller has bound the socket to the path.
  void bound();

  /// Removes both files, except a socket that another process has put at the path.
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

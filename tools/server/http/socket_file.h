// The file of a Unix domain socket.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>

#include "core/result.h"

namespace manyply {

/// A path at which one server at a time may bind its socket. Of those that come at once one has it,
/// until it is destroyed or its process ends: a file beside it, PATH.lock, is locked by flock.
class SocketFile {
 public:
  /// Takes away the socket that is at `path`, if nobody listens to it: a killed server's. Errors:
  /// kUnavailable, if somebody does, or is about to, or if it is no socket.
  static Result<std::unique_ptr<SocketFile>> claim(const std::string& path);

  /// Takes ownership of the socket that was just bound to the path.
  void bound();

  /// Takes both files away, the socket unless another one is at its path by then.
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

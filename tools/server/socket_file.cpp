#include "tools/server/socket_file.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace manyply {
namespace {

/// 0, or why nobody answers at `path`.
int connect_problem(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return errno;
  const int problem =
      connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  close(probe);
  return problem;
}

}  // namespace

SocketFile::SocketFile(std::string path) : path_(std::move(path)) {
  if (lstat(path_.c_str(), &own_) != 0) own_ = {};
}

SocketFile::~SocketFile() {
  struct stat there{};
  if (lstat(path_.c_str(), &there) == 0 && there.st_dev == own_.st_dev &&
      there.st_ino == own_.st_ino)
    unlink(path_.c_str());
}

std::optional<Error> SocketFile::make_way(const std::string& path) {
  const auto problem = [&](const std::string& what) {
    return Error{ErrorCode::kUnavailable, "listen", 0, path + ": " + what};
  };
  struct stat there{};
  if (lstat(path.c_str(), &there) != 0)
    return errno == ENOENT ? std::nullopt
                           : std::optional(problem(std::generic_category().message(errno)));
  if (!S_ISSOCK(there.st_mode)) return problem("is there already, and no socket");
  const int why = connect_problem(path);
  if (why != ECONNREFUSED)  // nobody has bound it any more
    return problem(why == 0 || why == EAGAIN ? "another server listens there"
                                             : std::generic_category().message(why));
  if (unlink(path.c_str()) != 0) return problem(std::generic_category().message(errno));
  return std::nullopt;
}

}  // namespace manyply

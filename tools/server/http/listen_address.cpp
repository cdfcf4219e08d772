// Addresses to listen on, and the files of Unix domain sockets.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "tools/server/http/http_server.h"

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

namespace {

/// Connects to `path`. Returns 0 if a server listens there, otherwise the error number.
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

Error cannot_listen(const std::string& path, const std::string& why) {
  return {ErrorCode::kUnavailable, "listen", 0, path + ": " + why};
}
Error cannot_listen(const std::string& path, int number) {
  return cannot_listen(path, std::generic_category().message(number));
}

std::string lock_path(const std::string& path) { return path + ".lock"; }

bool same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/// Opens and locks the lock file. If the previous owner has deleted the locked file meanwhile,
/// starts again with a new file.
Result<int> lock(const std::string& path) {
  const std::string file = lock_path(path);
  for (;;) {
    const int lock = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0) return cannot_listen(file, errno);
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
      const int why = errno;
      close(lock);
      return why == EWOULDBLOCK ? cannot_listen(path, "another server already listens there")
                                : cannot_listen(file, why);
    }
    struct stat locked{};
    struct stat there{};
    if (fstat(lock, &locked) == 0 && lstat(file.c_str(), &there) == 0 && same_file(locked, there))
      return lock;
    close(lock);
  }
}

std::optional<Error> remove_stale(const std::string& path) {
  struct stat there{};
  if (lstat(path.c_str(), &there) != 0)
    return errno == ENOENT ? std::nullopt : std::optional(cannot_listen(path, errno));
  if (!S_ISSOCK(there.st_mode)) return cannot_listen(path, "exists and is not a socket");
  const int why = connect_problem(path);
  if (why == 0 || why == EAGAIN) return cannot_listen(path, "another server already listens there");
  // ECONNREFUSED means that no process listens at the socket. A server that is about to listen
  // would hold the lock.
  if (why != ECONNREFUSED) return cannot_listen(path, why);
  if (unlink(path.c_str()) != 0) return cannot_listen(path, errno);
  return std::nullopt;
}

}  // namespace

SocketFile::SocketFile(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

Result<std::unique_ptr<SocketFile>> SocketFile::claim(const std::string& path) {
  const Result<int> locked = lock(path);
  if (!locked) return locked.error();
  std::unique_ptr<SocketFile> file(new SocketFile(path, *locked));
  if (auto error = remove_stale(path)) return *std::move(error);
  return file;
}

void SocketFile::bound() {
  if (lstat(path_.c_str(), &own_) != 0) own_ = {};
}

SocketFile::~SocketFile() {
  struct stat there{};
  if (lstat(path_.c_str(), &there) == 0 && same_file(there, own_)) unlink(path_.c_str());
  // Delete the lock file while it is locked. A process that has just opened the file then detects
  // that it was deleted.
  unlink(lock_path(path_).c_str());
  close(lock_);
}

}  // namespace manyply

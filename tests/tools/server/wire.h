// The client's end of a connection, which sends right and wrong bytes.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace manyply {

/// Raises the limit on open files as far as the system allows. Returns the new limit.
inline std::size_t raise_file_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

/// A TCP connection to 127.0.0.1, or a connection to the socket at a path. Reading waits for
/// minutes, because the machine may be busy.
class Wire {
 public:
  explicit Wire(std::uint16_t port, int receive_buffer = 0) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0)
      setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  explicit Wire(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Wire() { close(); }
  Wire(Wire&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)),
        connected_(other.connected_),
        text_(std::move(other.text_)) {}
  Wire& operator=(Wire&&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

  /// Returns false if the other side has closed the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() const { shutdown(fd_, SHUT_WR); }
  /// Makes the system reset the connection when this end is closed.
  void reset_when_closed() const {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }

  /// Reads until `mark` has arrived. Returns the text up to the end of `mark`, or all text if the
  /// connection ends earlier.
  std::string read_to(std::string_view mark) {
    std::size_t at = text_.find(mark);
    while (at == std::string::npos && fill()) at = text_.find(mark);
    const std::size_t end = at == std::string::npos ? text_.size() : at + mark.size();
    std::string read = text_.substr(0, end);
    text_.erase(0, end);
    return read;
  }

  /// Reads one response: head and, according to Content-Length, body.
  std::string response(bool head = false) {
    std::string read = read_to("\r\n\r\n");
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t at = read.find(kLength);
    if (head || at == std::string::npos) return read;
    const auto length = std::strtoul(read.c_str() + at + kLength.size(), nullptr, 10);
    while (text_.size() < length && fill()) {
    }
    read += text_.substr(0, length);
    text_.erase(0, std::min(length, text_.size()));
    return read;
  }

  /// Reads until the other side closes the connection.
  std::string rest() {
    while (fill()) {
    }
    return std::exchange(text_, {});
  }

 private:
  static constexpr int kPatienceMs = 600'000;

  bool fill() {
    pollfd readable{fd_, POLLIN, 0};
    if (poll(&readable, 1, kPatienceMs) != 1) return false;
    char bytes[4096];
    const ssize_t got = recv(fd_, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    text_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  int fd_;
  bool connected_ = false;
  std::string text_;  // received, but not returned yet
};

}  // namespace manyply

// The HTTP/1.1 transport: sockets, limits and time-outs around a function that answers requests.
// Also parses addresses to listen on, such as "127.0.0.1:8080", "[::1]:8080", "localhost:8080" and
// "unix:/run/perft.sock". listen_address.cpp has the functions for addresses.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "tools/server/http/http_message.h"

namespace manyply {

class EventHub;

/// A parsed address: either an IP address and a port, or a socket path.
struct ListenAddress {
  std::string address = "127.0.0.1";  ///< an IP address
  std::uint16_t port = 0;             ///< 0 = any free port
  bool loopback = false;              ///< reachable only from this machine
  std::string socket;  ///< path of a Unix domain socket; if set, `address` and `port` are unused
};

/// Parses an address. Port 0 means any free port. An address without a host, such as ":8080", means
/// the loopback address. Error kInvalidInput, field "listen".
Result<ListenAddress> parse_listen_address(std::string_view text);

/// Returns the URL for a browser: "http://127.0.0.1:8080/perft/". For a socket, returns the address
/// that client commands accept: "unix:PATH" or "unix:PATH:/perft/". `base_path` begins and ends
/// with a slash.
[[nodiscard]] std::string url_of(const ListenAddress& address, std::string_view base_path = "/");

/// The right to bind a Unix domain socket at a path. Only one process at a time has this right,
/// until the object is destroyed or the process ends. The right is a lock (flock) on the file
/// PATH.lock beside the socket.
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

/// Limits on the resources that clients use, in total and per connection.
struct HttpLimits {
  RequestLimits request;
  /// Limit on the memory of all request bodies that are being read, in bytes. Beyond the limit, the
  /// server drops the body that it has been reading for the longest time and responds with 503.
  std::size_t all_body_bytes = std::size_t{16} << 20;
  /// Limit on open connections. Beyond the limit, the server closes the connection whose client has
  /// kept the server waiting longest: the client is idle, or slow to send or receive. The server
  /// never closes a connection whose request is being answered. If no connection can be closed, the
  /// new connection is refused with 503.
  std::size_t connections = 4096;
  std::size_t waiting_requests = 512;  ///< limit on requests in Lane::kDisk; beyond it: 503
  std::size_t waiting_heavy = 32;      ///< limit on waiting requests in kHeavy; beyond it: 503
  std::chrono::milliseconds read_timeout{std::chrono::seconds(10)};  ///< for receiving a request
  std::chrono::milliseconds idle_timeout{std::chrono::seconds(60)};  ///< between requests
  /// Time limit for sending the next bytes of a response, or one event.
  std::chrono::milliseconds write_timeout{std::chrono::seconds(10)};
  /// Interval at which an event stream without events sends a comment.
  std::chrono::milliseconds heartbeat{std::chrono::seconds(15)};
  /// Time for a client to read a refusal while it is still sending.
  std::chrono::milliseconds linger{std::chrono::seconds(2)};
};

/// Facts about an answered request, or an ended event stream, for logs and metrics.
struct RequestRecord {
  std::string_view method;
  std::string_view path;    ///< target without its query; empty if the request could not be parsed
  std::string_view client;  ///< IP address of the client; "unix" for a Unix domain socket
  std::string_view id;      ///< HttpRequest::id
  int status = 0;
  std::uint64_t bytes = 0;  ///< of the response body
  /// Time from the start of reading the request to the last byte of the response.
  std::chrono::nanoseconds taken{0};
  bool stream = false;  ///< an event stream; `taken` is the time for which the stream was open
};

/// Counters of the transport. Counters marked "now" are current values. All other counters include
/// everything since the start.
struct TransportStats {
  std::size_t connections = 0;  ///< now
  /// now: number of event streams, plus number of requests that wait for the end of a topic.
  /// `connections` includes the connections of these streams and requests.
  std::size_t streams = 0;
  std::size_t handling = 0;    ///< now: requests that are being answered or wait for a thread
  std::uint64_t accepted = 0;  ///< connections
  std::uint64_t refused = 0;   ///< connections closed at once because too many were open
  /// Idle or slow connections that were closed, and request bodies that were dropped, to make room.
  std::uint64_t evicted = 0;
  std::uint64_t timeouts = 0;  ///< requests or responses that exceeded a time limit
};

/// Where to listen, and the limits and threads of a server.
struct HttpServerOptions {
  ListenAddress listen;
  /// Mode of the Unix domain socket. The socket is removed at shutdown. A stale socket at its path
  /// is replaced.
  unsigned socket_mode = 0600;
  HttpLimits limits;
  int disk_threads = 8;   ///< for Lane::kDisk
  int heavy_threads = 2;  ///< for Lane::kHeavy
  /// Called after each answered request and each ended event stream, on the I/O thread: must return
  /// soon and must not throw.
  std::function<void(const RequestRecord&)> observer;
};

/// One thread does all socket I/O; other threads answer requests. Thread safety: all functions may
/// be called from any thread. serve() may be called only once.
class HttpServer {
 public:
  /// A function that judges a request by its head. It is called on the I/O thread, so it must
  /// return soon.
  using Judge = std::function<Judgement(const HttpRequest& head)>;

  /// A function that returns the current time, for time-outs only. Null means the system's clock.
  /// It is called on the I/O thread.
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  /// Binds the address. Clients that connect wait until serve() is called. Errors: kInvalidInput
  /// (not an IP address), kUnavailable (not an address of this machine, in use, or not permitted).
  static Result<std::unique_ptr<HttpServer>> bind(HttpServerOptions options, Now now = {});
  /// Calls shutdown() with a patience of zero.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Returns the port that is bound.
  [[nodiscard]] std::uint16_t port() const;

  /// Starts to answer requests. If `judge` or an answer throws, the response is 500. `events`
  /// serves EventStreamAnswers and must outlive the server. If `events` is null, a request with
  /// such an answer receives 404.
  ///
  /// A request in Lane::kHeavy receives a stop request when its client closes the connection or
  /// shuts down its sending half. So a client must keep both directions open until it has the
  /// response.
  void serve(Judge judge, EventHub* events);

  /// Returns the current counters. Any thread.
  [[nodiscard]] TransportStats stats() const;

  /// Stops accepting connections and requests, and ends event streams. Waits for running answers,
  /// but at most for `patience`. Then closes all connections. Returns when all handlers have
  /// returned.
  void shutdown(std::chrono::milliseconds patience);

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace manyply

// The HTTP/1.1 transport: sockets, limits and time-outs around a function that answers requests.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/types.h"
#include "tools/server/http/http_message.h"
#include "tools/server/http/request_reader.h"

namespace manyply {

class EventHub;

/// Limits on the resources that clients use, in total and per client.
struct HttpLimits {
  RequestLimits request;
  /// What has come of all bodies being read at one time. Beyond, the one that has been read for the
  /// longest time gives way: 503.
  std::size_t all_body_bytes = std::size_t{16} << 20;
  /// Beyond, the connection that has kept the server waiting longest makes room: idle, or slow to
  /// send or to take. Never one whose request is being answered; if there are no others, the new
  /// one is told 503 and closed.
  std::size_t connections = 4096;
  std::size_t waiting_requests = 512;  ///< of Lane::kDisk, in progress or not; beyond: 503
  std::size_t waiting_heavy = 32;      ///< of Lane::kHeavy, not in progress; beyond: 503
  std::chrono::milliseconds read_timeout{std::chrono::seconds(10)};   ///< for a whole request
  std::chrono::milliseconds idle_timeout{std::chrono::seconds(60)};   ///< between requests
  std::chrono::milliseconds write_timeout{std::chrono::seconds(10)};  ///< for each 64 KiB or event
  std::chrono::milliseconds heartbeat{std::chrono::seconds(15)};      ///< of event streams
  /// For a client to read the refusal of what it still sends.
  std::chrono::milliseconds linger{std::chrono::seconds(2)};
};

/// A request that has been answered, or an event stream that has ended.
struct RequestRecord {
  std::string_view method;
  std::string_view path;  ///< the target without its query; empty if the request was unreadable
  std::string_view client;
  std::string_view id;
  int status = 0;
  std::uint64_t bytes = 0;            ///< of the answer's body
  std::chrono::nanoseconds taken{0};  ///< from its first byte to its answer's last
  bool stream = false;                ///< an event stream: `taken` says how long it was open
};

/// Told of every request, from the transport's one thread: must return soon and not throw.
using RequestObserver = std::function<void(const RequestRecord&)>;

struct TransportStats {
  std::size_t connections = 0;  ///< now
  std::size_t streams = 0;      ///< now; of the connections
  std::size_t handling = 0;     ///< requests now being answered, or waiting for it
  std::uint64_t accepted = 0;   ///< connections since the start
  std::uint64_t refused = 0;    ///< of those: one too many
  std::uint64_t evicted = 0;    ///< idle or slow ones that had to make room
  std::uint64_t timeouts = 0;   ///< requests or answers that took their clients too long
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";  ///< an IP address
  std::uint16_t port = 0;             ///< 0 = one that is free
  /// Instead of an address: the path of a Unix domain socket, of the rights below, that is taken
  /// away in the end. One that nobody listens to any more is replaced.
  std::string socket;
  unsigned socket_mode = 0600;
  HttpLimits limits;
  int disk_threads = 8;   ///< of Lane::kDisk
  int heavy_threads = 2;  ///< of Lane::kHeavy
  RequestObserver observer;
};

/// One thread moves bytes, others answer. Thread safety: everything from any thread, but serve()
/// once.
class HttpServer {
 public:
  /// Judges a request by its head. Called by the one thread: must return soon.
  using Judge = std::function<Judgement(const HttpRequest& head)>;

  /// Takes the address; clients that connect wait for serve(). Errors: kInvalidInput (no such
  /// address here), kUnavailable (in use, not permitted).
  /// `now` is what clients are late by, and nothing else; null = the system's. Called by the one
  /// thread.
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  static Result<std::unique_ptr<HttpServer>> bind(HttpServerOptions options, Now now = {});
  /// As shutdown(), without patience.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;

  /// Answers from now on. Where judging or answering throws, the answer is 500. `events` answers
  /// EventStreamAnswers and outlives the server; without it they are 404.
  ///
  /// A heavy request is told to stop when its client has closed the connection, or its sending half
  /// of it: who wants the answer keeps both open.
  void serve(Judge judge, EventHub* events);

  [[nodiscard]] TransportStats stats() const;

  /// Takes no more connections and no more requests, lets answers in progress finish, ends
  /// streams, and returns when all are closed: after `patience` at the latest, and what a handler
  /// in progress takes beyond that.
  void shutdown(std::chrono::milliseconds patience);

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace manyply

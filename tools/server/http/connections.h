// The transport's connections: which ones wait for their clients, how much memory request bodies
// use, and which connection is closed to make room. Only the transport's own files include this
// header. All other files include http_server.h, which does not include Boost.
#pragma once

#include <atomic>
#include <boost/asio.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "tools/server/http/event_hub.h"
#include "tools/server/http/http_server.h"

namespace manyply {

/// Completion token that returns errors as values: `co_await operation(…, kAwait)` yields (error,
/// result).
inline constexpr auto kAwait = boost::asio::as_tuple(boost::asio::use_awaitable);

/// Statistics, written by the I/O thread and read by any thread.
struct TransportCounters {
  std::atomic<std::size_t> connections{0}, streams{0}, handling{0};
  std::atomic<std::uint64_t> accepted{0}, refused{0}, evicted{0}, timeouts{0};

  /// Any thread.
  [[nodiscard]] TransportStats read() const {
    return {connections, streams, handling, accepted, refused, evicted, timeouts};
  }
};

// Adds one. Relaxed memory order is sufficient, because the counters publish no other data.
template <typename T>
void increment(std::atomic<T>& counter) {
  counter.fetch_add(1, std::memory_order_relaxed);
}

/// One client connection. Used only by the I/O thread.
struct Connection {
  using Clock = std::chrono::steady_clock;
  /// The current activity of a connection.
  enum class State : std::uint8_t {
    kIdle,     // no byte of the next request has arrived
    kReading,  // part of a request has arrived
    kBusy,     // a handler answers its request, or the request waits for a handler
    kWriting,
    /// An event stream with nothing to send, or a request that waits for the end of a topic.
    kFollowing,
    /// The response has been sent. The server reads and drops further data from the client.
    kLingering,
  };

  explicit Connection(boost::asio::generic::stream_protocol::socket s)
      : socket(std::move(s)), wake(socket.get_executor()) {}

  boost::asio::generic::stream_protocol::socket socket;
  // Wakes an event stream, or a request that waits for its turn or for the end of a topic.
  boost::asio::steady_timer wake;
  std::string input;  // received, not parsed yet
  std::string client;
  State state = State::kIdle;
  Clock::time_point deadline = Clock::time_point::max();
  std::list<Connection*>::iterator place;  // in Connections::waiting_, if `waits` is true
  /// The server waits until the client sends or receives data.
  bool waits = false;
  bool timed_out = false;
  bool evicted = false;
  /// Either the server closes all connections, or the client has disconnected while it received an
  /// event stream or waited for the end of a topic.
  bool gone = false;

  std::size_t body_bytes = 0;  // memory of the request body; included in Connections::body_bytes_
  bool made_room = false;      // the server dropped the body to make room for other bodies

  // Only for a request in Lane::kHeavy:
  bool watched = false;   // the transport checks whether the client disconnects
  bool has_turn = false;  // the request may occupy a thread of the lane
  std::stop_source stop;
};

/// The set of open connections. Used only by the I/O thread.
class Connections {
 public:
  using Now = std::function<Connection::Clock::time_point()>;

  /// `emptied` is called each time the last connection has closed. `now` returns the current time;
  /// if null, the system's clock is used.
  Connections(const HttpLimits& limits, TransportCounters& counters, std::function<void()> emptied,
              Now now);

  /// Keeps a connection in the set as long as this object exists. The destructor closes the
  /// connection.
  class Member {
   public:
    Member(Connections& all, const std::shared_ptr<Connection>& connection);
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

   private:
    Connections& all_;
    Connection& connection_;
    std::list<std::shared_ptr<Connection>>::iterator place_;
  };

  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] bool full() const { return all_.size() >= limits_.connections; }

  /// Marks `connection` as waiting for its client. From now on, the connection may be closed to
  /// make room. After `timeout`, the connection is overdue.
  void wait_for_client(Connection& connection, Connection::State state,
                       std::chrono::milliseconds timeout);
  /// Ends the waiting state.
  void stop_waiting(Connection& connection);
  /// Closes the connection that has waited for its client longest. Returns false if none waits.
  bool evict_one();

  /// Records that the body of `connection` now uses `bytes` of memory. This number depends on the
  /// bytes that have arrived, not on the announced length. While all bodies together are too large,
  /// drops the body that the server has been reading for the longest time. If that is the body of
  /// `connection`, does not drop it, but returns false. The caller must then refuse the request.
  bool charge_body(Connection& connection, std::size_t bytes);
  /// Records that the connection's body uses no memory any more.
  void release_body(Connection& connection);

  /// Closes overdue connections. A client whose request is late still receives a response (408).
  void end_overdue();
  /// Closes connections that wait for their next request. Wakes connections in state kFollowing.
  void end_idle();
  /// Closes all connections.
  void close_all();

 private:
  const HttpLimits limits_;
  TransportCounters& counters_;
  const std::function<void()> emptied_;
  const Now now_;
  std::size_t body_bytes_ = 0;  // memory of all request bodies
  std::list<std::shared_ptr<Connection>> all_;
  std::list<Connection*> waiting_;  // connections that wait for clients, longest first
};

// The threads that answer requests, one group per kind of work.

/// The result of a request. `stream` is set if `answer` is an EventStreamAnswer.
struct Outcome {
  HttpAnswer answer;
  std::optional<EventHub::Stream> stream;
};

/// Starts handlers and collects their answers. Used only by the I/O thread, which runs `io`.
class Lanes {
 public:
  Lanes(boost::asio::io_context& io, const HttpServerOptions& options, TransportCounters& counters);

  /// Sets the hub that serves EventStreamAnswers; it must outlive this object. If null, a request
  /// with such an answer receives 404.
  void set_events(EventHub* events) { events_ = events; }

  /// Answers `request` on a thread of its lane. If too many requests wait for the lane, the answer
  /// is 503. A heavy request first waits for its turn, and receives a stop request when its client
  /// disconnects.
  boost::asio::awaitable<std::unique_ptr<Outcome>> answer(std::shared_ptr<Connection> connection,
                                                          HttpRequest request, Admission admission);

  /// Blocks until all running requests are answered. Any thread.
  void join();

 private:
  template <typename T>
  using Task = boost::asio::awaitable<T>;

  /// Arguments of a handler call. The referenced objects outlive the call.
  struct Call {
    const HttpRequest& request;
    const Admission& admission;
    const std::stop_source& stop;
  };

  /// The turn of a heavy request. The destructor passes the turn to the next waiting request.
  class Turn {
   public:
    explicit Turn(Lanes& lanes) : lanes_(lanes) {}
    ~Turn() { lanes_.pass_turn(); }  // NOLINT(bugprone-exception-escape): waking cannot fail
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Lanes& lanes_;
  };

  Task<std::unique_ptr<Outcome>> answer_heavy(std::shared_ptr<Connection> connection,
                                              const Call& call);
  Task<bool> take_turn(Connection& connection);
  void pass_turn();
  static Task<void> watch_for_leaving(std::shared_ptr<Connection> connection);
  Task<std::unique_ptr<Outcome>> run(boost::asio::thread_pool& pool, Call call);
  std::unique_ptr<Outcome> call_handler(const Call& call);
  std::unique_ptr<Outcome> open_stream(const EventStreamAnswer& stream);

  boost::asio::io_context& io_;
  const HttpLimits limits_;
  TransportCounters& counters_;
  EventHub* events_ = nullptr;
  std::size_t disk_requests_ = 0;
  int free_turns_;                                  // number of heavy requests that may start now
  std::list<Connection*> waiting_for_turn_;         // in order of arrival
  boost::asio::thread_pool memory_, disk_, heavy_;  // last members, so that their threads end first
};

}  // namespace manyply

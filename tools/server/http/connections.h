// The transport's connections: which of them wait for their clients, whose body takes memory, and
// who makes room for whom. For the transport's own files: others know http_server.h, which has no
// Boost.
#pragma once

#include <atomic>
#include <boost/asio.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "tools/server/http/http_server.h"

namespace manyply {

/// Errors come as values: `co_await operation(…, kAwait)` answers (error, result).
inline constexpr auto kAwait = boost::asio::as_tuple(boost::asio::use_awaitable);

/// Written by the I/O thread, read by any: statistics, publish nothing.
struct TransportCounters {
  std::atomic<std::size_t> connections{0}, streams{0}, handling{0};
  std::atomic<std::uint64_t> accepted{0}, refused{0}, evicted{0}, timeouts{0};

  /// Any thread.
  [[nodiscard]] TransportStats read() const;
};

template <typename T>
void increment(std::atomic<T>& counter) {
  counter.fetch_add(1, std::memory_order_relaxed);
}

struct Connection {
  using Clock = std::chrono::steady_clock;
  enum class State : std::uint8_t {
    kIdle,     // nothing of the next request has come
    kReading,  // some of it
    kBusy,     // a handler has it, or it waits for one
    kWriting,
    kFollowing,  // an event stream with nothing to send
    kLingering,
  };

  explicit Connection(boost::asio::generic::stream_protocol::socket s)
      : socket(std::move(s)), wake(socket.get_executor()) {}

  boost::asio::generic::stream_protocol::socket socket;
  boost::asio::steady_timer wake;  // of event streams, and of requests that wait for their turn
  std::string input;               // has come, and is not taken yet
  std::string client;
  State state = State::kIdle;
  Clock::time_point deadline = Clock::time_point::max();
  std::list<Connection*>::iterator place;  // among those that wait, if it `waits` for its client
  bool waits = false;
  bool timed_out = false;
  bool evicted = false;
  bool gone = false;  // of event streams: the client has left; of all: the server closes

  std::size_t body_bytes = 0;  // its share of what has come of all bodies
  bool made_room = false;      // its body made room for others

  // Of a heavy request:
  bool watched = false;   // for its client's leaving
  bool has_turn = false;  // to have a thread
  std::stop_source stop;
};

/// Touched by the I/O thread alone.
class Connections {
 public:
  using Now = std::function<Connection::Clock::time_point()>;

  /// `emptied` is called whenever the last connection has gone. `now` may be null: the system's.
  Connections(const HttpLimits& limits, TransportCounters& counters, std::function<void()> emptied,
              Now now);

  /// One of the connections, for as long as it is talked to; closed in the end.
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

  /// From now on `connection` can be told to make room, and is overdue after `timeout`.
  void wait_for_client(Connection& connection, Connection::State state,
                       std::chrono::milliseconds timeout);
  void stop_waiting(Connection& connection);
  /// Closes the one that has waited longest. False: none waits.
  bool evict_one();

  /// Memory of bodies is charged as they come, not as they are announced: `bytes` is what the
  /// connection's body takes by now. False: it has to give way itself.
  bool charge_body(Connection& connection, std::size_t bytes);
  void release_body(Connection& connection);

  /// Ends what has taken too long; where a request is late, an answer is still due.
  void end_overdue();
  /// Ends what waits for its next request, and wakes event streams.
  void end_idle();
  void close_all();

 private:
  const HttpLimits limits_;
  TransportCounters& counters_;
  const std::function<void()> emptied_;
  const Now now_;
  std::size_t body_bytes_ = 0;  // of all of them
  std::list<std::shared_ptr<Connection>> all_;
  std::list<Connection*> waiting_;  // for their clients; the longest first
};

}  // namespace manyply

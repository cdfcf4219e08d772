// The threads that answer requests, one group per kind of work. Only for the transport's own files,
// see connections.h.
#pragma once

#include <boost/asio.hpp>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>

#include "tools/server/http/connections.h"
#include "tools/server/http/event_hub.h"

namespace manyply {

/// The result of a request. `stream` is set if `answer` is an EventStreamAnswer.
struct Outcome {
  HttpAnswer answer;
  std::optional<EventHub::Stream> stream;
};

/// Starts handlers and collects their answers. Used only by the I/O thread, which runs `io`.
class Lanes {
 public:
  Lanes(boost::asio::io_context& io, const HttpServerOptions& options, TransportCounters& counters);

  /// Sets the hub that serves EventStreamAnswers; it must outlive this object. Null = they become
  /// 404.
  void set_events(EventHub* events) { events_ = events; }

  /// Answers `request` on a thread of its lane. A heavy request first waits for its turn, and
  /// receives a stop request when its client disconnects.
  boost::asio::awaitable<std::unique_ptr<Outcome>> answer(std::shared_ptr<Connection> connection,
                                                          HttpRequest request, Admission admission);

  /// Blocks until all running requests are answered. Any thread.
  void join();

 private:
  template <typename T>
  using Task = boost::asio::awaitable<T>;

  /// Arguments of a handler call; the referenced objects outlive it.
  struct Call {
    const HttpRequest& request;
    const Admission& admission;
    const std::stop_source& stop;
  };

  /// Holds a turn and passes it on when destroyed.
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
  int free_turns_;                                  // heavy requests that may start now
  std::list<Connection*> waiting_for_turn_;         // in order of arrival
  boost::asio::thread_pool memory_, disk_, heavy_;  // last members, so that their threads end first
};

}  // namespace manyply

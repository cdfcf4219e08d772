// The threads in which requests are answered, a lane for each kind of work. For the transport's own
// files, as connections.h.
#pragma once

#include <boost/asio.hpp>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>

#include "tools/server/http/connections.h"
#include "tools/server/http/event_hub.h"

namespace manyply {

/// What became of a request. `stream` is there if `answer` is an EventStreamAnswer.
struct Outcome {
  HttpAnswer answer;
  std::optional<EventHub::Stream> stream;
};

/// Touched by the I/O thread alone, which runs `io`.
class Lanes {
 public:
  Lanes(boost::asio::io_context& io, const HttpServerOptions& options, TransportCounters& counters);

  /// Answers EventStreamAnswers from now on, and outlives this; null = they are 404.
  void set_events(EventHub* events) { events_ = events; }

  /// Has `request` answered in a thread of its lane. A heavy one waits for its turn, and is told to
  /// stop when its client has left.
  boost::asio::awaitable<std::unique_ptr<Outcome>> answer(std::shared_ptr<Connection> connection,
                                                          HttpRequest request, Admission admission);

  /// Waits for what is being answered. Any thread.
  void join();

 private:
  template <typename T>
  using Task = boost::asio::awaitable<T>;

  /// What a handler's thread needs to know, all of which outlives its call.
  struct Call {
    const HttpRequest& request;
    const Admission& admission;
    const std::stop_source& stop;
  };

  /// A turn that was taken, and is passed on in the end.
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
  int free_turns_;                                  // heavy requests that may start at once
  std::list<Connection*> waiting_for_turn_;         // in the order in which they came
  boost::asio::thread_pool memory_, disk_, heavy_;  // last: their threads end first
};

}  // namespace manyply

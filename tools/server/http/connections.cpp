#include "tools/server/http/connections.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>
#include <variant>

namespace manyply {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

// NOLINTBEGIN(bugprone-unused-return-value): Asio stores the error in `error` and also returns it

Connections::Connections(const HttpLimits& limits, TransportCounters& counters,
                         std::function<void()> emptied, Now now)
    : limits_(limits),
      counters_(counters),
      emptied_(std::move(emptied)),
      now_(now ? std::move(now) : Connection::Clock::now) {}

Connections::Member::Member(Connections& all, const std::shared_ptr<Connection>& connection)
    : all_(all), connection_(*connection), place_(all.all_.insert(all.all_.end(), connection)) {
  all_.counters_.connections.store(all_.all_.size(), std::memory_order_relaxed);
}

Connections::Member::~Member() {
  all_.stop_waiting(connection_);
  all_.release_body(connection_);
  error_code ignored;
  connection_.socket.close(ignored);
  all_.all_.erase(place_);
  all_.counters_.connections.store(all_.all_.size(), std::memory_order_relaxed);
  if (all_.empty()) all_.emptied_();
}

void Connections::wait_for_client(Connection& connection, Connection::State state,
                                  milliseconds timeout) {
  connection.state = state;
  connection.deadline = now_() + timeout;
  if (connection.waits) return;
  connection.place = waiting_.insert(waiting_.end(), &connection);
  connection.waits = true;
}

void Connections::stop_waiting(Connection& connection) {
  connection.deadline = Connection::Clock::time_point::max();
  if (!std::exchange(connection.waits, false)) return;
  waiting_.erase(connection.place);
}

bool Connections::evict_one() {
  if (waiting_.empty()) return false;
  Connection& longest = *waiting_.front();
  stop_waiting(longest);
  longest.evicted = true;
  error_code ignored;
  longest.socket.close(ignored);
  increment(counters_.evicted);
  return true;
}

bool Connections::charge_body(Connection& connection, std::size_t bytes) {
  body_bytes_ += bytes - connection.body_bytes;
  connection.body_bytes = bytes;
  while (body_bytes_ > limits_.all_body_bytes) {
    const auto longest =
        std::ranges::find_if(waiting_, [](const Connection* each) { return each->body_bytes > 0; });
    if (longest == waiting_.end() || *longest == &connection) return false;
    // Treat the memory of the body as free from now on. The coroutine of that connection frees the
    // memory when it runs next.
    release_body(**longest);
    (*longest)->made_room = true;
    error_code ignored;
    (*longest)->socket.cancel(ignored);
    increment(counters_.evicted);
  }
  return true;
}

void Connections::release_body(Connection& connection) {
  body_bytes_ -= std::exchange(connection.body_bytes, 0);
}

void Connections::end_overdue() {
  const Connection::Clock::time_point now = now_();
  error_code ignored;
  for (const auto& connection : all_) {
    if (now < connection->deadline) continue;
    connection->timed_out = true;
    if (connection->state == Connection::State::kReading) {
      connection->socket.cancel(ignored);
    } else {
      connection->socket.close(ignored);
    }
  }
}

void Connections::end_idle() {
  error_code ignored;
  for (const auto& connection : all_) {
    if (connection->state == Connection::State::kIdle) connection->socket.cancel(ignored);
    if (connection->state == Connection::State::kFollowing) connection->wake.cancel();
  }
}

void Connections::close_all() {
  error_code ignored;
  for (const auto& connection : all_) {
    connection->gone = true;
    connection->stop.request_stop();
    connection->socket.close(ignored);
    connection->wake.cancel();
  }
}

// NOLINTEND(bugprone-unused-return-value)

namespace {

/// The constructor adds one to a counter, and the destructor subtracts one.
template <typename Number>
class Counted {
 public:
  explicit Counted(Number& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  Number& count_;
};

std::unique_ptr<Outcome> outcome_of(HttpAnswer answer) {
  auto outcome = std::make_unique<Outcome>();
  outcome->answer = std::move(answer);
  return outcome;
}

HttpResponse no_stream(EventHub::Refusal why, std::string_view noun) {
  switch (why) {
    case EventHub::Refusal::kNoSuchTopic:
      return transport_problem(404, "this " + std::string(noun) + " does not exist");
    case EventHub::Refusal::kTooMany:
      return transport_problem(503, "too many event streams are open; try again later");
    case EventHub::Refusal::kUnavailable:
      return transport_problem(503, "the " + std::string(noun) + " cannot be read at present");
    case EventHub::Refusal::kOver:
      break;
  }
  HttpResponse over;
  over.status = 204;  // tells clients of event streams not to reconnect
  return over;
}

std::size_t threads(int wanted) { return static_cast<std::size_t>(std::max(1, wanted)); }

}  // namespace

Lanes::Lanes(asio::io_context& io, const HttpServerOptions& options, TransportCounters& counters)
    : io_(io),
      limits_(options.limits),
      counters_(counters),
      free_turns_(std::max(1, options.heavy_threads)),
      memory_(1),
      disk_(threads(options.disk_threads)),
      heavy_(threads(options.heavy_threads)) {}

void Lanes::join() {
  for (asio::thread_pool* pool : {&memory_, &disk_, &heavy_}) pool->join();
}

asio::awaitable<std::unique_ptr<Outcome>> Lanes::answer(std::shared_ptr<Connection> connection,
                                                        HttpRequest request, Admission admission) {
  const Counted handling(counters_.handling);
  const Call call{request, admission, connection->stop};
  switch (admission.lane) {
    case Lane::kMemory:
      co_return co_await run(memory_, call);
    case Lane::kDisk: {
      if (disk_requests_ >= limits_.waiting_requests)
        co_return outcome_of(
            transport_problem(503, "too many requests at a time; try again later"));
      const Counted one(disk_requests_);
      co_return co_await run(disk_, call);
    }
    case Lane::kHeavy:
      break;
  }
  co_return co_await answer_heavy(std::move(connection), call);
}

asio::awaitable<std::unique_ptr<Outcome>> Lanes::answer_heavy(
    std::shared_ptr<Connection> connection, const Call& call) {
  if (free_turns_ == 0 && waiting_for_turn_.size() >= limits_.waiting_heavy)
    co_return outcome_of(
        transport_problem(503, "too many requests of this kind at a time; try again later"));
  connection->stop = std::stop_source();
  connection->watched = true;
  // An exception (out of memory) ends only watch_for_leaving().
  asio::co_spawn(io_, watch_for_leaving(connection), [](const std::exception_ptr&) {});
  std::unique_ptr<Outcome> outcome;
  if (co_await take_turn(*connection)) {
    const Turn turn(*this);
    outcome = co_await run(heavy_, call);
  }
  connection->watched = false;
  error_code ignored;
  connection->socket.cancel(ignored);  // NOLINT(bugprone-unused-return-value): in `ignored`
  co_return outcome ? std::move(outcome)
                    : outcome_of(transport_problem(503, "the client has disconnected"));
}

/// Waits for a turn. Returns false if the client has disconnected or the server closes all
/// connections; the connection is then no longer in the queue.
asio::awaitable<bool> Lanes::take_turn(Connection& connection) {
  if (free_turns_ > 0) {
    --free_turns_;
    co_return true;
  }
  connection.has_turn = false;
  const auto place = waiting_for_turn_.insert(waiting_for_turn_.end(), &connection);
  while (!connection.has_turn && !connection.stop.stop_requested()) {
    connection.wake.expires_at(Connection::Clock::time_point::max());
    co_await connection.wake.async_wait(kAwait);
  }
  if (!connection.has_turn) waiting_for_turn_.erase(place);
  co_return connection.has_turn;
}

void Lanes::pass_turn() {
  if (waiting_for_turn_.empty()) {
    ++free_turns_;
    return;
  }
  Connection& next = *waiting_for_turn_.front();
  waiting_for_turn_.pop_front();
  next.has_turn = true;
  next.wake.cancel();
}

/// Requests a stop of a heavy request if its client closes the connection or shuts down its sending
/// half. Ends when further bytes arrive, and leaves these bytes unread, because they belong to the
/// next request. From then on, the server cannot detect that the client leaves.
asio::awaitable<void> Lanes::watch_for_leaving(std::shared_ptr<Connection> connection) {
  for (;;) {
    const auto [over] =
        co_await connection->socket.async_wait(asio::socket_base::wait_read, kAwait);
    if (over || !connection->watched) co_return;
    std::array<char, 1> next{};
    error_code error;
    connection->socket.receive(asio::buffer(next), asio::socket_base::message_peek, error);
    if (!error) co_return;  // the client is still there and has sent more
    if (error == asio::error::would_block || error == asio::error::interrupted) continue;
    connection->stop.request_stop();
    connection->wake.cancel();
    co_return;
  }
}

asio::awaitable<std::unique_ptr<Outcome>> Lanes::run(asio::thread_pool& pool, Call call) {
  auto start = [this, &pool, call](auto resume) {
    asio::post(pool, [this, call, resume = std::move(resume)]() mutable {
      std::unique_ptr<Outcome> outcome = call_handler(call);
      asio::post(io_, [resume = std::move(resume), outcome = std::move(outcome)]() mutable {
        std::move(resume)(std::move(outcome));
      });
    });
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>,
                                          void(std::unique_ptr<Outcome>)>(std::move(start),
                                                                          asio::use_awaitable);
}

/// Runs on a thread of one of the pools.
std::unique_ptr<Outcome> Lanes::call_handler(const Call& call) {
  try {
    HttpAnswer answer = call.admission.answer(call.request, call.stop.get_token());
    if (const auto* stream = std::get_if<EventStreamAnswer>(&answer)) return open_stream(*stream);
    return outcome_of(std::move(answer));
  } catch (...) {
    return outcome_of(transport_problem(500, "an error inside the server"));
  }
}

std::unique_ptr<Outcome> Lanes::open_stream(const EventStreamAnswer& stream) {
  if (events_ == nullptr)
    return outcome_of(transport_problem(404, "this server has no event streams"));
  auto opened = events_->open(stream.topic, stream.last_event_id);
  if (auto* followed = std::get_if<EventHub::Stream>(&opened)) {
    auto outcome = outcome_of(stream);
    outcome->stream.emplace(std::move(*followed));
    return outcome;
  }
  HttpResponse refused = no_stream(std::get<EventHub::Refusal>(opened), stream.noun);
  refused.headers.insert(refused.headers.end(), stream.headers.begin(), stream.headers.end());
  return outcome_of(std::move(refused));
}

}  // namespace manyply

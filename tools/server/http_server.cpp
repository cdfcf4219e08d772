#include "tools/server/http_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <condition_variable>
#include <ctime>
#include <list>
#include <optional>
#include <random>
#include <thread>
#include <unordered_map>
#include <utility>

#include "parallel/mutex.h"
#include "tools/server/event_hub.h"
#include "tools/server/problem.h"

namespace manyply {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using beast::error_code;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Headers = std::vector<std::pair<std::string, std::string>>;

/// Errors come as values: `co_await operation(…, kAwait)` answers (error, result).
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

constexpr milliseconds kSweep{100};    // how late a time-out may be noticed
constexpr milliseconds kLinger{2000};  // for a client to read the refusal of what it still sends
constexpr std::size_t kLingerBytes = std::size_t{256} << 10;
constexpr int kStreamSendBuffer = 64
                                  << 10;  // in the kernel, which else gives slow readers megabytes
constexpr int kBacklog = 1024;

struct Connection {
  enum class State : std::uint8_t {
    kIdle,     // nothing of the next request has come
    kReading,  // some of it
    kBusy,     // a handler has it
    kWriting,
    kFollowing,  // an event stream with nothing to send
    kLingering,
  };

  explicit Connection(tcp::socket s) : socket(std::move(s)), wake(socket.get_executor()) {}

  tcp::socket socket;
  asio::steady_timer wake;  // of event streams
  beast::flat_buffer buffer;
  std::string client;
  State state = State::kIdle;
  Clock::time_point deadline = Clock::time_point::max();
  std::list<Connection*>::iterator place;  // in waiting_, if it waits for its client
  bool waits = false;
  bool timed_out = false;
  bool evicted = false;
  bool gone = false;  // of event streams: the client has left
};

/// What became of a request.
struct Outcome {
  HttpAnswer answer;
  std::optional<EventHub::Stream> stream;
};

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 40> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &utc)};
}

/// What the transport itself has to say.
HttpResponse transport_problem(int status, std::string_view detail) {
  HttpResponse response = problem(status, detail);
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

/// The answer to a request that could not be read; none where nobody is left to read it.
std::optional<HttpResponse> refusal(const error_code& error, const HttpLimits& limits) {
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() != make_error_code(http::error::bad_method).category())
    return std::nullopt;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return transport_problem(431, "the request line and headers may have " +
                                      std::to_string(limits.header_bytes) + " bytes");
  }
  if (error == http::error::body_limit) {
    return transport_problem(413,
                             "the body may have " + std::to_string(limits.body_bytes) + " bytes");
  }
  return transport_problem(400, "not a request of HTTP/1.1: " + error.message());
}

bool is_sendable(std::string_view header) {
  return std::ranges::none_of(header, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

template <typename Message>
void set_headers(Message& message, const Headers& headers, const std::string& id) {
  for (const auto& [name, value] : headers) {
    if (is_sendable(name) && is_sendable(value)) message.insert(name, value);
  }
  message.set(http::field::date, http_date());
  if (message.find("X-Request-Id") == message.end()) message.set("X-Request-Id", id);
}

std::string random_prefix() {
  std::random_device random;
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08x", random());
  return text.data();
}

}  // namespace

// NOLINTBEGIN(bugprone-unused-return-value): Asio also returns the error that it puts into `error`

/// Everything but the handler runs in one thread, and is touched by no other; what is marked so is
/// for all.
class HttpServer::Impl {
 public:
  explicit Impl(HttpServerOptions options)
      : options_(std::move(options)),
        limits_(options_.limits),
        slow_(static_cast<std::size_t>(std::max(1, options_.handler_threads))),
        quick_(1) {}

  // Without memory for the last posts there is no good end.
  ~Impl() { shutdown(milliseconds(0)); }  // NOLINT(bugprone-exception-escape)

  std::optional<Error> bind() {
    error_code error;
    const asio::ip::address address = asio::ip::make_address(options_.address, error);
    if (error)
      return Error{ErrorCode::kInvalidInput, "listen", 0,
                   "'" + options_.address + "' is no address"};
    const tcp::endpoint endpoint(address, options_.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(kBacklog, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    if (error) {
      return Error{
          ErrorCode::kUnavailable, "listen", 0,
          options_.address + " port " + std::to_string(options_.port) + ": " + error.message()};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }

  void serve(Handler handler, EventHub* events, NeverWaits never_waits) {
    handler_ = std::move(handler);
    never_waits_ = std::move(never_waits);
    events_ = events;
    if (events_ != nullptr) {
      events_->set_listener([this](JobId job) { asio::post(io_, [this, job] { wake(job); }); });
    }
    spawn(accept());
    spawn(sweep());
    thread_ = std::jthread([this] { io_.run(); });
  }

  /// Any thread.
  [[nodiscard]] TransportStats stats() const {
    TransportStats stats;
    stats.connections = counters_.connections.load(std::memory_order_relaxed);
    stats.streams = counters_.streams.load(std::memory_order_relaxed);
    stats.handling = counters_.handling.load(std::memory_order_relaxed);
    stats.accepted = counters_.accepted.load(std::memory_order_relaxed);
    stats.refused = counters_.refused.load(std::memory_order_relaxed);
    stats.evicted = counters_.evicted.load(std::memory_order_relaxed);
    stats.timeouts = counters_.timeouts.load(std::memory_order_relaxed);
    return stats;
  }

  /// Any thread.
  void shutdown(milliseconds patience) {
    const MutexLock once(shutting_down_);
    if (!thread_.joinable()) return;
    asio::post(io_, [this] { close_gently(); });
    {
      const MutexLock lock(empty_mutex_);
      const Clock::time_point end = Clock::now() + patience;
      while (!empty_ && Clock::now() < end) emptied_.wait_until(empty_mutex_, end);
    }
    asio::post(io_, [this] { close_all(); });
    if (events_ != nullptr) events_->set_listener(nullptr);
    slow_.join();
    quick_.join();
    // Every coroutine ends, now that its connection has: none is left behind in a stopped context.
    work_.reset();
    thread_.join();
  }

 private:
  using State = Connection::State;
  using Shared = std::shared_ptr<Connection>;
  template <typename T>
  using Task = asio::awaitable<T>;

  /// Written by the I/O thread, read by stats(); statistics, publish nothing.
  struct Counters {
    std::atomic<std::size_t> connections{0}, streams{0}, handling{0};
    std::atomic<std::uint64_t> accepted{0}, refused{0}, evicted{0}, timeouts{0};
  };
  template <typename T>
  static void increment(std::atomic<T>& counter) {
    counter.fetch_add(1, std::memory_order_relaxed);
  }

  /// A connection among connections_, for as long as it is talked to.
  class Membership {
   public:
    Membership(Impl& impl, const Shared& connection)
        : impl_(impl),
          connection_(*connection),
          place_(impl.connections_.insert(impl.connections_.end(), connection)) {
      impl_.counters_.connections.store(impl_.connections_.size(), std::memory_order_relaxed);
    }
    ~Membership() {
      impl_.stop_waiting(connection_);
      error_code ignored;
      connection_.socket.close(ignored);
      impl_.connections_.erase(place_);
      impl_.counters_.connections.store(impl_.connections_.size(), std::memory_order_relaxed);
      impl_.tell_if_empty();
    }
    Membership(const Membership&) = delete;
    Membership& operator=(const Membership&) = delete;

   private:
    Impl& impl_;
    Connection& connection_;
    std::list<Shared>::iterator place_;
  };

  /// A share of what all bodies being read may have.
  class BodyShare {
   public:
    BodyShare(Impl& impl, std::size_t bytes)
        : impl_(impl),
          bytes_(impl.body_bytes_ + bytes <= impl.limits_.all_body_bytes ? bytes : 0),
          granted_(bytes_ == bytes) {
      impl_.body_bytes_ += bytes_;
    }
    ~BodyShare() { impl_.body_bytes_ -= bytes_; }
    BodyShare(const BodyShare&) = delete;
    BodyShare& operator=(const BodyShare&) = delete;
    [[nodiscard]] bool granted() const { return granted_; }

   private:
    Impl& impl_;
    std::size_t bytes_;
    bool granted_;
  };

  /// What is going to be a RequestRecord.
  struct Account {
    std::string method;
    std::string target;
    std::string id;
    Clock::time_point start = Clock::now();
  };

  void spawn(Task<void> task) {
    // What is thrown there, memory having run out, ends that connection and no other.
    asio::co_spawn(io_, std::move(task), [](const std::exception_ptr&) {});
  }

  // Waiting for clients: whoever does so can be told to make room.

  void wait_for_client(Connection& connection, State state, milliseconds timeout) {
    connection.state = state;
    connection.deadline = Clock::now() + timeout;
    if (connection.waits) return;
    connection.place = waiting_.insert(waiting_.end(), &connection);
    connection.waits = true;
  }

  void stop_waiting(Connection& connection) {
    connection.deadline = Clock::time_point::max();
    if (!std::exchange(connection.waits, false)) return;
    waiting_.erase(connection.place);
  }

  bool evict_one() {
    if (waiting_.empty()) return false;
    Connection& longest = *waiting_.front();
    stop_waiting(longest);
    longest.evicted = true;
    error_code ignored;
    longest.socket.close(ignored);
    increment(counters_.evicted);
    return true;
  }

  void tell_if_empty() {
    if (!closing_ || !connections_.empty()) return;
    const MutexLock lock(empty_mutex_);
    empty_ = true;
    emptied_.notify_all();
  }

  void close_gently() {
    closing_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    for (const Shared& connection : connections_) {
      if (connection->state == State::kIdle) connection->socket.cancel(ignored);
      if (connection->state == State::kFollowing) connection->wake.cancel();
    }
    tell_if_empty();
  }

  void close_all() {
    error_code ignored;
    for (const Shared& connection : connections_) {
      connection->gone = true;
      connection->socket.close(ignored);
      connection->wake.cancel();
    }
    sweeper_.cancel();
    swept_ = true;
  }

  void wake(JobId job) {
    const auto [begin, end] = followers_.equal_range(job.value);
    for (auto follower = begin; follower != end; ++follower) follower->second->wake.cancel();
  }

  Task<void> accept() {
    while (!closing_) {
      auto [error, socket] = co_await acceptor_.async_accept(kAwait);
      if (closing_) co_return;
      if (error) {
        // Out of files, mostly. An idle connection may give one back.
        if (error != asio::error::connection_aborted) {
          evict_one();
          asio::steady_timer pause(io_, milliseconds(20));
          co_await pause.async_wait(kAwait);
        }
        continue;
      }
      increment(counters_.accepted);
      if (connections_.size() >= limits_.connections && !evict_one()) {
        refuse(socket);
        continue;
      }
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      const auto connection = std::make_shared<Connection>(std::move(socket));
      connection->client = connection->socket.remote_endpoint(ignored).address().to_string();
      spawn(converse(connection));
    }
  }

  /// One connection too many: told so, if that takes no waiting.
  void refuse(tcp::socket& socket) {
    increment(counters_.refused);
    error_code ignored;
    const HttpResponse response = transport_problem(503, "too many connections");
    socket.non_blocking(true, ignored);
    std::array<char, 4096> request;
    socket.read_some(asio::buffer(request), ignored);
    http::response<http::span_body<const char>> message(http::status::service_unavailable, 11);
    message.body() = beast::span<const char>(response.body.data(), response.body.size());
    set_headers(message, response.headers, next_id());
    message.keep_alive(false);
    message.content_length(response.body.size());
    http::response_serializer<http::span_body<const char>> serializer(message);
    http::write_some(socket, serializer, ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
  }

  /// Ends what takes too long. One timer for all connections.
  Task<void> sweep() {
    while (!swept_) {
      sweeper_.expires_after(kSweep);
      co_await sweeper_.async_wait(kAwait);
      const Clock::time_point now = Clock::now();
      error_code ignored;
      for (const Shared& connection : connections_) {
        if (now < connection->deadline) continue;
        connection->timed_out = true;
        if (connection->state == State::kReading) {
          connection->socket.cancel(ignored);  // an answer is still due
        } else {
          connection->socket.close(ignored);
        }
      }
    }
  }

  std::string next_id() { return id_prefix_ + '-' + std::to_string(++last_id_); }

  Task<void> converse(Shared connection) {
    const Membership membership(*this, connection);
    milliseconds patience = limits_.read_timeout;  // who connects has something to say
    while (!closing_) {
      if (connection->buffer.size() == 0) {
        connection->buffer.shrink_to_fit();
        wait_for_client(*connection, State::kIdle, patience);
        const auto [error] = co_await connection->socket.async_wait(tcp::socket::wait_read, kAwait);
        stop_waiting(*connection);
        if (error) co_return;
      }
      if (!co_await answer_next(connection)) co_return;
      patience = limits_.idle_timeout;
    }
  }

  /// Reads a request and answers it. False: it was the connection's last.
  Task<bool> answer_next(const Shared& connection) {
    Account account;
    std::unique_ptr<Outcome> outcome;
    bool keep_alive = false;
    bool head = false;
    {
      http::request_parser<http::string_body> parser;
      parser.header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
      parser.body_limit(limits_.body_bytes);
      connection->buffer.max_size(2 * limits_.header_bytes + 1024);
      std::optional<HttpResponse> refused;
      if (!co_await read(*connection, parser, refused)) co_return false;
      account.id = next_id();
      auto message = parser.release();
      account.method = message.method_string();
      account.target = message.target();
      if (refused) {
        co_await write(*connection, account, *refused, false, account.method == "HEAD");
        co_await linger(*connection);
        co_return false;
      }
      keep_alive = message.keep_alive();
      head = account.method == "HEAD";
      HttpRequest request{
          account.method, account.target, {}, std::move(message.body()), account.id};
      for (const auto& field : message)
        request.headers.emplace_back(field.name_string(), field.value());
      connection->state = State::kBusy;
      outcome = co_await handle(std::move(request));
    }
    if (connection->gone) co_return false;
    if (outcome->stream) {
      const auto& answer = std::get<EventStreamAnswer>(outcome->answer);
      co_await follow(connection, account, answer, *std::move(outcome->stream), head);
      co_return false;
    }
    keep_alive = keep_alive && !closing_;
    co_return co_await write(*connection, account, std::get<HttpResponse>(outcome->answer),
                             keep_alive, head) &&
        keep_alive;
  }

  /// A whole request, or `refused`, or (false) nobody is there any more.
  Task<bool> read(Connection& connection, http::request_parser<http::string_body>& parser,
                  std::optional<HttpResponse>& refused) {
    wait_for_client(connection, State::kReading, limits_.read_timeout);
    auto [error, bytes] =
        co_await http::async_read_header(connection.socket, connection.buffer, parser, kAwait);
    std::optional<BodyShare> share;
    if (!error && !parser.is_done()) {
      const auto length = parser.content_length();
      share.emplace(*this, length ? static_cast<std::size_t>(*length) : limits_.body_bytes);
      if (!share->granted()) {
        refused = transport_problem(503, "too many large requests at one time");
      } else if (co_await expected(connection, parser.get()[http::field::expect], refused)) {
        std::tie(error, bytes) =
            co_await http::async_read(connection.socket, connection.buffer, parser, kAwait);
      }
    }
    const bool begun = parser.got_some() || connection.buffer.size() > 0;
    stop_waiting(connection);
    if (connection.evicted || connection.gone) co_return false;
    if (refused) co_return true;
    if (error && connection.timed_out) {
      increment(counters_.timeouts);
      if (!begun) co_return false;
      connection.timed_out = false;
      refused = transport_problem(408, "the request took too long");
    } else if (error) {
      refused = refusal(error, limits_);
    }
    co_return !error || refused;
  }

  /// A client that asks before it sends its body.
  Task<bool> expected(Connection& connection, std::string_view expectation,
                      std::optional<HttpResponse>& refused) {
    if (expectation.empty()) co_return true;
    if (!beast::iequals(expectation, "100-continue")) {
      refused = transport_problem(417, "the only expectation that is met is 100-continue");
      co_return false;
    }
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await asio::async_write(connection.socket, asio::buffer(kContinue), kAwait);
    co_return true;
  }

  Task<std::unique_ptr<Outcome>> handle(HttpRequest request) {
    const bool quick = never_waits_ && never_waits_(request);
    if (!quick && slow_requests_ >= limits_.waiting_requests) {
      co_return std::make_unique<Outcome>(
          Outcome{transport_problem(503, "too many requests at one time"), {}});
    }
    slow_requests_ += quick ? 0 : 1;
    counters_.handling.fetch_add(1, std::memory_order_relaxed);
    asio::thread_pool& pool = quick ? quick_ : slow_;
    auto start = [this, &pool, &request](auto resume) {
      asio::post(pool, [this, &request, resume = std::move(resume)]() mutable {
        std::unique_ptr<Outcome> outcome = call_handler(request);
        asio::post(io_, [resume = std::move(resume), outcome = std::move(outcome)]() mutable {
          std::move(resume)(std::move(outcome));
        });
      });
    };
    auto outcome = co_await asio::async_initiate<const asio::use_awaitable_t<>,
                                                 void(std::unique_ptr<Outcome>)>(
        std::move(start), asio::use_awaitable);
    slow_requests_ -= quick ? 0 : 1;
    counters_.handling.fetch_sub(1, std::memory_order_relaxed);
    co_return outcome;
  }

  /// In a thread of the pools.
  std::unique_ptr<Outcome> call_handler(const HttpRequest& request) {
    auto outcome = std::make_unique<Outcome>();
    try {
      outcome->answer = handler_(request);
      const auto* stream = std::get_if<EventStreamAnswer>(&outcome->answer);
      if (stream == nullptr) return outcome;
      if (events_ == nullptr) {
        outcome->answer = transport_problem(404, "there are no events");
        return outcome;
      }
      auto opened = events_->open(stream->job, stream->last_event_id);
      if (auto* followed = std::get_if<EventHub::Stream>(&opened)) {
        outcome->stream.emplace(std::move(*followed));
        return outcome;
      }
      Headers headers = stream->headers;
      HttpResponse refused;
      switch (std::get<EventHub::Refusal>(opened)) {
        case EventHub::Refusal::kNoSuchJob:
          refused = transport_problem(404, "there is no such job");
          break;
        case EventHub::Refusal::kTooMany:
          refused = transport_problem(503, "too many event streams are open");
          break;
        case EventHub::Refusal::kUnavailable:
          refused = transport_problem(503, "the job cannot be read at present");
          break;
        case EventHub::Refusal::kOver:
          refused.status = 204;  // which is how event streams tell clients not to come back
      }
      refused.headers.insert(refused.headers.end(), headers.begin(), headers.end());
      outcome->answer = std::move(refused);
    } catch (...) {
      outcome->answer = transport_problem(500, "an error inside the server");
    }
    return outcome;
  }

  /// False: the client has gone, or was too slow.
  Task<bool> write(Connection& connection, const Account& account, const HttpResponse& response,
                   bool keep_alive, bool head) {
    const int status = response.status >= 200 && response.status < 600 ? response.status : 500;
    http::response<http::span_body<const char>> message(static_cast<http::status>(status), 11);
    set_headers(message, response.headers, account.id);
    message.keep_alive(keep_alive);
    const bool bodiless = status == 204 || status == 304;
    if (!bodiless) message.content_length(response.body.size());
    if (!bodiless && !head) {
      message.body() = beast::span<const char>(response.body.data(), response.body.size());
    }
    http::response_serializer<http::span_body<const char>> serializer(message);
    connection.state = State::kWriting;
    error_code error;
    std::uint64_t bytes = 0;
    if (head) serializer.split(true);
    while (!error && !(head ? serializer.is_header_done() : serializer.is_done())) {
      connection.deadline = Clock::now() + limits_.write_timeout;
      const auto [problem, written] =
          co_await http::async_write_some(connection.socket, serializer, kAwait);
      error = problem;
      bytes += written;
    }
    finish_writing(connection);
    observe(connection, account, status,
            head || bodiless ? 0 : std::min<std::uint64_t>(bytes, response.body.size()), false);
    co_return !error;
  }

  void finish_writing(Connection& connection) {
    connection.deadline = Clock::time_point::max();
    if (connection.timed_out) increment(counters_.timeouts);
  }

  /// A client that is still sending would lose the answer if its connection were closed at once.
  Task<void> linger(Connection& connection) {
    error_code ignored;
    connection.socket.shutdown(tcp::socket::shutdown_send, ignored);
    wait_for_client(connection, State::kLingering, kLinger);
    std::array<char, 4096> sink;
    for (std::size_t total = 0; total < kLingerBytes;) {
      const auto [error, bytes] =
          co_await connection.socket.async_read_some(asio::buffer(sink), kAwait);
      if (error) break;
      total += bytes;
    }
    stop_waiting(connection);
  }

  Task<void> follow(Shared connection, const Account& account, const EventStreamAnswer& answer,
                    EventHub::Stream stream, bool head) {
    http::response<http::empty_body> message(http::status::ok, 11);
    set_headers(message, answer.headers, account.id);
    message.set(http::field::content_type, "text/event-stream");
    message.set(http::field::cache_control, "no-store");
    message.keep_alive(false);
    http::response_serializer<http::empty_body> serializer(message);
    error_code error;
    connection->socket.set_option(asio::socket_base::send_buffer_size(kStreamSendBuffer), error);
    connection->state = State::kWriting;
    connection->deadline = Clock::now() + limits_.write_timeout;
    std::uint64_t bytes = 0;
    std::tie(error, std::ignore) =
        co_await http::async_write_header(connection->socket, serializer, kAwait);
    if (!error && !head) {
      const auto follower = followers_.emplace(answer.job.value, connection.get());
      counters_.streams.store(followers_.size(), std::memory_order_relaxed);
      spawn(watch_client(connection));
      co_await send_events(*connection, stream, bytes);
      followers_.erase(follower);
      counters_.streams.store(followers_.size(), std::memory_order_relaxed);
    }
    finish_writing(*connection);
    observe(*connection, account, 200, bytes, !head);
  }

  Task<void> send_events(Connection& connection, EventHub::Stream& stream, std::uint64_t& bytes) {
    bool last = false;
    while (!last && !connection.gone && !connection.timed_out) {
      std::string text = stream.next();
      last = stream.ended() || closing_;
      if (closing_ && !stream.ended()) text += ": the server is shutting down\n\n";
      if (text.empty()) {
        connection.state = State::kFollowing;
        connection.deadline = Clock::time_point::max();
        connection.wake.expires_after(limits_.heartbeat);
        const auto [woken] = co_await connection.wake.async_wait(kAwait);
        if (woken) continue;
        text = ": still here\n\n";
      }
      connection.state = State::kWriting;
      connection.deadline = Clock::now() + limits_.write_timeout;
      const auto [error, written] =
          co_await asio::async_write(connection.socket, asio::buffer(text), kAwait);
      bytes += written;
      if (error) co_return;
    }
  }

  /// Notices that the client of an event stream has left. What it sends is of no interest.
  Task<void> watch_client(Shared connection) {
    std::array<char, 512> sink;
    for (std::size_t total = 0; total < kLingerBytes;) {
      const auto [error, bytes] =
          co_await connection->socket.async_read_some(asio::buffer(sink), kAwait);
      if (error) break;
      total += bytes;
    }
    connection->gone = true;
    connection->wake.cancel();
  }

  void observe(const Connection& connection, const Account& account, int status,
               std::uint64_t bytes, bool stream) {
    if (!options_.observer) return;
    options_.observer({account.method, path_of(account.target), connection.client, account.id,
                       status, bytes, Clock::now() - account.start, stream});
  }

  const HttpServerOptions options_;
  const HttpLimits limits_;
  Handler handler_;
  NeverWaits never_waits_;
  EventHub* events_ = nullptr;
  std::uint16_t port_ = 0;
  const std::string id_prefix_ = random_prefix();

  Counters counters_;
  Mutex shutting_down_;
  Mutex empty_mutex_;
  std::condition_variable_any emptied_;
  bool empty_ MANYPLY_GUARDED_BY(empty_mutex_) = false;

  std::uint64_t last_id_ = 0;
  bool closing_ = false;
  bool swept_ = false;
  std::size_t body_bytes_ = 0;
  std::size_t slow_requests_ = 0;
  std::list<Shared> connections_;
  std::list<Connection*> waiting_;  // for their clients; the longest first
  std::unordered_multimap<std::int64_t, Connection*> followers_;

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer sweeper_{io_};
  asio::thread_pool slow_;   // requests that may wait for the disk
  asio::thread_pool quick_;  // those that never do
  std::jthread thread_;
};

// NOLINTEND(bugprone-unused-return-value)

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::bind(HttpServerOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  if (auto error = impl->bind()) return *std::move(error);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const { return impl_->port(); }
void HttpServer::serve(Handler handler, EventHub* events, NeverWaits never_waits) {
  impl_->serve(std::move(handler), events, std::move(never_waits));
}
TransportStats HttpServer::stats() const { return impl_->stats(); }
void HttpServer::shutdown(milliseconds patience) { impl_->shutdown(patience); }

}  // namespace manyply

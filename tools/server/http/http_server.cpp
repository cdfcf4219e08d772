#include "tools/server/http/http_server.h"

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <condition_variable>
#include <cstring>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "core/base/mutex.h"
#include "core/base/text.h"
#include "tools/server/http/connections.h"
#include "tools/server/http/event_hub.h"

namespace manyply {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Socket = asio::generic::stream_protocol::socket;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kSweep{100};  // interval at which time-outs are checked
// Number of bytes that a client may still send while it reads a refusal or an event stream.
constexpr std::size_t kLingerBytes = std::size_t{256} << 10;
// With the operating system's default, megabytes would be buffered for each slow reader.
constexpr int kStreamSendBuffer = 64 << 10;
constexpr int kBacklog = 1024;

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

tcp::endpoint internet(const asio::generic::stream_protocol::endpoint& any) {
  tcp::endpoint endpoint;
  if (any.size() > endpoint.capacity()) return endpoint;
  std::memcpy(endpoint.data(), any.data(), any.size());
  endpoint.resize(any.size());
  return endpoint;
}

/// Returns the client's address for the log.
std::string client_of(const Socket& socket) {
  error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error) return "";
  if (endpoint.protocol().family() == AF_UNIX) return "unix";
  return internet(endpoint).address().to_string();
}

/// Returns the bytes of head and body that follow the first `sent` bytes.
std::array<asio::const_buffer, 2> unsent(std::string_view head, std::string_view body,
                                         std::size_t sent) {
  const std::size_t of_head = std::min(sent, head.size());
  return {asio::buffer(head) + of_head, asio::buffer(body) + (sent - of_head)};
}

std::string random_prefix() {
  std::random_device random;
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08x", random());
  return text.data();
}

}  // namespace

// NOLINTBEGIN(bugprone-unused-return-value): Asio stores the error in `error` and also returns it

/// Everything except handlers runs on one thread, and only that thread uses the members. The
/// comment "Any thread" marks functions that other threads may call.
class HttpServer::Impl {
 public:
  Impl(HttpServerOptions options, Now now)
      : options_(std::move(options)), now_(std::move(now)), limits_(options_.limits) {}

  // If memory runs out in shutdown(), the exception ends the process, which is acceptable here.
  ~Impl() { shutdown(milliseconds(0)); }  // NOLINT(bugprone-exception-escape)

  std::optional<Error> bind() {
    if (!options_.listen.socket.empty()) return bind_socket();
    error_code error;
    const asio::ip::address address = asio::ip::make_address(options_.listen.address, error);
    if (error)
      return Error{ErrorCode::kInvalidInput, "listen", 0,
                   "'" + options_.listen.address + "' is not an IP address"};
    const tcp::endpoint endpoint(address, options_.listen.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(kBacklog, error);
    if (!error) port_ = internet(acceptor_.local_endpoint(error)).port();
    if (error) {
      return Error{ErrorCode::kUnavailable, "listen", 0,
                   options_.listen.address + " port " + std::to_string(options_.listen.port) +
                       ": " + error.message()};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }

  void serve(Judge judge, EventHub* events) {
    judge_ = std::move(judge);
    events_ = events;
    lanes_.set_events(events);
    if (events_ != nullptr) {
      events_->set_listener(
          [this](TopicId topic) { asio::post(io_, [this, topic] { wake(topic); }); });
    }
    spawn(accept());
    spawn(sweep());
    thread_ = std::jthread([this] { io_.run(); });
  }

  /// Any thread.
  [[nodiscard]] TransportStats stats() const { return counters_.read(); }

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
    lanes_.join();
    // All connections are closed, so every coroutine ends before the context stops.
    work_.reset();
    thread_.join();
  }

 private:
  using State = Connection::State;
  using Stage = RequestReader::Stage;
  using Shared = std::shared_ptr<Connection>;
  template <typename T>
  using Task = asio::awaitable<T>;

  /// Collects the values of a RequestRecord.
  struct Account {
    std::string method;
    std::string target;
    std::string id;
    Clock::time_point start = Clock::now();
  };

  std::optional<Error> bind_socket() {
    const asio::local::stream_protocol::endpoint endpoint(options_.listen.socket);
    auto file = SocketFile::claim(options_.listen.socket);
    if (!file) return file.error();
    socket_file_ = std::move(file).value();
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) {
      socket_file_->bound();
      // Set the mode before any client can connect.
      if (chmod(options_.listen.socket.c_str(), options_.socket_mode) != 0)
        error.assign(errno, boost::system::system_category());
    }
    if (!error) acceptor_.listen(kBacklog, error);
    if (!error) return std::nullopt;
    return Error{ErrorCode::kUnavailable, "listen", 0,
                 options_.listen.socket + ": " + error.message()};
  }

  void spawn(Task<void> task) {
    // An exception (out of memory) ends only `task`. Most tasks serve only one connection.
    asio::co_spawn(io_, std::move(task), [](const std::exception_ptr&) {});
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
    socket_file_.reset();
    connections_.end_idle();
    tell_if_empty();
  }

  void close_all() {
    connections_.close_all();
    sweeper_.cancel();
    swept_ = true;
  }

  void wake(TopicId topic) {
    const auto [begin, end] = followers_.equal_range(topic);
    for (auto follower = begin; follower != end; ++follower) follower->second->wake.cancel();
  }

  Task<void> accept() {
    while (!closing_) {
      auto [error, socket] = co_await acceptor_.async_accept(kAwait);
      if (closing_) co_return;
      if (error) {
        // The usual cause of an error is a lack of file descriptors. Closing an idle connection may
        // free a descriptor.
        if (error != asio::error::connection_aborted) {
          connections_.evict_one();
          asio::steady_timer pause(io_, milliseconds(20));
          co_await pause.async_wait(kAwait);
        }
        continue;
      }
      increment(counters_.accepted);
      try {
        begin(std::move(socket));
      } catch (const std::exception&) {
        continue;  // out of memory; the connection is closed
      }
    }
  }

  void begin(Socket socket) {
    if (connections_.full() && !connections_.evict_one()) {
      refuse(socket);
      return;
    }
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.non_blocking(true, ignored);
    const auto connection = std::make_shared<Connection>(std::move(socket));
    connection->client = client_of(connection->socket);
    spawn(converse(connection));
  }

  /// Refuses a connection, because too many are open. Sends the response only if sending does not
  /// block.
  void refuse(Socket& socket) {
    increment(counters_.refused);
    error_code ignored;
    const HttpResponse response = transport_problem(503, "too many connections; try again later");
    socket.non_blocking(true, ignored);
    std::array<char, 4096> request;
    socket.read_some(asio::buffer(request), ignored);
    const std::string head =
        response_head(response.status, response.headers,
                      {http_date(), next_id(), /*keep_alive=*/false, response.body.size()});
    socket.write_some(unsent(head, response.body, 0), ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
  }

  /// Ends overdue connections. One timer serves all connections.
  Task<void> sweep() {
    while (!swept_) {
      sweeper_.expires_after(kSweep);
      co_await sweeper_.async_wait(kAwait);
      connections_.end_overdue();
    }
  }

  std::string next_id() { return id_prefix_ + '-' + std::to_string(++last_id_); }

  Task<void> converse(Shared connection) {
    const Connections::Member member(connections_, connection);
    // A new client must begin to send its first request within this time.
    milliseconds patience = limits_.read_timeout;
    while (!closing_) {
      if (connection->input.empty()) {
        connection->input.shrink_to_fit();
        connections_.wait_for_client(*connection, State::kIdle, patience);
        const bool more = co_await receive(*connection);
        connections_.stop_waiting(*connection);
        if (!more) co_return;
      }
      if (!co_await answer_next(connection)) co_return;
      patience = limits_.idle_timeout;
    }
  }

  /// Receives more input. Returns false if the client has closed the connection, or if the server
  /// has ended the wait: after the time limit, to make room, or at shutdown.
  Task<bool> receive(Connection& connection) {
    for (;;) {
      error_code error;
      const std::size_t bytes = connection.socket.read_some(asio::buffer(received_), error);
      if (!error) {
        connection.input.append(received_.data(), bytes);
        co_return true;
      }
      if (error != asio::error::would_block && error != asio::error::interrupted) co_return false;
      const auto [failure] =
          co_await connection.socket.async_wait(asio::socket_base::wait_read, kAwait);
      if (failure) co_return false;
    }
  }

  /// Reads and answers one request. Returns false if the connection accepts no further request.
  Task<bool> answer_next(const Shared& connection) {
    Account account;
    account.id = next_id();
    HttpRequest request;
    Admission admission;
    std::optional<HttpResponse> refused;
    bool keep_alive = false;
    {
      RequestReader reader(limits_.request);
      reader.request().id = account.id;
      if (!co_await read(*connection, reader, admission, refused)) co_return false;
      // If a request is refused before its end is read, the server cannot find the start of the
      // next request. So the server closes the connection.
      keep_alive = reader.stage() == Stage::kDone && reader.keep_alive() && !closing_;
      request = std::move(reader.request());
    }
    account.method = request.method;
    account.target = request.target;
    const bool head = account.method == "HEAD";
    if (refused) {
      if (co_await write(*connection, account, *refused, keep_alive, head) && keep_alive)
        co_return true;
      co_await linger(*connection);
      co_return false;
    }
    connection->state = State::kBusy;
    const std::unique_ptr<Outcome> outcome =
        co_await lanes_.answer(connection, std::move(request), std::move(admission));
    if (connection->gone) co_return false;
    if (outcome->stream) {
      const auto& answer = std::get<EventStreamAnswer>(outcome->answer);
      if (answer.wait) {
        const HttpResponse response =
            co_await answer_later(connection, answer, *std::move(outcome->stream));
        if (!connection->gone) co_await write(*connection, account, response, false, head);
        co_return false;
      }
      co_await follow(connection, account, answer, *std::move(outcome->stream), head);
      co_return false;
    }
    keep_alive = keep_alive && !closing_;
    co_return co_await write(*connection, account, std::get<HttpResponse>(outcome->answer),
                             keep_alive, head) &&
        keep_alive;
  }

  /// Reads a complete request and sets `admission`, or sets `refused`. Returns false if the
  /// connection is closed.
  Task<bool> read(Connection& connection, RequestReader& reader, Admission& admission,
                  std::optional<HttpResponse>& refused) {
    connections_.wait_for_client(connection, State::kReading, limits_.read_timeout);
    bool there = co_await read_past(Stage::kHead, connection, reader, refused);
    if (there && !refused) {
      Judgement judgement = judge(reader.request());
      if (auto* refusal = std::get_if<HttpResponse>(&judgement)) {
        refused = std::move(*refusal);
      } else {
        admission = std::get<Admission>(std::move(judgement));
        if (reader.stage() == Stage::kBody)
          reader.limit_body(admission.body_bytes.value_or(limits_.request.body_bytes));
        if (reader.stage() == Stage::kRefused) refused = reader.refusal();
        if (reader.stage() == Stage::kBody &&
            co_await expected(connection, reader.request(), refused))
          there = co_await read_past(Stage::kBody, connection, reader, refused);
      }
    }
    connections_.stop_waiting(connection);
    connections_.release_body(connection);
    co_return there;
  }

  Judgement judge(const HttpRequest& head) {
    try {
      return judge_(head);
    } catch (...) {
      return transport_problem(500, "an error inside the server");
    }
  }

  /// Reads until the request has passed `stage`. If the request is refused, sets `refused` and
  /// returns true. Returns false if the connection is closed.
  Task<bool> read_past(Stage stage, Connection& connection, RequestReader& reader,
                       std::optional<HttpResponse>& refused) {
    for (bool received = true;;) {
      if (connection.evicted || connection.gone) co_return false;
      if (connection.made_room) {
        refused = transport_problem(503, "too many large requests at a time; try again later");
        co_return true;
      }
      if (!received) {
        if (!std::exchange(connection.timed_out, false)) co_return false;
        increment(counters_.timeouts);
        refused = transport_problem(408, "the request took too long to arrive");
        co_return true;
      }
      connection.input.erase(0, reader.feed(connection.input));
      if (reader.stage() == Stage::kRefused) refused = reader.refusal();
      if (reader.stage() != stage) co_return true;
      if (!connections_.charge_body(connection, reader.body_memory())) {
        refused = transport_problem(503, "too many large requests at a time; try again later");
        co_return true;
      }
      received = co_await receive(connection);
    }
  }

  /// If the request has the header "Expect: 100-continue", tells the client to send the body. If
  /// the header Expect has any other value, sets `refused` and returns false.
  Task<bool> expected(Connection& connection, const HttpRequest& head,
                      std::optional<HttpResponse>& refused) {
    const auto expectation = head.header("Expect");
    if (!expectation) co_return true;
    if (!equal_ignoring_case(*expectation, "100-continue")) {
      refused = transport_problem(417, "the only supported expectation is 100-continue");
      co_return false;
    }
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await asio::async_write(connection.socket, asio::buffer(kContinue), kAwait);
    co_return true;
  }

  /// Sends a response. Returns false if the client has disconnected or was too slow.
  Task<bool> write(Connection& connection, const Account& account, const HttpResponse& response,
                   bool keep_alive, bool head_only) {
    const int status = response.status >= 200 && response.status < 600 ? response.status : 500;
    const bool bodiless = status == 204 || status == 304;
    ResponseFacts facts{http_date(), account.id, keep_alive};
    if (!bodiless) facts.content_length = response.body.size();
    const std::string head = response_head(status, response.headers, facts);
    const std::string_view body = bodiless || head_only ? std::string_view() : response.body;
    error_code error;
    std::size_t sent = 0;
    while (!error && sent < head.size() + body.size()) {
      connections_.wait_for_client(connection, State::kWriting, limits_.write_timeout);
      const auto [failure, bytes] =
          co_await connection.socket.async_write_some(unsent(head, body, sent), kAwait);
      connections_.stop_waiting(connection);
      error = failure;
      sent += bytes;
    }
    finish_writing(connection);
    observe(connection, account, status, sent - std::min(sent, head.size()), false);
    co_return !error;
  }

  void finish_writing(const Connection& connection) {
    if (connection.timed_out) increment(counters_.timeouts);
  }

  /// Reads and drops further data from the client before the connection is closed. If the server
  /// closed the connection at once, the client would lose the response.
  Task<void> linger(Connection& connection) {
    error_code ignored;
    connection.socket.shutdown(tcp::socket::shutdown_send, ignored);
    connections_.wait_for_client(connection, State::kLingering, limits_.linger);
    std::array<char, 4096> sink;
    for (std::size_t total = 0; total < kLingerBytes;) {
      const auto [error, bytes] =
          co_await connection.socket.async_read_some(asio::buffer(sink), kAwait);
      if (error) break;
      total += bytes;
    }
    connections_.stop_waiting(connection);
  }

  Task<void> follow(Shared connection, const Account& account, const EventStreamAnswer& answer,
                    EventHub::Stream stream, bool head) {
    auto headers = answer.headers;
    headers.emplace_back("Content-Type", "text/event-stream");
    headers.emplace_back("Cache-Control", "no-store");
    // Tells nginx to forward each event immediately.
    headers.emplace_back("X-Accel-Buffering", "no");
    const std::string head_text = response_head(200, headers, {http_date(), account.id});
    error_code error;
    connection->socket.set_option(asio::socket_base::send_buffer_size(kStreamSendBuffer), error);
    std::uint64_t bytes = 0;
    error = co_await write_event(*connection, head_text);
    if (!error && !head) {
      const auto follower = followers_.emplace(answer.topic, connection.get());
      counters_.streams.store(followers_.size(), std::memory_order_relaxed);
      spawn(watch_client(connection));
      co_await send_events(*connection, stream, bytes);
      followers_.erase(follower);
      counters_.streams.store(followers_.size(), std::memory_order_relaxed);
    }
    finish_writing(*connection);
    observe(*connection, account, 200, bytes, !head);
  }

  /// Waits until the topic of `answer` has ended, the time limit of `answer` has passed or the
  /// server shuts down. Then returns the result of `answer.then`.
  Task<HttpResponse> answer_later(Shared connection, const EventStreamAnswer& answer,
                                  EventHub::Stream stream) {
    const auto follower = followers_.emplace(answer.topic, connection.get());
    counters_.streams.store(followers_.size(), std::memory_order_relaxed);
    spawn(watch_client(connection));
    const Clock::time_point end = Clock::now() + *answer.wait;
    connection->state = State::kFollowing;
    connection->deadline = Clock::time_point::max();
    while (!connection->gone && !closing_ && Clock::now() < end) {
      (void)stream.next();
      if (stream.ended()) break;
      connection->wake.expires_at(end);
      (void)co_await connection->wake.async_wait(kAwait);
    }
    followers_.erase(follower);
    counters_.streams.store(followers_.size(), std::memory_order_relaxed);
    connection->state = State::kBusy;
    Admission last;
    last.answer = [then = answer.then](const HttpRequest&, const std::stop_token&) -> HttpAnswer {
      return then();
    };
    const auto outcome = co_await lanes_.answer(connection, {}, std::move(last));
    co_return std::get<HttpResponse>(outcome->answer);
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
      if (co_await write_event(connection, text)) co_return;
      bytes += text.size();
    }
  }

  Task<error_code> write_event(Connection& connection, const std::string& text) {
    connections_.wait_for_client(connection, State::kWriting, limits_.write_timeout);
    const auto [error, written] =
        co_await asio::async_write(connection.socket, asio::buffer(text), kAwait);
    connections_.stop_waiting(connection);
    co_return error;
  }

  /// Detects that a client disconnects while it receives an event stream or waits for the end of a
  /// topic. Ignores up to kLingerBytes bytes from the client; disconnects a client that sends more.
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
  const Now now_;
  const HttpLimits limits_;
  Judge judge_;
  EventHub* events_ = nullptr;
  std::uint16_t port_ = 0;
  const std::string id_prefix_ = random_prefix();

  TransportCounters counters_;
  Mutex shutting_down_;
  Mutex empty_mutex_;
  std::condition_variable_any emptied_;
  bool empty_ MANYPLY_GUARDED_BY(empty_mutex_) = false;

  std::uint64_t last_id_ = 0;
  bool closing_ = false;
  bool swept_ = false;
  std::array<char, 16 << 10> received_;  // receive buffer; its bytes move to a connection's input
  Connections connections_{limits_, counters_, [this] { tell_if_empty(); }, now_};
  std::unordered_multimap<TopicId, Connection*> followers_;

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  asio::basic_socket_acceptor<asio::generic::stream_protocol> acceptor_{io_};
  std::unique_ptr<SocketFile> socket_file_;
  asio::steady_timer sweeper_{io_};
  Lanes lanes_{io_, options_, counters_};
  std::jthread thread_;
};

// NOLINTEND(bugprone-unused-return-value)

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::bind(HttpServerOptions options, Now now) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(now));
  if (auto error = impl->bind()) return *std::move(error);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const { return impl_->port(); }
void HttpServer::serve(Judge judge, EventHub* events) { impl_->serve(std::move(judge), events); }
TransportStats HttpServer::stats() const { return impl_->stats(); }
void HttpServer::shutdown(milliseconds patience) { impl_->shutdown(patience); }

}  // namespace manyply

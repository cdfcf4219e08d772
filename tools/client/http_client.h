// HTTP requests to a Manyply server. Only http_client.cpp includes libcurl.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace manyply {

/// A request to the server.
struct ClientRequest {
  std::string method = "GET";
  std::string path;  ///< "/v1/jobs"
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::string_view content_type = "application/json";  ///< content type of the body
};

/// The server's response.
struct ClientResponse {
  int status = 0;
  std::string body;
};

/// A connection to one server. It stays open between requests. Use it from one thread at a time.
class HttpClient {
 public:
  /// Prepares requests to a server. `server` is the address of the server's page
  /// ("https://example.org/perft/"), a socket ("unix:PATH"), or a socket with a base path
  /// ("unix:PATH:/perft/"). The last ":/" ends PATH. So if PATH contains ":/" and there is no base
  /// path, `server` must be "unix:PATH:/". Errors: kInvalidInput (field "--server"), kUnavailable
  /// (libcurl cannot be used).
  static Result<HttpClient> connect(std::string server, std::optional<std::string> token);
  HttpClient(HttpClient&& other) noexcept;
  ~HttpClient();

  /// Sends a request and returns the response. A response with an HTTP error status is not an error
  /// here. Errors: kUnavailable (no connection, connection lost, or too much time or data),
  /// kCancelled (immediately after a stop request).
  ///
  /// Without `sink`, the response must be complete within a minute. With `sink`, the response may
  /// take any time, but data must arrive at least every 45 s. If the status is 200, the body is
  /// passed to `sink` piece by piece. Any other body is limited to 16 MiB.
  Result<ClientResponse> send(const ClientRequest& request, const std::stop_token& stop,
                              const std::function<void(std::string_view)>& sink = nullptr);

  /// Returns the text that was passed to connect().
  [[nodiscard]] const std::string& server() const;

 private:
  class Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Parses Server-Sent Events from bytes as they arrive.

/// A complete event.
struct ServerEvent {
  std::string name;
  std::string data;
};

/// Parses the event stream format of browsers (WHATWG HTML, 9.2). Use it from one thread at a time.
/// Drops events of more than kMaxBytes; our server never sends such events.
class EventReader {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  /// Adds received bytes. Calls `on_event` for each event that these bytes complete.
  void feed(std::string_view bytes, const std::function<void(const ServerEvent&)>& on_event);
  /// Call it after the connection has ended. Drops an incomplete event. Does not change last_id()
  /// and retry().
  void reset();

  /// Returns the id of the last complete event with an id; empty if there was none.
  [[nodiscard]] const std::string& last_id() const { return last_id_; }
  /// Returns the delay before reconnecting, if the server has sent one.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  void take_line(const std::function<void(const ServerEvent&)>& on_event);

  std::string line_;
  /// The last byte was '\r', so a following '\n' is part of the line end.
  bool after_return_ = false;
  bool too_long_ = false;
  ServerEvent event_;
  bool has_data_ = false;
  std::string id_;
  std::string last_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace manyply

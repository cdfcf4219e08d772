// HTTP messages that routes and transport exchange, as plain values without sockets.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace manyply {

/// A request that was read within the transport's limits on size and time.
struct HttpRequest {
  std::string method;  ///< as sent: "GET", "POST", …
  std::string target;  ///< as sent, not decoded: "/v1/position?fen=…"
  /// In the order of arrival, except that headers of the same name are adjacent; names as sent.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string id;  ///< identifies the request in the access log and in responses

  /// Returns the first header with this name, ignoring case; nullopt if absent.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
  /// Returns the number of headers with this name.
  [[nodiscard]] std::size_t header_count(std::string_view name) const;
};

/// A complete response. The transport adds Content-Length, Connection and Date, and omits the body
/// if the method is HEAD.
struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

/// Identifies a topic of events. A number is never reused for another topic.
using TopicId = std::int64_t;

/// A response without a body of its own: the events of one topic from now on (or after
/// `last_event_id`) as Server-Sent Events, until the topic has ended.
struct EventStreamAnswer {
  TopicId topic = 0;
  std::string_view noun;  ///< how refusals name the topic: "job"; a static string
  std::optional<std::uint64_t> last_event_id;
  std::vector<std::pair<std::string, std::string>> headers;
  /// If set, no events are sent. When the topic has ended, or after this time, the response is the
  /// result of `then`, which is called once on a thread of Lane::kDisk and may throw.
  std::optional<std::chrono::milliseconds> wait = {};
  std::function<HttpResponse()> then = {};
};

using HttpAnswer = std::variant<HttpResponse, EventStreamAnswer>;

/// The threads that answer a request. Requests of one lane never wait for those of another.
enum class Lane : std::uint8_t {
  /// Uses only memory: never waits for a disk, or for a lock that is held during disk I/O.
  kMemory,
  kDisk,   ///< may block on disk I/O
  kHeavy,  ///< counts for a while; few at a time
};

/// A request that may proceed, judged by its head. `answer` is called once with the complete
/// request, on a thread of `lane`; it may throw. Stop is requested once no client waits for the
/// response.
struct Admission {
  Lane lane = Lane::kDisk;
  std::function<HttpAnswer(const HttpRequest&, const std::stop_token&)> answer = {};
  /// Limit for its body, in bytes; nullopt = the transport's default.
  std::optional<std::size_t> body_bytes = {};
};

/// The decision about a request's head: a refusal before any of the body is read, or how to answer
/// it.
using Judgement = std::variant<HttpResponse, Admission>;

}  // namespace manyply

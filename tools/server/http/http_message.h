// HTTP messages between routes and transport, as plain values without sockets.
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

/// A request as it was read, within the transport's limits of size and time.
struct HttpRequest {
  std::string method;  ///< as sent: "GET", "POST", …
  std::string target;  ///< as sent, undecoded: "/v1/position?fen=…"
  /// In order, but that those of one name stand together; names as sent.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string id;  ///< of the request, for the access log and for answers

  /// The first header of that name, which is compared without case; none if absent.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
  /// How many headers of that name there are.
  [[nodiscard]] std::size_t header_count(std::string_view name) const;
};

/// A whole answer. The transport adds Content-Length, Connection and Date, and leaves out the body
/// where the method was HEAD.
struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

/// What events are about: a number that is never used again for anything else.
using TopicId = std::int64_t;

/// Instead of a body: the events of one topic from now on (or after `last_event_id`), as
/// Server-Sent Events, until it has ended.
struct EventStreamAnswer {
  TopicId topic = 0;
  std::string_view noun;  ///< what refusals call it: "job"; for ever there
  std::optional<std::uint64_t> last_event_id;
  std::vector<std::pair<std::string, std::string>> headers;
  /// Nothing is told: when the topic has ended, or after so long, what `then` says is the answer.
  /// It is called once, in a thread of Lane::kDisk, and may throw.
  std::optional<std::chrono::milliseconds> wait = {};
  std::function<HttpResponse()> then = {};
};

using HttpAnswer = std::variant<HttpResponse, EventStreamAnswer>;

/// Which threads answer a request: those who wait for one thing do not wait for another.
enum class Lane : std::uint8_t {
  kMemory,  ///< from memory alone: never waits for a disk, or for a lock held while waiting for one
  kDisk,    ///< may wait for the disk
  kHeavy,   ///< counts for a while; few at a time
};

/// A request that is to be answered, as far as its head can say. `answer` is called once, in a
/// thread of `lane`, with the whole request; it may throw. The token says that nobody waits for the
/// answer any more.
struct Admission {
  Lane lane = Lane::kDisk;
  std::function<HttpAnswer(const HttpRequest&, const std::stop_token&)> answer = {};
  std::optional<std::size_t> body_bytes =
      {};  ///< its body may have so many, if not as many as usual
};

/// Of a request's head: the refusal, before any of its body is read, or how it is answered.
using Judgement = std::variant<HttpResponse, Admission>;

}  // namespace manyply

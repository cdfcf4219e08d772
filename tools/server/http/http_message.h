// HTTP messages without sockets: a reader of requests, targets, JSON bodies, responses and
// problems.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"

namespace manyply {

/// A request that was read within the transport's limits on size and time.
struct HttpRequest {
  std::string method;  ///< as sent: "GET", "POST", …
  std::string target;  ///< as sent, not decoded: "/v1/position?fen=…"
  /// The headers in the order of arrival, except that headers with the same name are adjacent.
  /// Names are as sent.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string id;  ///< identifies the request in the access log and in responses

  /// Returns the value of the first header with this name, ignoring case; nullopt if absent.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
  /// Returns the number of headers with this name.
  [[nodiscard]] std::size_t header_count(std::string_view name) const;
};

/// A complete response. The transport adds the headers of ResponseFacts, and omits the body if the
/// method is HEAD.
struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

/// Returns headers that restrict what browsers may do with a response. All responses of Routes have
/// them.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& security_headers();

/// Identifies a topic of events. A number is never reused for another topic.
using TopicId = std::int64_t;

/// A response that streams the events of one topic as Server-Sent Events until the topic has ended.
/// The stream starts as EventHub::open() describes.
struct EventStreamAnswer {
  TopicId topic = 0;
  std::string_view noun;  ///< word for the topic in error messages, such as "job"; a static string
  std::optional<std::uint64_t> last_event_id;
  std::vector<std::pair<std::string, std::string>> headers;
  /// If set, the server sends no events. It waits until the topic has ended or the server shuts
  /// down, but at most for this time. Then it calls `then` once, on a thread of Lane::kDisk, and
  /// responds with the result. `then` may throw.
  std::optional<std::chrono::milliseconds> wait = {};
  std::function<HttpResponse()> then = {};
};

using HttpAnswer = std::variant<HttpResponse, EventStreamAnswer>;

/// A group of threads that answer requests. Requests of one lane never wait for requests of another
/// lane.
enum class Lane : std::uint8_t {
  /// For requests that use only memory: they never wait for a disk, or for a lock that is held
  /// during disk I/O.
  kMemory,
  kDisk,  ///< for requests that may block on disk I/O
  /// For requests that count paths or parse a batch, which may take seconds. They may also block on
  /// disk I/O. Few of them run at a time.
  kHeavy,
};

/// A request whose head was accepted. `answer` is called once with the complete request, on a
/// thread of `lane`. `answer` may throw. It receives a stop request if the server closes all
/// connections at shutdown; in Lane::kHeavy also if the client disconnects.
struct Admission {
  Lane lane = Lane::kDisk;
  std::function<HttpAnswer(const HttpRequest&, const std::stop_token&)> answer = {};
  /// Limit for the request's body, in bytes; nullopt = the transport's default.
  std::optional<std::size_t> body_bytes = {};
};

/// The decision about a request, made from its head: a refusal, or how to answer the request. A
/// refusal is sent before any of the body is read.
using Judgement = std::variant<HttpResponse, Admission>;

// Errors as RFC 9457 problem details.

/// Returns a problem response: {"title": name of the status, "status", "detail", and if known
/// "field" and "column"}.
[[nodiscard]] HttpResponse problem(int status, std::string_view detail);
[[nodiscard]] HttpResponse problem(int status, const Error& error);

/// Returns a problem response that the transport sends instead of the response of a route. With
/// status 503, the response has Retry-After: 1.
[[nodiscard]] HttpResponse transport_problem(int status, std::string_view detail);

[[nodiscard]] std::string_view status_name(int status);  ///< "Not Found"; "Error" if unknown

/// Parses `text` as one JSON object in which no member occurs twice. For any other text, returns
/// kInvalidInput. If a member occurs twice, or has a number that is out of range, the error is that
/// of bad_member() for this member. All other errors have an empty field. Messages about invalid
/// JSON, invalid UTF-8 and numbers that are out of range give the line and the column. Both start
/// at 1; the column is in characters.
Result<nlohmann::ordered_json> parse_json_object(std::string_view text);

/// Returns an error about the member `name`. If a field can have this name (1 to 40 letters and
/// '_'), the error's field is `name`. Otherwise the field is empty, and the message quotes the
/// name.
[[nodiscard]] Error bad_member(const std::string& name, const std::string& why);

/// A parsed and decoded target, such as "/v1/jobs/7?format=csv". Safe to read from any thread.
struct Target {
  std::vector<std::string> segments;  ///< of the path; "/" has one empty segment
  /// Parameters of the query, in order; names are unique.
  std::vector<std::pair<std::string, std::string>> parameters;

  /// Returns the value of a parameter; nullopt if it is absent.
  [[nodiscard]] std::optional<std::string_view> parameter(std::string_view name) const;

  /// Parses a target. '+' means a space only in parameters. Returns kInvalidInput, field "target",
  /// if the target has no leading '/', a '%' without two hexadecimal digits, or a repeated
  /// parameter. Also returns this error if a decoded segment or parameter is not valid UTF-8, or
  /// has a control character other than tab and line ends.
  static Result<Target> parse(std::string_view text);
};

/// Returns whether `bytes` is valid UTF-8 without control characters other than tab and line ends.
[[nodiscard]] bool is_plain_text(std::string_view bytes);

/// Values for the headers that the transport adds to a response.
struct ResponseFacts {
  std::string date;         ///< http_date()
  std::string request_id;   ///< sent unless the response has its own X-Request-Id
  bool keep_alive = false;  ///< false: "Connection: close"
  std::optional<std::size_t> content_length = {};
};

/// Returns the status line, the headers and the empty line after them. Omits headers that contain
/// line ends or a NUL. Precondition: 200 <= status < 600.
[[nodiscard]] std::string response_head(
    int status, const std::vector<std::pair<std::string, std::string>>& headers,
    const ResponseFacts& facts);

/// Returns the current time in HTTP's format: "Sun, 06 Nov 1994 08:49:37 GMT".
[[nodiscard]] std::string http_date();

inline constexpr std::size_t kMaxHeaderBytes = std::size_t{8} << 10;  ///< longer heads: 431
inline constexpr std::size_t kMaxBodyBytes = std::size_t{64} << 10;   ///< longer bodies: 413

/// Size limits of one request.
struct RequestLimits {
  std::size_t header_bytes = kMaxHeaderBytes;
  std::size_t body_bytes = kMaxBodyBytes;  ///< default limit, see limit_body()
};

/// Parses one HTTP/1.1 request from pieces of any size, without sockets or clocks. Stops after the
/// head, so that the caller can check the head before it accepts a body.
///
/// Refuses a request unless the end of its body is unambiguous (RFC 9112, section 6.3). The only
/// accepted transfer coding is `chunked`, which must not be combined with Content-Length. Reads and
/// ignores trailers after a chunked body.
///
/// Used by one thread at a time.
class RequestReader {
 public:
  /// How far a request has been read.
  enum class Stage : std::uint8_t {
    kHead,     ///< needs the rest of the head
    kBody,     ///< has the head; needs the rest of the body
    kDone,     ///< has the complete request
    kRefused,  ///< cannot continue: see refusal()
  };

  explicit RequestReader(const RequestLimits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  /// Consumes bytes from the front of `bytes`, at most to the end of the current stage. Returns the
  /// number of consumed bytes. In the next call, the caller passes the unconsumed bytes again,
  /// followed by new bytes.
  std::size_t feed(std::string_view bytes);

  /// Sets the limit for the body. Call it in stage kBody before any of the body is fed. Refuses a
  /// request that announces a longer body.
  void limit_body(std::size_t bytes);

  /// Returns the stage that has been reached.
  [[nodiscard]] Stage stage() const;
  /// Returns the part of the request that has been read. After stage kHead, its head is complete. A
  /// refused request contains the part that could be parsed.
  [[nodiscard]] HttpRequest& request();
  /// Returns the response to a refused request, with status 400, 413, 431 or 501. Precondition: the
  /// stage is kRefused. The connection must be closed afterwards, because later bytes cannot be
  /// separated from this request's body.
  [[nodiscard]] HttpResponse refusal() const;

  [[nodiscard]] bool keep_alive() const;  ///< after stage kHead: may another request follow?
  /// Returns the memory that the body uses, in bytes: at most twice the received bytes, plus a few.
  [[nodiscard]] std::size_t body_memory() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace manyply

// Parses one HTTP/1.1 request from bytes, without sockets or clocks.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "tools/server/http/http_message.h"

namespace manyply {

inline constexpr std::size_t kMaxHeaderBytes = std::size_t{8} << 10;  ///< longer heads: 431
inline constexpr std::size_t kMaxBodyBytes = std::size_t{64} << 10;   ///< longer bodies: 413

/// Size limits of one request.
struct RequestLimits {
  std::size_t header_bytes = kMaxHeaderBytes;
  std::size_t body_bytes = kMaxBodyBytes;  ///< default limit, see limit_body()
};

/// Reads one request from pieces of any size. Stops after the head, so that the caller can check
/// the head before it accepts a body.
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

// One request of HTTP/1.1 from its bytes: no sockets, no clock.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "tools/server/http/http_message.h"

namespace manyply {

inline constexpr std::size_t kMaxHeaderBytes = std::size_t{8} << 10;  ///< beyond: 431
inline constexpr std::size_t kMaxBodyBytes = std::size_t{64} << 10;   ///< beyond: 413

struct RequestLimits {
  std::size_t header_bytes = kMaxHeaderBytes;
  std::size_t body_bytes = kMaxBodyBytes;  ///< unless limit_body says something else
};

/// Reads one request, however its bytes are cut into pieces. It stops behind the head, so that the
/// head can be checked before a body is taken in.
///
/// Where the body ends is beyond doubt, or the request is refused (RFC 9112, section 6.3): the only
/// transfer coding is `chunked`, and it does not come together with a Content-Length. What comes
/// after a chunked body (trailers) is read and forgotten.
///
/// For one thread at a time.
class RequestReader {
 public:
  enum class Stage : std::uint8_t {
    kHead,     ///< wants the rest of the head
    kBody,     ///< has the head; wants the rest of the body
    kDone,     ///< has all of it
    kRefused,  ///< cannot go on: see refusal()
  };

  explicit RequestReader(const RequestLimits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  /// Takes what it can from the front of `bytes`, up to the end of its present stage; answers how
  /// much that is. What is left comes again, with more behind it.
  std::size_t feed(std::string_view bytes);

  /// In kBody, before any of it is fed: it may have so many bytes. Refuses what is announced to
  /// have more.
  void limit_body(std::size_t bytes);

  [[nodiscard]] Stage stage() const;
  /// What has been read of it: the head's parts behind kHead, or what could be read of a refused
  /// one. Its body grows as it comes.
  [[nodiscard]] HttpRequest& request();
  /// In kRefused: 400, 413, 431 or 501. Nothing that comes behind can be told from this request's
  /// body, so that the connection has to end.
  [[nodiscard]] HttpResponse refusal() const;

  [[nodiscard]] bool keep_alive() const;  ///< behind kHead: may another request follow?
  /// Memory that the body takes so far: no more than twice what has come of it, or a few bytes.
  [[nodiscard]] std::size_t body_memory() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace manyply

// Formats the head of a response.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace manyply {

/// Values for the headers that the transport adds to a response.
struct ResponseFacts {
  std::string date;         ///< http_date()
  std::string request_id;   ///< sent unless the response has its own X-Request-Id
  bool keep_alive = false;  ///< false: "Connection: close"
  std::optional<std::size_t> content_length = {};
};

/// Returns status line and headers, including the empty line. Omits headers that contain line ends.
/// Precondition: 200 <= status < 600.
[[nodiscard]] std::string response_head(
    int status, const std::vector<std::pair<std::string, std::string>>& headers,
    const ResponseFacts& facts);

/// Returns the current time in HTTP's format: "Sun, 06 Nov 1994 08:49:37 GMT".
[[nodiscard]] std::string http_date();

}  // namespace manyply

// The head of an answer, as its bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace manyply {

/// The headers that the transport adds to those of an answer.
struct ResponseFacts {
  std::string date;         ///< http_date()
  std::string request_id;   ///< said unless the answer has an X-Request-Id of its own
  bool keep_alive = false;  ///< else "Connection: close"
  std::optional<std::size_t> content_length = {};
};

/// Status line and headers, the empty line included. Headers that would be more than one line are
/// left out. Preconditions: 200 <= status < 600.
[[nodiscard]] std::string response_head(
    int status, const std::vector<std::pair<std::string, std::string>>& headers,
    const ResponseFacts& facts);

/// Now, as HTTP writes it: "Sun, 06 Nov 1994 08:49:37 GMT".
[[nodiscard]] std::string http_date();

}  // namespace manyply

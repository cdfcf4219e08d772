#include "tools/server/http/http_message.h"

#include <algorithm>

#include "core/base/ascii.h"

namespace manyply {
std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (equal_ignoring_case(key, name)) return value;
  return std::nullopt;
}

std::size_t HttpRequest::header_count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      headers, [name](const auto& header) { return equal_ignoring_case(header.first, name); }));
}

}  // namespace manyply

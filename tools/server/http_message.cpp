#include "tools/server/http_message.h"

#include <algorithm>

namespace manyply {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (same_name(key, name)) return value;
  return std::nullopt;
}

std::size_t HttpRequest::header_count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      headers, [name](const auto& header) { return same_name(header.first, name); }));
}

}  // namespace manyply

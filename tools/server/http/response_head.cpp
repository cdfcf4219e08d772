#include "tools/server/http/response_head.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>

#include "core/base/ascii.h"
#include "tools/server/http/problem.h"

namespace manyply {
namespace {

bool is_one_line(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

}  // namespace

std::string response_head(int status,
                          const std::vector<std::pair<std::string, std::string>>& headers,
                          const ResponseFacts& facts) {
  constexpr std::string_view kRequestId = "X-Request-Id";
  std::string head = "HTTP/1.1 " + std::to_string(status) + ' ';
  head.append(status_name(status)).append("\r\n");
  const auto add = [&head](std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
  };
  bool has_id = false;
  for (const auto& [name, value] : headers) {
    if (!is_one_line(name) || !is_one_line(value)) continue;
    has_id = has_id || equal_ignoring_case(name, kRequestId);
    add(name, value);
  }
  add("Date", facts.date);
  if (!has_id) add(kRequestId, facts.request_id);
  if (!facts.keep_alive) add("Connection", "close");
  if (facts.content_length) add("Content-Length", std::to_string(*facts.content_length));
  return head + "\r\n";
}

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 40> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &utc)};
}

}  // namespace manyply

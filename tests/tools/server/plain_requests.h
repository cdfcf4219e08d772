// Reads the requests on a connection exactly as RFC 9112 describes them, to check the server's
// reader. Shares no code with that reader, has no limits, and accepts no deviations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace manyply {

struct PlainRequest {
  std::string method;
  std::string target;
  std::string version;  ///< "HTTP/1.1"
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;        ///< without chunks
  std::size_t length = 0;  ///< bytes on the connection

  friend bool operator==(const PlainRequest&, const PlainRequest&) = default;
};

namespace plainly {

inline bool is_token(std::string_view text) {
  constexpr std::string_view kToken =
      "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return !text.empty() && text.find_first_not_of(kToken) == std::string_view::npos;
}

inline bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Returns the text before the next "\r\n" and removes both; nullopt if there is no such line.
inline std::optional<std::string_view> take_line(std::string_view& rest) {
  const std::size_t end = rest.find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = rest.substr(0, end);
  if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos)
    return std::nullopt;
  rest.remove_prefix(end + 2);
  return line;
}

inline std::optional<std::size_t> parse_size(std::string_view text, std::size_t base) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (text.empty()) return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size() - 1));
  if (text.size() > 8) return std::nullopt;
  std::size_t size = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c | 0x20) : c);
    if (digit >= base) return std::nullopt;
    size = size * base + digit;
  }
  return size;
}

inline std::optional<std::string> take_bytes(std::string_view& rest, std::size_t size) {
  if (rest.size() < size) return std::nullopt;
  std::string bytes(rest.substr(0, size));
  rest.remove_prefix(size);
  return bytes;
}

inline bool take_header(std::string_view line, PlainRequest& request) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return false;
  std::string_view value = line.substr(colon + 1);
  while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
  while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
  const auto is_control = [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; };
  if (std::ranges::any_of(value, is_control)) return false;
  request.headers.emplace_back(line.substr(0, colon), value);
  return true;
}

inline std::optional<std::string> take_chunks(std::string_view& rest) {
  std::string body;
  for (;;) {
    const auto line = take_line(rest);
    if (!line) return std::nullopt;
    std::string_view digits = line->substr(0, line->find(';'));
    if (digits.size() < line->size()) {
      while (digits.ends_with(' ') || digits.ends_with('\t')) digits.remove_suffix(1);
    }
    const auto size = parse_size(digits, 16);
    if (!size) return std::nullopt;
    if (*size == 0) break;
    const auto bytes = take_bytes(rest, *size);
    if (!bytes || !rest.starts_with("\r\n")) return std::nullopt;
    rest.remove_prefix(2);
    body += *bytes;
  }
  for (;;) {  // skip trailers up to the empty line
    const auto line = take_line(rest);
    if (!line) return std::nullopt;
    if (line->empty()) return body;
  }
}

inline std::optional<std::string> take_body(const PlainRequest& request, std::string_view& rest) {
  std::vector<std::string_view> lengths;
  std::vector<std::string_view> codings;
  for (const auto& [name, value] : request.headers) {
    if (same_name(name, "Content-Length")) lengths.emplace_back(value);
    if (same_name(name, "Transfer-Encoding")) codings.emplace_back(value);
  }
  if (lengths.size() + codings.size() > 1) return std::nullopt;
  if (!lengths.empty()) {
    const auto size = parse_size(lengths.front(), 10);
    return size ? take_bytes(rest, *size) : std::nullopt;
  }
  if (codings.empty()) return std::string();
  if (!same_name(codings.front(), "chunked") || request.version != "HTTP/1.1") return std::nullopt;
  return take_chunks(rest);
}

}  // namespace plainly

/// Returns the first request in `bytes`; nullopt if it is incomplete or ambiguous.
inline std::optional<PlainRequest> plain_request(std::string_view bytes) {
  std::string_view rest = bytes;
  PlainRequest request;
  const auto line = plainly::take_line(rest);
  if (!line || std::ranges::count(*line, ' ') != 2) return std::nullopt;
  const std::size_t first = line->find(' ');
  const std::size_t second = line->rfind(' ');
  request.method = line->substr(0, first);
  request.target = line->substr(first + 1, second - first - 1);
  request.version = line->substr(second + 1);
  if (!plainly::is_token(request.method) || request.target.empty() ||
      (request.version != "HTTP/1.0" && request.version != "HTTP/1.1"))
    return std::nullopt;
  for (;;) {
    const auto header = plainly::take_line(rest);
    if (!header) return std::nullopt;
    if (header->empty()) break;
    if (!plainly::take_header(*header, request)) return std::nullopt;
  }
  auto body = plainly::take_body(request, rest);
  if (!body) return std::nullopt;
  request.body = *std::move(body);
  request.length = bytes.size() - rest.size();
  return request;
}

}  // namespace manyply

#include "tools/server/http/http_message.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "tools/text/json_text.h"

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

namespace {

struct Status {
  int code;
  std::string_view name;
};
constexpr std::array kStatuses{Status{200, "OK"},
                               Status{202, "Accepted"},
                               Status{204, "No Content"},
                               Status{304, "Not Modified"},
                               Status{308, "Permanent Redirect"},
                               Status{400, "Bad Request"},
                               Status{401, "Unauthorized"},
                               Status{403, "Forbidden"},
                               Status{404, "Not Found"},
                               Status{405, "Method Not Allowed"},
                               Status{408, "Request Timeout"},
                               Status{409, "Conflict"},
                               Status{413, "Content Too Large"},
                               Status{415, "Unsupported Media Type"},
                               Status{417, "Expectation Failed"},
                               Status{421, "Misdirected Request"},
                               Status{422, "Unprocessable Content"},
                               Status{429, "Too Many Requests"},
                               Status{431, "Request Header Fields Too Large"},
                               Status{500, "Internal Server Error"},
                               Status{501, "Not Implemented"},
                               Status{503, "Service Unavailable"}};

}  // namespace

std::string_view status_name(int status) {
  for (const Status& known : kStatuses) {
    if (known.code == status) return known.name;
  }
  return "Error";
}

HttpResponse problem(int status, const Error& error) {
  nlohmann::ordered_json body{
      {"title", status_name(status)}, {"status", status}, {"detail", error.to_string()}};
  if (!error.field.empty()) body["field"] = error.field;
  if (error.column > 0) body["column"] = error.column;
  return {status,
          {{"Content-Type", std::string(kProblemType)}, {"Cache-Control", "no-store"}},
          json_line(body)};
}

HttpResponse problem(int status, std::string_view detail) {
  return problem(status, Error{ErrorCode::kInvalidInput, "", 0, std::string(detail)});
}

HttpResponse transport_problem(int status, std::string_view detail) {
  HttpResponse response = problem(status, detail);
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

namespace {

using Json = nlohmann::ordered_json;

Error bad_body(std::string why) { return {ErrorCode::kInvalidInput, "", 0, std::move(why)}; }

/// Returns the line and column of the byte at `offset` in `text`. Precondition: `text` is valid
/// UTF-8 up to `offset`.
std::string place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 on the first line
  const auto begins_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  };
  return fmt::format("line {}, column {}", std::ranges::count(before, '\n') + 1,
                     std::ranges::count_if(before.substr(line_begin), begins_character) + 1);
}

std::optional<Error> judge_encoding(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) {
      return bad_body(fmt::format("the body is not valid UTF-8: {} at {} (byte {})",
                                  quote(text[at]), place_of(text, at), at + 1));
    }
    at += length;
  }
  return std::nullopt;
}

/// Callbacks for the parser. They find the first error and build no values.
class Judge {
 public:
  explicit Judge(std::string_view text) : text_(text) {}

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  // Callbacks of the parser; the names are those of nlohmann::json_sax.
  bool null() { return true; }
  bool boolean(bool /*value*/) { return true; }
  bool number_integer(Json::number_integer_t /*value*/) { return true; }
  bool number_unsigned(Json::number_unsigned_t /*value*/) { return true; }
  bool number_float(Json::number_float_t /*value*/, const std::string& /*text*/) { return true; }
  bool string(const std::string& /*value*/) { return true; }
  bool binary(const Json::binary_t& /*value*/) { return true; }
  bool start_object(std::size_t /*members*/) {
    names_.emplace_back();
    ++depth_;
    return true;
  }
  bool end_object() {
    names_.pop_back();
    --depth_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) { return ++depth_, true; }
  bool end_array() { return --depth_, true; }
  bool key(const std::string& name) {
    if (depth_ == 1) member_ = name;
    if (!names_.back().insert(name).second && !error_) error_ = bad_member(name, "is given twice");
    return true;
  }
  bool parse_error(std::size_t bytes_read, const std::string& token,
                   const nlohmann::detail::exception& problem) {
    constexpr int kNumberOverflow = 406;
    if (problem.id == kNumberOverflow) {
      const std::string why = "is out of range: " + quote(token) + " at " +
                              place_of(text_, bytes_read - std::min(bytes_read, token.size()));
      error_ = member_ ? bad_member(*member_, why) : bad_body("the body " + why);
    } else if (bytes_read > text_.size()) {
      error_ = bad_body("the body is not valid JSON: it ends too early, at " +
                        place_of(text_, text_.size()));
    } else {
      // If the unexpected text is a valid JSON value, quote the whole value. Otherwise quote only
      // the byte at which the text becomes invalid.
      const std::size_t length = Json::accept(token) ? token.size() : 1;
      const std::size_t at = bytes_read - std::min(bytes_read, length);
      error_ = bad_body(fmt::format("the body is not valid JSON: {} is unexpected at {}",
                                    quote(text_.substr(at, length)), place_of(text_, at)));
    }
    return false;
  }

 private:
  const std::string_view text_;
  std::optional<Error> error_;
  std::vector<std::set<std::string>> names_;  // members of each enclosing object
  std::size_t depth_ = 0;                     // number of enclosing objects and lists
  std::optional<std::string> member_;         // latest member of the outermost object
};

}  // namespace

Error bad_member(const std::string& name, const std::string& why) {
  constexpr std::size_t kLongest = 40;
  const bool nameable = !name.empty() && name.size() <= kLongest &&
                        std::ranges::all_of(name, [](char c) { return is_letter(c) || c == '_'; });
  return {ErrorCode::kInvalidInput, nameable ? name : "", 0,
          nameable ? why : quote(name) + ' ' + why};
}

Result<Json> parse_json_object(std::string_view text) {
  if (auto error = judge_encoding(text)) return *std::move(error);
  if (text.empty()) return bad_body("the body is empty; expected a JSON object");
  Judge judge(text);
  const bool is_json = Json::sax_parse(text, &judge);
  if (!is_json) return *judge.error();
  Json json = Json::parse(text);
  if (!json.is_object()) {
    return bad_body(fmt::format("the body must be a JSON object, not a JSON {}", json.type_name()));
  }
  if (judge.error()) return *judge.error();
  return json;
}

namespace {

Error bad_target(std::string why) {
  return {ErrorCode::kInvalidInput, "target", 0, std::move(why)};
}

/// Decodes percent-encoding. Written by hand because Boost.URL takes 5 s to compile
/// (bench/results/zen5-2-cores/notes.md).
Result<std::string> decoded(std::string_view text, bool plus_is_space) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0)
        return bad_target("'%' is not followed by two hexadecimal digits in " + quote(text));
      bytes += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      bytes += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length(std::string_view(bytes).substr(at));
    if (length == 0)
      return bad_target("is not valid UTF-8: " + quote(bytes[at]) + " in " + quote(text));
    if (!is_plain_text(std::string_view(bytes).substr(at, length)))
      return bad_target("contains a control character: " + quote(bytes[at]) + " in " + quote(text));
    at += length;
  }
  return bytes;
}

}  // namespace

bool is_plain_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) return false;
    const char c = bytes.front();
    const bool control = (c >= 0 && c < 0x20) || c == 0x7F;
    if (length == 1 && control && c != '\t' && c != '\n' && c != '\r') return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::optional<std::string_view> Target::parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

Result<Target> Target::parse(std::string_view text) {
  if (!text.starts_with('/')) return bad_target("does not start with '/'");
  const std::size_t question = std::min(text.find('?'), text.size());
  Target target;
  std::string_view path = text.substr(1, question - 1);
  for (;;) {
    const std::size_t slash = path.find('/');
    auto segment = decoded(path.substr(0, slash), false);
    if (!segment) return segment.error();
    target.segments.push_back(std::move(segment).value());
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }

  std::string_view query = text.substr(std::min(question + 1, text.size()));
  while (!query.empty()) {
    std::string_view pair = cut_until(query, '&');
    if (pair.empty()) continue;
    auto name = decoded(cut_until(pair, '='), true);
    auto value = decoded(pair, true);
    if (!name) return name.error();
    if (!value) return value.error();
    if (target.parameter(*name))
      return bad_target("contains the parameter " + quote(*name) + " twice");
    target.parameters.emplace_back(std::move(name).value(), std::move(value).value());
  }
  return target;
}

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
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::time(nullptr)));
}

const std::vector<std::pair<std::string, std::string>>& security_headers() {
  static const std::vector<std::pair<std::string, std::string>> headers{
      {"Content-Security-Policy",
       "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
       "object-src 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
  };
  return headers;
}

}  // namespace manyply

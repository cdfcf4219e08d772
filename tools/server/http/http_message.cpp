#include "tools/server/http/http_message.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <ctime>
#include <set>

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
          {{"Content-Type", "application/problem+json"}, {"Cache-Control", "no-store"}},
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

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

/// A body that grows as it arrives. (http::string_body allocates all of Content-Length at once.)
struct GrowingBody {
  using value_type = std::string;
  class reader {
   public:
    template <bool kRequest, typename Fields>
    reader(http::header<kRequest, Fields>&, value_type& text) : text_(text) {}
    // Beast prescribes the names and signatures.
    void init(const boost::optional<std::uint64_t>&, error_code& error) { error = {}; }
    template <typename Buffers>
    std::size_t put(const Buffers& buffers, error_code& error) {
      error = {};
      std::size_t taken = 0;
      for (auto at = boost::asio::buffer_sequence_begin(buffers);
           at != boost::asio::buffer_sequence_end(buffers); ++at) {
        const boost::asio::const_buffer piece = *at;
        text_.append(static_cast<const char*>(piece.data()), piece.size());
        taken += piece.size();
      }
      return taken;
    }
    void finish(error_code& error) { error = {}; }

   private:
    value_type& text_;
  };
};

/// Checks the sizes and extensions of the chunks of a body. Refuses control characters in
/// extensions. The parser would accept control characters inside quotes, but some intermediaries
/// regard a single '\n' inside quotes as the end of the line.
struct ChunkRules {
  std::size_t room;  ///< number of bytes that all further chunks together may have

  void operator()(std::uint64_t size, boost::beast::string_view extensions, error_code& error) {
    const bool plain = std::ranges::none_of(extensions, [](char c) {
      return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
    });
    if (!plain) error = http::error::bad_chunk_extension;
    if (size > room) error = http::error::body_limit;
    room -= std::min<std::uint64_t>(size, room);
  }
};

/// Returns whether `rest` starts with a complete line that announces a chunk. Returns false for the
/// line of the last chunk, which has size 0. `rest` is the input that the parser did not consume.
/// The parser leaves such a line only if the line has an open quote. This makes the request
/// invalid, but the parser would wait for the closing quote.
bool is_chunk_line_with_open_quotes(std::string_view rest) {
  constexpr std::string_view kNewline = "\r\n";
  if (rest.starts_with(kNewline)) rest.remove_prefix(kNewline.size());
  const std::string_view size = rest.substr(0, rest.find_first_not_of("0123456789abcdefABCDEF"));
  const bool last = size.find_first_not_of('0') == std::string_view::npos;
  return !last && rest.find(kNewline) != std::string_view::npos;
}

bool is_token_character(char c) {
  return is_letter(c) || is_digit(c) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const std::size_t start = std::min(text.find_first_not_of(kSpace), text.size());
  return text.substr(start, text.find_last_not_of(kSpace) + 1 - start);
}

/// An error in the headers that define where the body ends: the response's status and the reason.
struct FramingFault {
  int status;
  std::string_view why;
};

constexpr FramingFault kTwoFramings{
    400, "a request must not have both Transfer-Encoding and Content-Length"};
constexpr FramingFault kDoubtfulLength{
    400, "Content-Length must occur once and be a whole number below 2^64"};
constexpr FramingFault kNotChunked{400, "Transfer-Encoding must occur once and end with 'chunked'"};

/// Returns whether Content-Length has two values, on two lines or as "5, 5". The parser accepts two
/// equal values, but not all intermediaries interpret them in the same way.
bool is_doubtful_length(const HttpRequest& request) {
  const std::string_view length = request.header("Content-Length").value_or("0");
  return request.header_count("Content-Length") > 1 || !std::ranges::all_of(length, is_digit);
}

/// Checks headers against RFC 9112, sections 6.1 and 6.3, after the parser has accepted them.
/// Accepts only plain `chunked`, and refuses codings with parameters.
std::optional<FramingFault> framing_fault(const HttpRequest& request, bool http_1_0) {
  constexpr std::string_view kName = "Transfer-Encoding";
  if (request.header_count(kName) == 0)
    return is_doubtful_length(request) ? std::optional(kDoubtfulLength) : std::nullopt;
  if (http_1_0) return FramingFault{400, "HTTP/1.0 does not support Transfer-Encoding"};
  if (request.header_count("Content-Length") > 0) return kTwoFramings;
  std::vector<std::string_view> codings;  // codings of all header lines, without empty members
  for (const auto& [name, value] : request.headers) {
    if (!equal_ignoring_case(name, kName)) continue;
    for (std::string_view rest = value; !rest.empty();) {
      const std::string_view coding = trimmed(cut_until(rest, ','));
      if (!coding.empty()) codings.push_back(coding);
    }
  }
  const auto is_chunked = [](std::string_view coding) {
    return equal_ignoring_case(coding, "chunked");
  };
  if (codings.empty() || !is_chunked(codings.back()) ||
      std::ranges::count_if(codings, is_chunked) > 1)
    return kNotChunked;
  if (codings.size() > 1)
    return FramingFault{501, "Transfer-Encoding: only 'chunked' is supported"};
  // Refuse a list of codings with empty members, such as ", chunked". These members mean nothing,
  // but some implementations do not ignore them.
  if (request.header_count(kName) > 1 || !is_chunked(*request.header(kName))) return kNotChunked;
  return std::nullopt;
}

/// Returns the fault if the parser refused a Content-Length or Transfer-Encoding header. `before`
/// is the part of the request before this header. The header is invalid, or contradicts a header in
/// `before`. Returns nullopt for all other errors.
std::optional<FramingFault> framing_fault(const HttpRequest& before, const error_code& error) {
  const bool length = error == http::error::bad_content_length;
  if (!length && error != http::error::bad_transfer_encoding) return std::nullopt;
  if (before.header_count(length ? "Transfer-Encoding" : "Content-Length") > 0) return kTwoFramings;
  return length ? kDoubtfulLength : kNotChunked;
}

}  // namespace

class RequestReader::Impl {
 public:
  explicit Impl(const RequestLimits& limits)
      : limits_(limits), body_bytes_(limits.body_bytes), chunk_rules_{limits.body_bytes} {
    parser_.header_limit(static_cast<std::uint32_t>(limits.header_bytes + 1));
    parser_.body_limit(boost::none);  // the limit is known only after the head
    parser_.on_chunk_header(chunk_rules_);
  }

  std::size_t feed(std::string_view bytes) {
    switch (stage_) {
      case Stage::kHead:
        return feed_head(bytes);
      case Stage::kBody:
        return feed_body(bytes);
      default:
        return 0;
    }
  }

  void limit_body(std::size_t bytes) {
    body_bytes_ = bytes;
    chunk_rules_.room = bytes;
    if (parser_.content_length().value_or(0) > bytes) refuse_body();
  }

  Stage stage_ = Stage::kHead;
  HttpRequest request_;
  HttpResponse refusal_;
  bool keep_alive_ = false;
  http::request_parser<GrowingBody> parser_;

 private:
  std::size_t feed_head(std::string_view bytes) {
    const std::size_t end = end_of_head(bytes.substr(0, limits_.header_bytes));
    if (stage_ != Stage::kHead) return 0;
    if (end == 0 && bytes.size() > limits_.header_bytes) {
      refuse(431, "request line and headers are limited to " +
                      std::to_string(limits_.header_bytes) + " bytes");
      return 0;
    }
    if (end == 0) return 0;
    error_code error;
    parser_.put({bytes.data(), end}, error);
    const auto& message = parser_.get();
    request_.method = message.method_string();
    request_.target = message.target();
    for (const auto& field : message)
      request_.headers.emplace_back(field.name_string(), field.value());
    auto fault = framing_fault(request_, error);
    if (!fault && !error) fault = framing_fault(request_, message.version() == 10);
    if (fault) {
      refuse(fault->status, fault->why);
    } else if (error) {
      refuse(error);
    } else {
      keep_alive_ = message.keep_alive();
      stage_ = parser_.is_done() ? Stage::kDone : Stage::kBody;
    }
    return end;
  }

  /// Returns the offset at which the head ends; 0 if the head is not complete. Refuses some invalid
  /// heads before they are complete, because the client may already be waiting for a response:
  /// other protocols, lines without '\r', and headers that continue on the next line. Some
  /// implementations read such a header as two headers (RFC 9112, section 5.2).
  std::size_t end_of_head(std::string_view bytes) {
    for (; seen_ < bytes.size(); ++seen_) {
      const char c = bytes[seen_];
      in_method_ = in_method_ && c != ' ';
      if (c == '\n') {
        if (seen_ == 0 || bytes[seen_ - 1] != '\r') {
          refuse(400, "invalid HTTP/1.1 request: a line does not end with \\r\\n");
          return 0;
        }
        if (bytes.substr(0, seen_ + 1).ends_with("\r\n\r\n")) return seen_ + 1;
      } else if ((c == ' ' || c == '\t') && seen_ > 0 && bytes[seen_ - 1] == '\n') {
        refuse(400, "invalid HTTP/1.1 request: a header continues on the next line");
        return 0;
      } else if (in_method_ && !is_token_character(c) && c != '\r') {
        refuse(400, "invalid HTTP/1.1 request: bad method");
        return 0;
      }
    }
    return 0;
  }

  std::size_t feed_body(std::string_view bytes) {
    // The parser may stop inside the last chunk ("0\r\n\r\n"). The next call of the parser starts
    // this chunk again, and asserts that it receives at least 5 bytes. So call the parser only with
    // at least 5. They always arrive, because a chunked body has at least 5 bytes after its data.
    const std::size_t least = parser_.chunked() ? std::string_view("0\r\n\r\n").size() : 1;
    std::size_t taken = 0;
    if (parser_.content_length().value_or(0) > body_bytes_) refuse_body();
    while (stage_ == Stage::kBody && bytes.size() - taken >= least) {
      // The parser consumes the line before a chunk, and the trailers after the last chunk, only
      // when they are complete. Each of these may be as long as a head, but not longer. So pass at
      // most `header_bytes` to the parser, even if more bytes have arrived.
      const std::string_view next = bytes.substr(taken, limits_.header_bytes);
      error_code error;
      const std::size_t more = parser_.put({next.data(), next.size()}, error);
      taken += more;
      if (error && error != http::error::need_more) {
        refuse(error);
      } else if (parser_.is_done()) {
        stage_ = Stage::kDone;
        request_.body = std::move(parser_.get().body());
      } else if (more == 0) {
        if (parser_.chunked() && is_chunk_line_with_open_quotes(next)) {
          refuse(http::error::bad_chunk_extension);
        } else if (bytes.size() - taken > limits_.header_bytes) {
          refuse(400, "invalid HTTP/1.1 request: a line between chunks is too long");
        }
        break;
      }
    }
    return taken;
  }

  void refuse(const error_code& error) {
    if (error == http::error::body_limit) return refuse_body();
    refuse(400, "invalid HTTP/1.1 request: " + error.message());
  }
  void refuse_body() {
    refuse(413, "the body is limited to " + std::to_string(body_bytes_) + " bytes");
  }
  void refuse(int status, std::string_view why) {
    stage_ = Stage::kRefused;
    refusal_ = transport_problem(status, why);
  }

  const RequestLimits limits_;
  std::size_t body_bytes_;
  ChunkRules chunk_rules_;  // the parser holds a reference to it
  std::size_t seen_ = 0;    // number of bytes that were searched for the end of the head
  bool in_method_ = true;
};

RequestReader::RequestReader(const RequestLimits& limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestReader::~RequestReader() = default;

std::size_t RequestReader::feed(std::string_view bytes) { return impl_->feed(bytes); }
void RequestReader::limit_body(std::size_t bytes) { impl_->limit_body(bytes); }
RequestReader::Stage RequestReader::stage() const { return impl_->stage_; }
HttpRequest& RequestReader::request() { return impl_->request_; }
HttpResponse RequestReader::refusal() const { return impl_->refusal_; }
bool RequestReader::keep_alive() const { return impl_->keep_alive_; }
std::size_t RequestReader::body_memory() const { return impl_->parser_.get().body().capacity(); }

}  // namespace manyply

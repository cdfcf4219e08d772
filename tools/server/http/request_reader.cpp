#include "tools/server/http/request_reader.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <string>

#include "core/base/text.h"
#include "tools/server/http/http_message.h"

namespace manyply {
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

/// Returns whether `rest`, the input that the parser did not consume, starts with a complete chunk
/// line. The parser leaves a complete line only if a quote in it is open. Such a request is
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
  // Empty list members mean nothing, but some implementations do not ignore them.
  if (request.header_count(kName) > 1 || !is_chunked(*request.header(kName))) return kNotChunked;
  return std::nullopt;
}

/// Returns the fault if the parser stopped at Content-Length or Transfer-Encoding: the header is
/// invalid, or contradicts the headers `before` it. Returns nullopt for all other errors.
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
    parser_.body_limit(boost::none);  // the limit is known after the head
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

  /// Returns the offset at which the head ends; 0 if the head is not complete. Refuses bytes as
  /// soon as they cannot become a valid head, because the client may be waiting for a response.
  /// Refuses other protocols, lines without '\r', and headers that continue on the next line. Some
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
    // If the last chunk is incomplete, the parser later parses it again from its start, and then
    // asserts that it sees at least 5 bytes ("0\r\n\r\n"). So pass at least 5 bytes. A chunked body
    // contains at least 5 bytes after its data, so the bytes to wait for always arrive.
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

// Sends any bytes on a connection. The first byte decides how the other bytes are cut, and whether
// they are also sent over a real connection. After sending, the client closes its half of this
// connection. Requests must not depend on the cuts, and must equal those of a simple reader of RFC
// 9112. The server must receive exactly these requests and answer each one once.

#include <chrono>
#include <memory>
#include <mutex>

#include "core/base/text.h"
#include "tests/fuzz/expect.h"
#include "tests/tools/server/plain_requests.h"
#include "tests/tools/server/wire.h"
#include "tools/server/http/event_hub.h"
#include "tools/server/http/http_server.h"

using namespace manyply;

namespace {

constexpr RequestLimits kLimits{.header_bytes = 1 << 10, .body_bytes = 4 << 10};

struct ReadRequest {
  HttpRequest request;
  bool last = false;
};

/// The requests and responses of a connection.
struct Conversation {
  std::vector<ReadRequest> requests;
  int refused = 0;         ///< status of the refusal that ended the connection; 0 if none
  std::size_t length = 0;  ///< length of `requests` in bytes
};

/// Reads one request after another until the last one, as the transport does.
Conversation converse(std::string_view bytes, std::size_t piece) {
  Conversation all;
  std::string input;
  auto reader = std::make_unique<RequestReader>(kLimits);
  std::size_t taken = 0;
  while (!bytes.empty()) {
    input += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (bool moved = true; moved && !input.empty();) {
      const RequestReader::Stage before = reader->stage();
      const std::size_t more = reader->feed(input);
      expect(more <= input.size(), "a reader takes what there is");
      expect(reader->body_memory() <= 2 * kLimits.body_bytes + 64, "a body's memory is bounded");
      input.erase(0, more);
      taken += more;
      moved = more > 0 || reader->stage() != before;
      if (reader->stage() == RequestReader::Stage::kRefused) {
        all.refused = reader->refusal().status;
        return all;
      }
      if (reader->stage() != RequestReader::Stage::kDone) continue;
      all.length = taken;
      all.requests.push_back({std::move(reader->request()), !reader->keep_alive()});
      if (all.requests.back().last) return all;
      reader = std::make_unique<RequestReader>(kLimits);
    }
  }
  return all;
}

void expect_same(const Conversation& whole, const Conversation& cut, std::string_view bytes) {
  expect(whole.requests.size() == cut.requests.size(), "as many requests in pieces", bytes);
  expect(whole.refused == cut.refused, "refused alike in pieces", bytes);
  expect(whole.length == cut.length, "requests are as long in pieces", bytes);
  for (std::size_t i = 0; i < whole.requests.size(); ++i) {
    const HttpRequest& a = whole.requests[i].request;
    const HttpRequest& b = cut.requests[i].request;
    expect(a.method == b.method && a.target == b.target, "the same request lines", a.target);
    expect(a.headers == b.headers && a.body == b.body, "the same headers and bodies", a.target);
  }
}

/// Sorts headers by name, because the reader puts headers of the same name together.
using Headers = std::vector<std::pair<std::string, std::string>>;
Headers by_name(Headers headers) {
  for (auto& [name, value] : headers) name = to_lower(name);
  std::ranges::stable_sort(headers, {}, &Headers::value_type::first);
  return headers;
}

void expect_plain(const Conversation& read, std::string_view bytes) {
  std::size_t length = 0;
  for (const ReadRequest& each : read.requests) {
    const auto plain = plain_request(bytes.substr(length));
    expect(plain.has_value(), "what is taken for a request is one beyond doubt", bytes);
    expect(plain->method == each.request.method && plain->target == each.request.target,
           "a plain reader finds that request line", bytes);
    expect(by_name(plain->headers) == by_name(each.request.headers),
           "a plain reader finds those headers", bytes);
    expect(plain->body == each.request.body, "a plain reader finds that body", bytes);
    length += plain->length;
  }
  expect(length == read.length, "a plain reader finds requests of that length", bytes);
}

/// Collects requests as texts, in the order in which they were answered.
class Recorder {
 public:
  Judgement judge(const HttpRequest& head) {
    if (head.target.starts_with("/refused")) return HttpResponse{404, {}, "refused"};
    const Lane lane = head.target.starts_with("/disk") ? Lane::kDisk : Lane::kMemory;
    return Admission{lane, [this](const HttpRequest& request, const std::stop_token&) {
                       note(request);
                       return answer(request);
                     }};
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answered_, {});
  }
  static std::string text_of(const HttpRequest& request) {
    return request.method + ' ' + request.target + '\n' + request.body;
  }

 private:
  static HttpAnswer answer(const HttpRequest& request) {
    if (request.target.starts_with("/events")) return EventStreamAnswer{1, "job", {}, {}};
    if (request.target.starts_with("/throws")) throw std::runtime_error("as asked");
    return HttpResponse{request.target.starts_with("/empty") ? 204 : 200, {}, request.target};
  }
  void note(const HttpRequest& request) {
    const std::lock_guard lock(mutex_);
    answered_.push_back(text_of(request));
  }

  std::mutex mutex_;
  std::vector<std::string> answered_;
};

class ServedConnections {
 public:
  ServedConnections() {
    HttpServerOptions options;
    options.limits.request = kLimits;
    // Long time limits, because the machine may stand still or the fuzzer may be stopped for a
    // while.
    options.limits.read_timeout = options.limits.write_timeout = std::chrono::hours(1);
    options.disk_threads = 1;
    options.heavy_threads = 1;
    server_ = HttpServer::bind(std::move(options)).value();
    server_->serve([this](const HttpRequest& head) { return recorder_.judge(head); }, &hub_);
  }

  /// `expected` is what the reader found in `bytes` without a connection.
  void check(std::string_view bytes, std::size_t piece, const Conversation& expected) {
    Wire wire(server_->port());
    expect(wire.connected(), "there is a connection");
    wire.reset_when_closed();  // otherwise the system keeps thousands of closed connections
    std::string_view rest = bytes;
    bool open = true;
    while (open && !rest.empty()) {
      open = wire.send(rest.substr(0, piece));
      rest.remove_prefix(std::min(piece, rest.size()));
    }
    wire.end_sending();
    const std::string answers = wire.rest();
    wire.close();
    expect_asked(expected, bytes);
    expect_answered(expected, answers, bytes);
  }

 private:
  /// The server must receive exactly the expected requests, up to one that ends the connection.
  void expect_asked(const Conversation& expected, std::string_view bytes) {
    const std::vector<std::string> asked = recorder_.take();
    std::size_t next = 0;
    for (const ReadRequest& each : expected.requests) {
      const HttpRequest& request = each.request;
      // A chunked body counts as a body even if it is empty.
      const bool body = !request.body.empty() || request.header("Transfer-Encoding").has_value();
      if (request.target.starts_with("/refused")) {
        if (!body) continue;
        break;  // the body is not read, so this is the last request
      }
      const auto expectation = request.header("Expect");
      if (expectation && !plainly::same_name(*expectation, "100-continue") && body) break;
      expect(next < asked.size(), "every request is asked", bytes);
      expect(asked[next++] == Recorder::text_of(request), "the requests asked are those sent",
             bytes);
      if (request.target.starts_with("/events")) break;
    }
    expect(next == asked.size(), "nothing is asked that was not sent", bytes);
  }

  /// Each response must be complete, and at most one may belong to each request. The last responses
  /// may be missing: if the client has closed the connection, the server may end it.
  static void expect_answered(const Conversation& expected, std::string_view answers,
                              std::string_view bytes) {
    std::size_t finals = 0;
    while (!answers.empty()) {
      expect(answers.starts_with("HTTP/1.1 "), "an answer begins with its status", answers);
      const std::size_t end = answers.find("\r\n\r\n");
      expect(end != std::string_view::npos, "an answer's head is whole", answers);
      const std::string_view head = answers.substr(0, end + 2);
      answers.remove_prefix(end + 4);
      if (head.starts_with("HTTP/1.1 100 ")) continue;
      const std::size_t index = finals++;
      const bool known = index < expected.requests.size();
      if (known && expected.requests[index].request.target.starts_with("/events") &&
          head.find("text/event-stream") != std::string_view::npos)
        return;
      // The refused request may also have been a HEAD request.
      const bool bodiless =
          known ? expected.requests[index].request.method == "HEAD" : answers.empty();
      if (bodiless || head.starts_with("HTTP/1.1 204 ")) continue;
      constexpr std::string_view kLength = "\r\nContent-Length: ";
      const std::size_t at = head.find(kLength);
      expect(at != std::string_view::npos, "an answer says its length", head);
      const std::string_view number = head.substr(at + kLength.size());
      const auto length = plainly::parse_size(number.substr(0, number.find('\r')), 10);
      expect(length && *length <= answers.size(), "an answer is whole", bytes);
      answers.remove_prefix(*length);
    }
    expect(finals <= expected.requests.size() + 1, "an answer a request, and one refusal", bytes);
    expect(finals >= (expected.refused != 0 ? 1U : 0U), "a refusal is said", bytes);
  }

  Recorder recorder_;
  EventHub hub_{[](TopicId) {
    return std::optional<TopicEvent>({.name = "done", .data = "{}", .last = true});
  }};
  std::unique_ptr<HttpServer> server_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = data[0] % 61 + 1U;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Conversation whole = converse(bytes, bytes.size() + 1);
  expect_same(whole, converse(bytes, piece), bytes);
  expect_plain(whole, bytes);
  if (data[0] % 8 != 0) return 0;  // a real connection is slow, so use it for one input in eight
  static ServedConnections server;
  server.check(bytes, data[0] % 16 == 0 ? bytes.size() + 1 : piece, whole);
  return 0;
}

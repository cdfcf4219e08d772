#include "tools/server/http/http_server.h"

#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "tests/support/budget.h"
#include "tests/support/eventually.h"
#include "tests/tools/server/state_dir.h"
#include "tests/tools/server/wire.h"
#include "tools/server/http/event_hub.h"

namespace manyply {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Seen {
  std::string method, path, id;
  int status;
  std::uint64_t bytes;
  bool stream;
};

TopicEvent event_at(const std::string& state) {
  const bool last = state == "done" || state == "failed";
  return {last ? state : "state", state, false, last};
}

/// Responds with the request. /wait and /heavy wait until release(), but /heavy ends earlier if its
/// client no longer waits. /later/MS waits for job 1. /events/N follows job N. /big has a large
/// response. /refused is refused before its body is read.
class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() : hub_([](TopicId) { return std::optional(event_at("running")); }) {
    // No client of these tests is late, even on a slow machine. Tests of late clients advance the
    // time themselves.
    for (milliseconds* limit : {&options_.limits.read_timeout, &options_.limits.idle_timeout,
                                &options_.limits.write_timeout, &options_.limits.linger})
      *limit = std::chrono::hours(1000);
    options_.observer = [this](const RequestRecord& record) {
      const std::lock_guard lock(mutex_);
      seen_.push_back({std::string(record.method), std::string(record.path), std::string(record.id),
                       record.status, record.bytes, record.stream});
    };
  }
  ~HttpServerTest() override { release(); }

  HttpServer& server() {
    if (server_) return *server_;
    server_ = HttpServer::bind(options_, [this] {
                return Clock::time_point(seconds(1000 + passed_));
              }).value();
    server_->serve([this](const HttpRequest& head) { return judge(head); }, &hub_);
    return *server_;
  }
  Wire connect(int receive_buffer = 0) { return Wire(server().port(), receive_buffer); }
  /// Returns a connection on which `request` has been sent.
  Wire sent(std::string_view request, int receive_buffer = 0) {
    Wire wire = connect(receive_buffer);
    wire.send(request);
    return wire;
  }
  std::vector<Wire> sent_often(std::size_t times, std::string_view request) {
    std::vector<Wire> wires;
    while (wires.size() < times) wires.push_back(sent(request));
    return wires;
  }
  std::string ask(std::string_view request) {
    Wire wire = connect();
    EXPECT_TRUE(wire.send(request));
    return wire.response();
  }
  static std::string get(const std::string& path, const std::string& headers = "") {
    return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
  }
  static std::string post(const std::string& headers, const std::string& path = "/") {
    return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
  }

  Judgement judge(const HttpRequest& head) {
    EXPECT_EQ(head.body, "");
    if (head.target == "/refused") return HttpResponse{401, {}, "refused"};
    if (head.target == "/misjudged") throw std::runtime_error("on purpose");
    const Lane lane = head.target == "/healthz" ? Lane::kMemory
                      : head.target == "/heavy" ? Lane::kHeavy
                                                : Lane::kDisk;
    return Admission{lane, [this](const HttpRequest& request, const std::stop_token& stop) {
                       return answer(request, stop);
                     }};
  }
  HttpAnswer answer(const HttpRequest& request, const std::stop_token& stop) {
    ++handled_;
    if (request.target == "/heavy") {
      ++heavy_;
      std::unique_lock lock(mutex_);
      open_.wait(lock, stop, [this] { return released_; });
      --heavy_;
      stopped_ += stop.stop_requested() ? 1 : 0;
    }
    if (request.target == "/wait") {
      ++waiting_;
      std::unique_lock lock(mutex_);
      open_.wait(lock, [this] { return released_; });
    }
    if (request.target == "/throw") throw std::runtime_error("on purpose");
    if (request.target == "/split") return HttpResponse{200, {{"A", "b\r\nC: d"}}, "split"};
    if (request.target == "/none") return HttpResponse{204, {}, ""};
    if (request.target == "/big") return HttpResponse{200, {}, std::string(kBig, 'x')};
    if (request.target.starts_with("/later/")) {
      EventStreamAnswer answer{1, "job", {}, {}};
      answer.wait = milliseconds(std::stoll(request.target.substr(7)));
      answer.then = [this] {
        if (++told_ > 1) throw std::runtime_error("on purpose");
        return HttpResponse{200, {{"A", "b"}}, "told"};
      };
      return answer;
    }
    if (request.target.starts_with("/events/")) {
      EventStreamAnswer answer{std::stoll(request.target.substr(8)), "job", {}, {{"A", "b"}}};
      if (const auto last = request.header("last-event-id"))
        answer.last_event_id = std::stoull(std::string(*last));
      return answer;
    }
    return HttpResponse{200,
                        {{"Content-Type", "text/plain"}},
                        request.method + ' ' + request.target + ' ' + request.body};
  }
  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    open_.notify_all();
  }
  std::vector<Seen> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  void publish(TopicId topic, const std::string& state) { hub_.publish(topic, event_at(state)); }

  using Clock = std::chrono::steady_clock;
  static constexpr seconds kPatience = std::chrono::minutes(10);  // for responses in progress
  std::atomic<int> passed_ = 0;  // seconds on the clock of the time limits
  static constexpr std::size_t kBig = std::size_t{16} << 20;
  HttpServerOptions options_;
  EventHub hub_;
  std::mutex mutex_;
  std::condition_variable_any open_;
  bool released_ = false;
  std::vector<Seen> seen_;
  std::atomic<int> told_{0};  // by /later
  std::atomic<int> waiting_{0};
  std::atomic<int> handled_{0};
  std::atomic<int> heavy_{0};    // running requests to /heavy
  std::atomic<int> stopped_{0};  // requests to /heavy that were stopped
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersAndKeepsTheConnection) {
  Wire wire = connect();
  for (int i = 0; i < 3; ++i) {
    wire.send(get("/a?b=c"));
    EXPECT_THAT(wire.response(),
                AllOf(StartsWith("HTTP/1.1 200 OK\r\n"),
                      HasSubstr("\r\nContent-Type: text/plain\r\n"), HasSubstr("\r\nDate: "),
                      HasSubstr("\r\nX-Request-Id: "), EndsWith("\r\n\r\nGET /a?b=c ")));
  }
  wire.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
  EXPECT_THAT(wire.response(), EndsWith("POST /a hello"));
  EXPECT_EQ(wire.rest(), "") << "closed as asked";
  EXPECT_EQ(server().stats().accepted, 1u);
}

TEST_F(HttpServerTest, ClosesAfterARequestOfHttp10) {
  Wire wire = sent("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(wire.rest(), AllOf(HasSubstr("Connection: close"), EndsWith("GET / ")));
}

TEST_F(HttpServerTest, HeadHasTheHeadersOnly) {
  Wire wire = sent("HEAD /big HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(wire.response(true), HasSubstr("Content-Length: " + std::to_string(kBig)));
  EXPECT_THAT(wire.response(), AllOf(StartsWith("HTTP/1.1 204"), Not(HasSubstr("Content-Length"))));
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInTheirOrder) {
  Wire wire = connect();
  std::string requests;
  for (int i = 0; i < 500; ++i) requests += get("/" + std::to_string(i));
  std::jthread sender([&] { wire.send(requests); });
  for (int i = 0; i < 500; ++i)
    ASSERT_THAT(wire.response(), EndsWith("\r\n\r\nGET /" + std::to_string(i) + ' '));
}

TEST_F(HttpServerTest, TakesARequestByteByByteAndInChunks) {
  Wire wire = connect();
  for (const char c :
       post("Transfer-Encoding: chunked\r\n", "/x") + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
    wire.send({&c, 1});
  EXPECT_THAT(wire.response(), EndsWith("POST /x abcde"));
}

TEST_F(HttpServerTest, SendsBigAnswersWhole) {
  EXPECT_EQ(ask(get("/big")).substr(0, 15), "HTTP/1.1 200 OK");
  Wire wire = sent(get("/big", "Connection: close\r\n"));
  const std::string all = wire.rest();
  EXPECT_EQ(all.size() - all.find("\r\n\r\n") - 4, kBig);
}

TEST_F(HttpServerTest, LimitsTheHead) {
  const std::string fits(kMaxHeaderBytes - 200, 'a');
  EXPECT_THAT(ask(get("/", "A: " + fits + "\r\n")), StartsWith("HTTP/1.1 200"));
  for (const std::string& request :
       {get("/", "A: " + std::string(kMaxHeaderBytes, 'a') + "\r\n"),
        get("/" + std::string(kMaxHeaderBytes, 'a')),
        "GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(1 << 20, 'a')}) {
    EXPECT_THAT(ask(request),
                AllOf(StartsWith("HTTP/1.1 431 "), HasSubstr("Connection: close"),
                      HasSubstr("application/problem+json"), HasSubstr("8192 bytes")));
  }
}

TEST_F(HttpServerTest, LimitsTheBody) {
  const std::string whole(kMaxBodyBytes, 'b');
  const auto post_of = [](std::size_t length) {
    return post("Content-Length: " + std::to_string(length) + "\r\n");
  };
  EXPECT_THAT(ask(post_of(whole.size()) + whole), EndsWith(whole));
  EXPECT_THAT(ask(post_of(whole.size() + 1) + whole + 'b'), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(ask(post_of(1 << 30)), StartsWith("HTTP/1.1 413 ")) << "before it has come";
  std::string chunks;
  for (int i = 0; i < 20; ++i) chunks += "1000\r\n" + std::string(0x1000, 'c') + "\r\n";
  EXPECT_THAT(ask(post("Transfer-Encoding: chunked\r\n") + chunks), StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, AnswersGarbageWith400) {
  for (const std::string request :
       {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "hello\r\n\r\n", "GET\r\n\r\n",
        "GET / HTTP/2.0\r\n\r\n", "G\xc3\xa9T / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nA : b\r\n\r\n",
        "GET /a b HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n"}) {
    Wire wire = sent(request);
    wire.end_sending();
    EXPECT_THAT(wire.rest(), AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("Connection: close"),
                                   HasSubstr("\"status\":400")))
        << request;
  }
  ASSERT_TRUE(eventually([&] { return !seen().empty(); }));
  EXPECT_EQ(seen()[0].status, 400);
  EXPECT_EQ(seen()[0].path, "");
}

/// Removes the headers that differ in each response, and checks them.
std::string timeless(std::string response) {
  for (const std::string_view name : {"\r\nDate: ", "\r\nX-Request-Id: "}) {
    const std::size_t at = response.find(name);
    EXPECT_NE(at, std::string::npos) << response;
    if (at != std::string::npos) response.erase(at, response.find("\r\n", at + 2) - at);
  }
  return response;
}

// The end of a body must be unambiguous. Otherwise an intermediary that reads it differently lets
// one request hide in another (RFC 9112, sections 6.1 and 6.3).
TEST_F(HttpServerTest, RefusesBodiesWhoseEndIsInDoubt) {
  struct Case {
    std::string detail;
    std::vector<std::string> headers;
    std::string status = "400 Bad Request";
    std::string version = "1.1";
  };
  for (const Case& each : std::vector<Case>{
           {"Transfer-Encoding must occur once and end with 'chunked'",
            {"Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: gzip\r\n",
             "Transfer-Encoding: identity\r\n", "Transfer-Encoding:\r\n",
             "Transfer-Encoding: chunked, gzip\r\n", "Transfer-Encoding: chunked, identity\r\n",
             "Transfer-Encoding: chunked;q=1\r\n", "Transfer-Encoding: \"chunked\"\r\n",
             "Transfer-Encoding: gzip;a=\"b, chunked\"\r\n",
             "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n",
             "Transfer-Encoding: chunked, chunked\r\n",
             "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
             "Transfer-Encoding: , chunked ,\r\n",
             "Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n"}},
           {"invalid HTTP/1.1 request: a header continues on the next line",
            {"Transfer-Encoding:\r\n chunked\r\n", "A: b\r\n\tc\r\n"}},
           {"Content-Length must occur once and be a whole number below 2^64",
            {"Content-Length: 0, 0\r\n", "Content-Length: 0,\r\n",
             "Content-Length: 0\r\ncontent-length: 0\r\n"}},
           {"Transfer-Encoding: only 'chunked' is supported",
            {"Transfer-Encoding: gzip, chunked\r\n", "transfer-encoding: GZIP ,\tCHUNKED\r\n",
             "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
             "Transfer-Encoding: identity, chunked\r\n"},
            "501 Not Implemented"},
           {"a request must not have both Transfer-Encoding and Content-Length",
            {"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
             "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
             "Content-Length: 5\r\nTransfer-Encoding: xchunked\r\n",
             "Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n",
             "Transfer-Encoding: gzip, chunked\r\nContent-Length: 0\r\n"}},
           {"HTTP/1.0 does not support Transfer-Encoding",
            {"Transfer-Encoding: chunked\r\n",
             "Transfer-Encoding: gzip\r\nConnection: keep-alive\r\n"},
            "400 Bad Request",
            "1.0"},
       }) {
    const std::string body = R"({"title":")" + each.status.substr(4) + R"(","status":)" +
                             each.status.substr(0, 3) + R"(,"detail":")" + each.detail + "\"}\n";
    const std::string expected =
        "HTTP/1.1 " + each.status +
        "\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body;
    for (const std::string& headers : each.headers) {
      Wire wire = sent("POST /first HTTP/" + each.version + "\r\nHost: x\r\n" + headers + "\r\n" +
                       post("Content-Length: 0\r\n", "/second"));
      wire.end_sending();
      EXPECT_EQ(timeless(wire.rest()), expected) << headers;
    }
  }
  server().shutdown(kPatience);
  for (const Seen& request : seen()) EXPECT_NE(request.path, "/second");
  EXPECT_EQ(handled_, 0) << "nothing of all that was run";
}

TEST_F(HttpServerTest, TakesChunkedHoweverItIsWritten) {
  for (const char* headers : {"Transfer-Encoding: chunked\r\n", "transfer-encoding:CHUNKED \t\r\n",
                              "TRANSFER-ENCODING: \tChunked\r\n"}) {
    Wire wire = sent(post(headers, "/first") + "2;a=b\r\nab\r\n0\r\nContent-Type: late\r\n\r\n" +
                     post("Content-Length: 2\r\n", "/second") + "cd");
    EXPECT_THAT(wire.response(), EndsWith("POST /first ab")) << headers;
    EXPECT_THAT(wire.response(), EndsWith("POST /second cd")) << headers;
  }
}

TEST_F(HttpServerTest, SaysNothingToWhoLeaves) {
  for (const char* request : {"", "GET / HT", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab"}) {
    Wire wire = sent(request);
    wire.end_sending();
    EXPECT_EQ(wire.rest(), "");
  }
}

TEST_F(HttpServerTest, TellsWhoAsksFirstToContinue) {
  Wire wire = sent(post("Content-Length: 2\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(wire.read_to("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  wire.send("ab");
  EXPECT_THAT(wire.response(), EndsWith("POST / ab"));
  EXPECT_THAT(ask(post("Content-Length: 2\r\nExpect: a-miracle\r\n")), StartsWith("HTTP/1.1 417 "));
}

TEST_F(HttpServerTest, HidesErrorsOfHandlersAndSplitHeaders) {
  EXPECT_THAT(ask(get("/throw")), AllOf(StartsWith("HTTP/1.1 500 "), Not(HasSubstr("on purpose"))));
  EXPECT_THAT(ask(get("/misjudged")),
              AllOf(StartsWith("HTTP/1.1 500 "), Not(HasSubstr("on purpose"))));
  EXPECT_THAT(ask(get("/split")), Not(HasSubstr("C: d")));
}

TEST_F(HttpServerTest, SlowRequestsEndAfterTheTimeoutHoweverBusyTheyLook) {
  options_.limits.read_timeout = seconds(10);
  const std::string first = get("/");
  Wire slow = connect();
  Wire body = connect();
  // The bytes after `first` begin a second request. They arrive together with the first request,
  // which is answered at once.
  slow.send(first + "GET / HTTP/1.1\r\n");
  body.send(first + "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
  for (Wire* wire : {&slow, &body}) EXPECT_THAT(wire->response(), StartsWith("HTTP/1.1 200 "));
  Wire silent = connect();
  ASSERT_TRUE(eventually([&] { return server().stats().accepted == 3; }));
  EXPECT_TRUE(eventually([&] {  // the client sends one header per second
    slow.send("A: b\r\n");
    ++passed_;
    return server().stats().timeouts == 2;
  }));
  for (Wire* wire : {&slow, &body}) EXPECT_THAT(wire->response(), StartsWith("HTTP/1.1 408 "));
  EXPECT_TRUE(eventually([&] {
    ++passed_;
    return server().stats().connections == 2;
  })) << "those linger";
  EXPECT_EQ(silent.rest(), "");
  EXPECT_EQ(server().stats().timeouts, 2u);
}

TEST_F(HttpServerTest, IdleConnectionsEnd) {
  options_.limits.idle_timeout = seconds(60);
  Wire wire = sent(get("/"));
  EXPECT_THAT(wire.response(), EndsWith("GET / "));
  EXPECT_TRUE(eventually([&] {
    passed_ += 10;
    return server().stats().connections == 0;
  }));
  EXPECT_EQ(wire.rest(), "");
}

TEST_F(HttpServerTest, WhoDoesNotReadIsDropped) {
  options_.limits.write_timeout = seconds(10);
  Wire wire = sent(get("/big"), 4096);
  EXPECT_TRUE(eventually([&] {
    ++passed_;
    return server().stats().timeouts == 1;
  }));
  EXPECT_TRUE(eventually([&] { return server().stats().connections == 0; }));
  EXPECT_LT(seen().at(0).bytes, kBig);
}

TEST_F(HttpServerTest, MakesRoomForNewConnectionsAtTheCostOfIdleOnes) {
  options_.limits.connections = 10;
  std::vector<Wire> idle;
  for (int i = 0; i < 50; ++i) {
    idle.push_back(connect());
    if (i % 2 == 0) idle.back().send("GET / HT");  // slow
  }
  EXPECT_THAT(ask(get("/")), StartsWith("HTTP/1.1 200"));
  // A closed connection disappears a moment later.
  EXPECT_TRUE(eventually([&] { return server().stats().connections <= 10; }));
  const TransportStats stats = server().stats();
  EXPECT_GE(stats.evicted, 41u);
  EXPECT_EQ(stats.refused, 0u);
  EXPECT_EQ(idle.front().rest(), "");
}

TEST_F(HttpServerTest, RefusesConnectionsWhenAllAreBusy) {
  options_.limits.connections = 4;
  options_.disk_threads = 4;
  std::vector<Wire> busy = sent_often(4, get("/wait"));
  ASSERT_TRUE(eventually([&] { return waiting_ == 4; }));
  EXPECT_THAT(connect().rest(), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After")));
  release();
  for (Wire& wire : busy) EXPECT_THAT(wire.response(), EndsWith("GET /wait "));
  EXPECT_EQ(server().stats().refused, 1u);
}

TEST_F(HttpServerTest, HandlersThatWaitDelayNeitherQuickRequestsNorStreams) {
  options_.disk_threads = 2;
  options_.limits.waiting_requests = 3;
  Wire stream = sent(get("/events/1"));
  EXPECT_THAT(stream.read_to("running\n\n"), HasSubstr("running"));
  std::vector<Wire> waiting = sent_often(3, get("/wait"));
  ASSERT_TRUE(eventually([&] { return server().stats().handling == 3; }));
  EXPECT_THAT(ask(get("/healthz")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(get("/other")), StartsWith("HTTP/1.1 503"));
  publish(1, "done");
  EXPECT_THAT(stream.rest(), HasSubstr("event: done"));
  release();
  for (Wire& wire : waiting) EXPECT_THAT(wire.response(), EndsWith("GET /wait "));
}

TEST_F(HttpServerTest, BodiesThatAreAnnouncedAndDoNotComeKeepNobodyOut) {
  constexpr std::size_t kHalfOpen = 256;
  const std::string head = post("Content-Length: 65536\r\n");
  std::vector<Wire> half_open = sent_often(kHalfOpen, head + 'a');
  ASSERT_TRUE(eventually([&] { return server().stats().connections == kHalfOpen; }));
  const std::string body(kMaxBodyBytes, 'b');
  EXPECT_THAT(ask(head + body), EndsWith("POST / " + body));
  EXPECT_EQ(server().stats().evicted, 0u) << "they are held all the while";
  half_open.back().send(body.substr(1));
  EXPECT_THAT(half_open.back().response(), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, TheLongestReadBodyMakesRoomForOthers) {
  options_.limits.all_body_bytes = 4 * kMaxBodyBytes;
  const std::string head = post("Content-Length: " + std::to_string(kMaxBodyBytes) + "\r\n");
  const std::string most(kMaxBodyBytes - 1, 'a');
  std::vector<Wire> slow;
  for (int i = 0; i < 8; ++i) {
    slow.push_back(sent(head + most));
    EXPECT_THAT(ask(head + most + 'b'), StartsWith("HTTP/1.1 200"));
  }
  EXPECT_THAT(slow.front().response(), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After"),
                                             HasSubstr("Connection: close")));
  slow.back().send("b");
  EXPECT_THAT(slow.back().response(), StartsWith("HTTP/1.1 200")) << "the youngest has not";
}

TEST_F(HttpServerTest, ABodyThatFitsNowhereIsRefused) {
  options_.limits.all_body_bytes = 1000;
  EXPECT_THAT(ask(post("Content-Length: 60000\r\n") + std::string(60'000, 'a')),
              StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(ask(post("Content-Length: 9\r\n") + "123456789"), EndsWith("POST / 123456789"));
}

TEST_F(HttpServerTest, RefusesByTheHeadBeforeTheBodyHasCome) {
  for (const char* more : {"Content-Length: 60000\r\n", "Transfer-Encoding: chunked\r\n",
                           "Content-Length: 9\r\nExpect: 100-continue\r\n"}) {
    Wire wire = sent(post(more, "/refused"));
    EXPECT_THAT(wire.rest(), AllOf(StartsWith("HTTP/1.1 401 Unauthorized\r\n"),
                                   HasSubstr("Connection: close"), EndsWith("\r\n\r\nrefused")))
        << more;
  }
  Wire wire = connect();  // a request without a body is unambiguous
  for (int i = 0; i < 2; ++i) {
    wire.send("POST /refused HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(wire.response(), AllOf(StartsWith("HTTP/1.1 401 "), Not(HasSubstr("close"))));
  }
  EXPECT_EQ(handled_, 0);
}

TEST_F(HttpServerTest, HeavyRequestsDelayNobodyElse) {
  options_.disk_threads = 2;
  options_.heavy_threads = 2;
  options_.limits.waiting_heavy = 10;
  std::vector<Wire> heavy = sent_often(12, get("/heavy"));
  ASSERT_TRUE(eventually([&] { return server().stats().handling == 12 && heavy_ == 2; }));
  for (int i = 0; i < 20; ++i) EXPECT_THAT(ask(get("/other")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(get("/heavy")), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After")));
  EXPECT_EQ(heavy_, 2) << "all the while";
  EXPECT_EQ(server().stats().handling, 12U);
  release();
  for (Wire& wire : heavy) EXPECT_THAT(wire.response(), EndsWith("GET /heavy "));
  EXPECT_EQ(stopped_, 0);
}

TEST_F(HttpServerTest, WhoLeavesGivesUpAHeavyRequest) {
  options_.heavy_threads = 1;
  options_.limits.waiting_heavy = 2;
  const auto ask_heavy = [this] { return sent(get("/heavy")); };
  std::optional<Wire> running = ask_heavy();
  ASSERT_TRUE(eventually([&] { return heavy_ == 1; }));
  std::optional<Wire> leaving = ask_heavy();
  ASSERT_TRUE(eventually([&] { return server().stats().handling == 2; }));
  std::optional<Wire> staying = ask_heavy();
  ASSERT_TRUE(eventually([&] { return server().stats().handling == 3; }));
  leaving.reset();  // disconnects a waiting request, so another one gets its place
  ASSERT_TRUE(eventually([&] { return server().stats().handling == 2; }));
  EXPECT_EQ(handled_, 1);
  std::optional<Wire> another = ask_heavy();
  ASSERT_TRUE(eventually([&] { return server().stats().handling == 3; }));
  running->end_sending();  // counts as disconnecting, so the next request can run
  EXPECT_THAT(running->rest(), StartsWith("HTTP/1.1 200"));
  ASSERT_TRUE(eventually([&] { return handled_ == 2; }));
  EXPECT_EQ(stopped_, 1);
  staying->send(get("/next"));  // does not count as disconnecting
  release();
  EXPECT_THAT(staying->response(), EndsWith("GET /heavy "));
  EXPECT_THAT(staying->response(), EndsWith("GET /next "));
  EXPECT_THAT(another->response(), EndsWith("GET /heavy "));
  EXPECT_EQ(stopped_, 1);
}

TEST_F(HttpServerTest, ShutdownStopsHeavyRequests) {
  Wire heavy = sent(get("/heavy"));
  ASSERT_TRUE(eventually([&] { return heavy_ == 1; }));
  server().shutdown(milliseconds(0));
  EXPECT_EQ(stopped_, 1);
}

// Clients that do not read their responses are closed to make room, too.
TEST_F(HttpServerTest, WhoDoesNotReadKeepsNobodyOut) {
  options_.limits.connections = 8;
  std::vector<Wire> deaf;
  for (int i = 0; i < 24; ++i) {
    deaf.push_back(sent(get("/big"), 4096));
    // A connection may be closed only when its response waits for the client, not while it is being
    // answered.
    ASSERT_TRUE(eventually([&] { return handled_ == i + 1 && server().stats().handling == 0; }));
  }
  EXPECT_TRUE(eventually([&] { return ask(get("/")).starts_with("HTTP/1.1 200"); }));
  EXPECT_TRUE(eventually([&] { return server().stats().connections <= 8; }));
  EXPECT_GE(server().stats().evicted, 16U);
}

TEST_F(HttpServerTest, StreamsEventsToTheEnd) {
  Wire wire = sent(get("/events/1"));
  EXPECT_THAT(wire.read_to("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Content-Type: text/event-stream"),
                    HasSubstr("X-Accel-Buffering: no\r\n"), HasSubstr("Cache-Control: no-store"),
                    HasSubstr("A: b"), Not(HasSubstr("Content-Length"))));
  EXPECT_THAT(wire.read_to("running\n\n"), AllOf(StartsWith("retry: 1000\n\n"), HasSubstr("id: ")));
  publish(1, "queued");
  EXPECT_THAT(wire.read_to("queued\n\n"), HasSubstr("event: state"));
  publish(1, "done");
  const std::string end = wire.rest();
  EXPECT_THAT(end, EndsWith("event: done\ndata: done\n\n"));
  const std::string id = end.substr(4, end.find('\n') - 4);
  EXPECT_THAT(ask(get("/events/1", "Last-Event-ID: " + id + "\r\n")), StartsWith("HTTP/1.1 204"));
  ASSERT_TRUE(eventually([&] { return seen().size() == 2; }));
  EXPECT_TRUE(seen()[0].stream);
  EXPECT_FALSE(seen()[1].stream);
}

TEST_F(HttpServerTest, WhatIsWaitedForIsAnsweredAtItsEnd) {
  const std::string hour = get("/later/3600000");
  Wire wire = sent(hour);
  ASSERT_TRUE(eventually([&] { return server().stats().streams == 1; }));
  publish(1, "queued");
  EXPECT_EQ(told_, 0) << "it has not ended";
  publish(1, "done");
  EXPECT_THAT(wire.rest(), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("A: b\r\n"),
                                 HasSubstr("Connection: close"), EndsWith("\r\n\r\ntold")));
  EXPECT_EQ(server().stats().streams, 0U);
  // The topic has already ended, so the response comes at once. If `then` throws, the response is
  // 500.
  EXPECT_THAT(ask(hour), StartsWith("HTTP/1.1 500"));
  ASSERT_TRUE(eventually([&] { return seen().size() == 2; }));
  EXPECT_FALSE(seen()[0].stream);
}

TEST_F(HttpServerTest, WhatIsWaitedForTooLongIsAnsweredAsItIs) {
  EXPECT_THAT(ask(get("/later/1")), EndsWith("told"));
  EXPECT_EQ(server().stats().streams, 0U);
}

TEST_F(HttpServerTest, WhoDoesNotWaitAnyLongerIsForgotten) {
  Wire wire = sent(get("/later/3600000"));
  ASSERT_TRUE(eventually([&] { return server().stats().streams == 1; }));
  wire.close();
  EXPECT_TRUE(eventually([&] { return server().stats().connections == 0; }));
  EXPECT_EQ(hub_.streams(), 0U);
}

TEST_F(HttpServerTest, ShuttingDownAnswersWhoWaits) {
  Wire wire = sent(get("/later/3600000"));
  ASSERT_TRUE(eventually([&] { return server().stats().streams == 1; }));
  server().shutdown(kPatience);
  EXPECT_THAT(wire.rest(), EndsWith("told"));
}

TEST_F(HttpServerTest, SilentStreamsHaveAHeartbeat) {
  options_.limits.heartbeat = milliseconds(20);
  Wire wire = sent(get("/events/1"));
  for (int i = 0; i < 3; ++i) EXPECT_THAT(wire.read_to(": still here\n\n"), EndsWith(" here\n\n"));
}

TEST_F(HttpServerTest, NoticesWhenFollowersLeave) {
  Wire wire = sent(get("/events/1"));
  wire.read_to("running\n\n");
  EXPECT_EQ(server().stats().streams, 1u);
  wire.close();
  EXPECT_TRUE(eventually([&] { return server().stats().connections == 0; }));
  EXPECT_EQ(server().stats().streams, 0u);
  EXPECT_EQ(hub_.streams(), 0u);
}

TEST_F(HttpServerTest, AFollowerWhoDoesNotReadIsDropped) {
  options_.limits.write_timeout = seconds(10);
  Wire wire = sent(get("/events/1"), 4096);
  ASSERT_TRUE(eventually([&] { return server().stats().streams == 1; }));
  EXPECT_TRUE(eventually([&] {
    for (int i = 0; i < 1000; ++i) publish(1, "running");
    ++passed_;
    return server().stats().streams == 0;
  }));
  EXPECT_EQ(server().stats().timeouts, 1u);
}

TEST_F(HttpServerTest, AThousandStreamsHearTheEnd) {
  constexpr std::size_t kStreams = kIsFastBuild ? 1000 : 200;
  if (raise_file_limit() < 2 * kStreams + 100) GTEST_SKIP() << "too few files for this process";
  std::vector<Wire> streams;
  for (std::size_t i = 0; i < kStreams; ++i)
    streams.push_back(sent(get("/events/" + std::to_string(1 + i % 2))));
  ASSERT_TRUE(eventually([&] { return server().stats().streams == kStreams; }));
  EXPECT_THAT(ask(get("/healthz")), StartsWith("HTTP/1.1 200"));
  publish(1, "done");
  publish(2, "failed");
  for (std::size_t i = 0; i < kStreams; ++i)
    ASSERT_THAT(streams[i].rest(), HasSubstr(i % 2 == 0 ? "event: done" : "event: failed"));
}

TEST_F(HttpServerTest, RefusesAddressesItCannotHave) {
  options_.listen.port = server().port();
  const auto taken = HttpServer::bind(options_);
  EXPECT_EQ(taken.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(taken.error().message, HasSubstr("in use"));
  options_.listen.address = "not an address";
  EXPECT_EQ(HttpServer::bind(options_).error().code, ErrorCode::kInvalidInput);
}

class HttpServerSocket : public HttpServerTest {
 protected:
  HttpServerSocket() {
    std::filesystem::create_directories(dir_.path());
    options_.listen.socket = path_;
  }
  std::string ask_there() {
    Wire wire(path_);
    wire.send(get("/a"));
    return wire.response();
  }
  /// Leaves a socket file as a killed server does.
  void leave_stale() const {
    const int killed = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(bind(killed, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(listen(killed, 1), 0);
    close(killed);
    ASSERT_TRUE(std::filesystem::is_socket(path_));
  }
  std::filesystem::perms rights() {
    return std::filesystem::status(path_).permissions() & std::filesystem::perms::mask;
  }

  StateDir dir_;
  const std::string path_ = dir_.path() / "socket";
};

TEST_F(HttpServerSocket, AnswersThereAndTakesItAwayInTheEnd) {
  server();
  EXPECT_EQ(rights(), std::filesystem::perms(0600));
  EXPECT_THAT(ask_there(), EndsWith("GET /a "));
  EXPECT_EQ(server().stats().accepted, 1u);
  Wire stream(path_);
  stream.send(get("/events/1"));
  stream.read_to("running\n\n");
  server().shutdown(kPatience);
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_THAT(stream.rest(), HasSubstr("shutting down"));
}

TEST_F(HttpServerSocket, HasTheRightsThatItShallHave) {
  options_.socket_mode = 0666;
  server();
  EXPECT_EQ(rights(), std::filesystem::perms(0666));
}

TEST_F(HttpServerSocket, AKilledServersSocketIsReplaced) {
  leave_stale();
  server();
  EXPECT_THAT(ask_there(), EndsWith("GET /a "));
}

TEST_F(HttpServerSocket, WhoReplacesItKeepsOthersAwayBeforeItIsBound) {
  leave_stale();
  auto first = SocketFile::claim(path_);
  const auto second = SocketFile::claim(path_);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("another server already listens there"));
  leave_stale();  // a stale socket at the path that the server will bind
  (*first)->bound();
  EXPECT_FALSE(SocketFile::claim(path_).ok());
  EXPECT_TRUE(std::filesystem::is_socket(path_)) << "the first one's";
  std::move(first).value().reset();
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
  EXPECT_TRUE(SocketFile::claim(path_).ok());
}

TEST_F(HttpServerSocket, NobodyElsesFileIsTaken) {
  server();
  const auto taken = HttpServer::bind(options_);
  EXPECT_EQ(taken.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(taken.error().message, HasSubstr("another server already listens there"));
  EXPECT_THAT(ask_there(), EndsWith("GET /a ")) << "as if nobody had asked";

  options_.listen.socket = dir_.path() / "file";
  std::ofstream(options_.listen.socket) << "precious";
  EXPECT_THAT(HttpServer::bind(options_).error().message, HasSubstr("not a socket"));
  EXPECT_EQ(std::filesystem::file_size(options_.listen.socket), 8u);

  options_.listen.socket = dir_.path() / "nowhere" / "socket";
  EXPECT_EQ(HttpServer::bind(options_).error().code, ErrorCode::kUnavailable);
}

TEST_F(HttpServerSocket, WhatHasTakenItsPlaceStays) {
  server();
  std::filesystem::remove(path_);
  std::ofstream(path_) << "another's";
  server().shutdown(kPatience);
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(HttpServerSocket, OneThatNeverServedTakesItAway) {
  {
    const auto bound = HttpServer::bind(options_);
    ASSERT_TRUE(bound.ok());
    EXPECT_TRUE(std::filesystem::is_socket(path_));
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(HttpServerTest, ShutsDownWithEverythingInProgress) {
  Wire idle = connect();
  Wire stream = sent(get("/events/1"));
  stream.read_to("running\n\n");
  Wire busy = sent(get("/wait"));
  Wire reading = sent("GET / HT");
  ASSERT_TRUE(eventually([&] { return waiting_ == 1; }));
  ASSERT_TRUE(eventually([&] { return server().stats().connections == 4; }));
  const std::uint16_t port = server().port();
  std::jthread closing([this] { server().shutdown(kPatience); });
  ASSERT_TRUE(eventually([&] { return !Wire(port).connected(); })) << "it has begun";
  release();
  EXPECT_THAT(busy.rest(), AllOf(HasSubstr("Connection: close"), EndsWith("GET /wait ")));
  EXPECT_EQ(stream.rest(), ": the server is shutting down\n\n");
  EXPECT_EQ(idle.rest(), "");
  reading.end_sending();
  EXPECT_EQ(reading.rest(), "");
  closing.join();
  EXPECT_EQ(server().stats().connections, 0u);
}

TEST_F(HttpServerTest, WaitsForNobodyBeyondItsPatienceWhenItShutsDown) {
  Wire reading = sent("GET / HT");
  ASSERT_TRUE(eventually([&] { return server().stats().connections == 1; }));
  server().shutdown(milliseconds(20));
  EXPECT_EQ(reading.rest(), "");
  EXPECT_EQ(server().stats().connections, 0u);
}

TEST_F(HttpServerTest, ManyClientsAtOnce) {
  constexpr int kClients = 16;
  const int requests = kIsFastBuild ? 200 : 20;
  std::atomic<int> right{0};
  std::vector<std::jthread> clients;
  server();
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] {
      Wire wire = connect();
      for (int i = 0; i < requests; ++i) {
        const std::string target = "/" + std::to_string(client) + "-" + std::to_string(i);
        wire.send(get(target));
        right += wire.response().ends_with("GET " + target + " ") ? 1 : 0;
      }
    });
  }
  clients.clear();
  EXPECT_EQ(right, kClients * requests);
  server().shutdown(kPatience);
  std::vector<std::string> ids;
  for (const Seen& request : seen()) ids.push_back(request.id);
  std::ranges::sort(ids);
  EXPECT_EQ(ids.size(), static_cast<std::size_t>(kClients * requests));
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

}  // namespace
}  // namespace manyply

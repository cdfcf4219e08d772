// Tests routes together with the transport, in one process.

#include "tests/support/eventually.h"
#include "tests/tools/server/routes_fixture.h"
#include "tests/tools/server/wire.h"

namespace manyply {
namespace {

using testing::StartsWith;

class ServedRoutesTest : public RoutesTest {
 protected:
  void serve(RoutesOptions options) {
    start(std::move(options));
    HttpServerOptions transport;
    transport.limits.read_timeout = std::chrono::hours(1);  // even on a slow machine
    server_ = HttpServer::bind(transport).value();
    server_->serve([this](const HttpRequest& head) { return routes_->judge(head); }, nullptr);
  }
  ~ServedRoutesTest() override {
    if (server_) server_->shutdown(std::chrono::milliseconds(0));
  }
  Wire ask(const std::string& line, const std::string& body = "", const std::string& more = "") {
    Wire wire(server_->port());
    wire.send(line + " HTTP/1.1\r\nHost: localhost\r\n" + more +
              (body.empty() ? "\r\n"
                            : "Content-Type: application/json\r\nContent-Length: " +
                                  std::to_string(body.size()) + "\r\n\r\n" + body));
    return wire;
  }

  std::unique_ptr<HttpServer> server_;
};

constexpr const char* kEndless =
    R"({"fen": "kiwipete", "moves": "e1g1", "depth": 20, "divide": "a2a3: 1"})";

TEST_F(ServedRoutesTest, OthersAreAnsweredWhileAllComparisonsRun) {
  serve({.diff_patience = std::chrono::hours(1)});
  std::vector<Wire> comparisons;
  for (int i = 0; i < 12; ++i) comparisons.push_back(ask("POST /v1/diff", kEndless));
  ASSERT_TRUE(eventually([&] { return server_->stats().handling == 12; }));
  EXPECT_THAT(ask("GET /v1/jobs").response(), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("POST /v1/jobs", R"({"depth": 3})").response(), StartsWith("HTTP/1.1 202"));
  EXPECT_THAT(ask("GET /metrics").response(), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(server_->stats().handling, 12U) << "they are all still running";
  comparisons.clear();  // a client that disconnects cancels its comparison
  EXPECT_TRUE(eventually([&] { return server_->stats().handling == 0; }));
}

// Clients with the right to send bodies announce them but do not send them.
TEST_F(ServedRoutesTest, HalfOpenRequestsKeepNobodyOut) {
  constexpr std::size_t kHalfOpen = 256;
  if (raise_file_limit() < 2 * kHalfOpen + 100) GTEST_SKIP() << "too few files for this process";
  const std::string bearer = "Authorization: Bearer a-token-of-some-length\r\n";
  for (const bool with_token : {false, true}) {
    serve({.clients = with_token ? clients_of("a-token-of-some-length") : nullptr});
    const std::string head = bearer + "Content-Type: application/json\r\nContent-Length: 65536\r\n";
    std::vector<Wire> half_open;
    for (std::size_t i = 0; i < kHalfOpen; ++i) half_open.push_back(ask("POST /v1/jobs", "", head));
    for (Wire& wire : half_open) wire.send("{");
    ASSERT_TRUE(eventually([&] { return server_->stats().connections == kHalfOpen; }));
    EXPECT_THAT(ask("POST /v1/jobs", R"({"depth": 3})", bearer).response(),
                StartsWith("HTTP/1.1 20"));
    EXPECT_EQ(server_->stats().evicted, 0U);
    server_->shutdown(std::chrono::milliseconds(0));
  }
}

TEST_F(ServedRoutesTest, WhoMayNotAskSendsNoBody) {
  serve({.clients = clients_of("a-token-of-some-length")});
  const std::string announced =
      "Content-Type: application/json\r\nContent-Length: 65536\r\nExpect: 100-continue\r\n";
  for (const std::string& more :
       {announced, announced + "Authorization: Bearer something-else\r\n"})
    EXPECT_THAT(ask("POST /v1/jobs", "", more).rest(), StartsWith("HTTP/1.1 401"));
  const std::string token = "Authorization: Bearer a-token-of-some-length\r\n";
  EXPECT_THAT(
      ask("POST /v1/jobs", "", announced + token + "Origin: http://evil.example\r\n").rest(),
      StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(ask("POST /v1/nothing", "", announced + token).rest(), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(ask("PUT /v1/jobs", "", announced + token).rest(), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(ask("POST /v1/jobs", "", announced + token).read_to("\r\n\r\n"),
              StartsWith("HTTP/1.1 100"));
}

}  // namespace
}  // namespace manyply

#include "tools/client/http_client.h"

#include <gmock/gmock.h>

#include "tests/support/stops.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;

TEST(HttpClient, TakesAddressesOfServersAndNothingElse) {
  for (const char* server :
       {"http://127.0.0.1:8080", "http://localhost", "https://perft.example/", "http://[::1]:80",
        "https://example.org/perft/", "unix:/run/perft.sock", "unix:perft:1.sock", "unix:/run/p q?",
        "unix:/run/perft.sock:/perft/", "unix:/a:/b:/"}) {
    EXPECT_TRUE(HttpClient::connect(server, std::nullopt).ok()) << server;
  }
  for (const char* server :
       {"", "127.0.0.1:8080", "file:///etc/passwd", "http://", "unix:", "http://a/?b",
        "http://a/#b", "http://me:secret@a", "http://a:99999", "ftp://a", "http://a b",
        "unix::/perft/", "unix:/run/perft.sock:/?b", "unix:/run/perft.sock:/a b"}) {
    const auto client = HttpClient::connect(server, std::nullopt);
    ASSERT_FALSE(client.ok()) << server;
    EXPECT_EQ(client.error().field, "--server");
  }
}

TEST(HttpClient, NoServerIsAnErrorOfOneLine) {
  auto client = HttpClient::connect("http://127.0.0.1:1", std::nullopt).value();
  const auto response = client.send({.path = "/"}, std::stop_token());
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(response.error().to_string(), HasSubstr("http://127.0.0.1:1: "));
}

TEST(HttpClient, AStopIsObeyedBeforeAnythingElse) {
  auto client = HttpClient::connect("http://127.0.0.1:1", std::nullopt).value();
  const auto response = client.send({.path = "/"}, stopped_before());
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace manyply

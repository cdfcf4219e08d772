#include "tools/server/http/listen_address.h"

#include <gmock/gmock.h>

#include "tools/server/http/http_server.h"
#include "tools/server/serve_command.h"

namespace manyply {
namespace {

TEST(ListenAddress, TellsThisMachineFromTheWorld) {
  const struct {
    const char* text;
    const char* address;
    int port;
    bool loopback;
    const char* url;
  } cases[] = {
      {"127.0.0.1:8080", "127.0.0.1", 8080, true, "http://127.0.0.1:8080/"},
      {"127.9.9.9:1", "127.9.9.9", 1, true, "http://127.9.9.9:1/"},
      {"localhost:0", "127.0.0.1", 0, true, "http://127.0.0.1:0/"},
      {":80", "127.0.0.1", 80, true, "http://127.0.0.1:80/"},
      {"[::1]:8080", "::1", 8080, true, "http://[::1]:8080/"},
      {"0.0.0.0:65535", "0.0.0.0", 65535, false, "http://0.0.0.0:65535/"},
      {"192.168.1.2:80", "192.168.1.2", 80, false, "http://192.168.1.2:80/"},
      {"[::]:80", "::", 80, false, "http://[::]:80/"},
      {"[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", 80, false, "http://[::ffff:127.0.0.1]:80/"},
  };
  for (const auto& [text, address, port, loopback, url] : cases) {
    const auto listen = parse_listen_address(text);
    ASSERT_TRUE(listen.ok()) << text;
    EXPECT_EQ(listen->address, address);
    EXPECT_EQ(listen->port, port);
    EXPECT_EQ(listen->loopback, loopback) << text;
    EXPECT_EQ(url_of(*listen), url);
  }
}

TEST(ListenAddress, ASocketIsNamedByItsPath) {
  const auto listen = parse_listen_address("unix:/run/perft:1.sock");
  ASSERT_TRUE(listen.ok());
  EXPECT_EQ(listen->socket, "/run/perft:1.sock");
  EXPECT_TRUE(listen->loopback);
  EXPECT_EQ(url_of(*listen), "unix:/run/perft:1.sock");
  EXPECT_EQ(url_of(*listen, "/perft/"), "unix:/run/perft:1.sock:/perft/");
  EXPECT_EQ(url_of(parse_listen_address("unix:/a:/b").value()), "unix:/a:/b:/");
  EXPECT_TRUE(parse_listen_address("unix:" + std::string(107, 'x')).ok()) << "as long as can be";
  EXPECT_FALSE(parse_listen_address("unix:" + std::string(108, 'x')).ok());
  EXPECT_FALSE(parse_listen_address("unix:").ok());
}

TEST(ListenAddress, RefusesWhatIsNone) {
  for (const char* text : {"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                           "127.0.0.1:80x", "::1:80", "[::1]", "[127.0.0.1]:80", "example.org:80",
                           "256.0.0.1:80", "http://127.0.0.1:80"}) {
    EXPECT_FALSE(parse_listen_address(text).ok()) << text;
  }
}

TEST(AccessLine, HasOneLineAndNoSecrets) {
  RequestRecord record{
      "GET", "/v1/jobs", "127.0.0.1", "ab-1", 200, 12, std::chrono::microseconds(1530)};
  EXPECT_EQ(access_line(record), "GET /v1/jobs 200 12 B 1.5 ms 127.0.0.1 ab-1");
  record.path = "/a\n\x1b[31m\\ \xc3\xa9";
  EXPECT_EQ(access_line(record).substr(4, 37), R"(/a\x0a\x1b[31m\x5c\x20\xc3\xa9 200 12)");
  const std::string endless(10'000, 'x');
  record.path = endless;
  EXPECT_LT(access_line(record).size(), 300u);
  record.path = record.method = "";
  EXPECT_EQ(access_line(record).substr(0, 8), "- - 200 ");
}

}  // namespace
}  // namespace manyply

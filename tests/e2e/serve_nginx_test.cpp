// Tests the server behind nginx with TLS, as tools/server/README.md describes it.
#include "tests/e2e/readme.h"
#include "tests/e2e/server.h"
#include "tests/support/eventually.h"
#include "tests/support/nginx.h"

namespace manyply {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ServeNginx : public testing::Test {
 protected:
  void SetUp() override {
    if (!Nginx::installed()) GTEST_SKIP() << "nginx is not installed";
    std::filesystem::create_directories(dir_.path());
    const ProcessResult certificate =
        run_process({"/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                     "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2", "-subj",
                     "/CN=perft.example", "-addext", "subjectAltName=DNS:perft.example", "-keyout",
                     file("key"), "-out", file("certificate")});
    ASSERT_EQ(certificate.exit_code, 0) << certificate.err;
    write_tokens(file("tokens"), std::string("ann admin ") + kToken + '\n');
    nginx_.emplace(dir_.path(), configuration());
    ASSERT_TRUE(eventually([&] { return Wire(file("tls")).connected(); }));
    serve();
  }

  void serve() {
    server_.emplace(perft_argv({"serve", "--listen", "unix:" + file("perft.sock"), "--socket-mode",
                                "666", "--base-path", "/perft/", "--token-file", file("tokens"),
                                "--state", file("state")}));
    ASSERT_TRUE(server_->wait_for_output("perft.sock:/perft/\n"));
  }

  /// Returns the README's configuration with files of this test and with a socket, which needs no
  /// free port.
  std::string configuration() {
    std::string text = code_of("tools/server/README.md", "Behind nginx");
    const std::pair<std::string, std::string> places[] = {
        {"listen 443", "listen unix:" + file("tls")},
        {"/etc/ssl/perft.pem", file("certificate")},
        {"/etc/ssl/private/perft.key", file("key")},
        {"/run/manyply/perft.sock", file("perft.sock")}};
    for (const auto& [there, here] : places) {
      const std::size_t at = text.find(there);
      EXPECT_NE(at, std::string::npos) << there;
      if (at != std::string::npos) text.replace(at, there.size(), here);
    }
    return text;
  }

  std::vector<std::string> curl(const std::string& target, const std::vector<std::string>& more) {
    std::vector<std::string> all{
        "/usr/bin/curl",     "-sSN",          "--max-time", "60", "--cacert",
        file("certificate"), "--unix-socket", file("tls")};
    all.insert(all.end(), more.begin(), more.end());
    all.push_back("https://perft.example" + target);
    return all;
  }
  /// Returns status, headers and body, as curl prints them.
  std::string ask(const std::string& target, std::vector<std::string> more = {}) {
    more.insert(more.begin(), "-i");
    return run_process(curl(target, more)).out;
  }
  std::vector<std::string> as_ann(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"-H", std::string("Authorization: Bearer ") + kToken});
    return more;
  }

  std::string file(const std::string& name) { return dir_.path() / name; }

  static constexpr const char* kToken = "ann-ann-ann-ann-ann";
  StateDir dir_;
  std::optional<Nginx> nginx_;
  std::optional<Process> server_;
};

TEST_F(ServeNginx, SlowThePageAndTheApiAreBelowItsPath) {
  EXPECT_THAT(ask("/perft/"), AllOf(HasSubstr("HTTP/2 200"), HasSubstr("<title>Manyply</title>")));
  EXPECT_THAT(ask("/perft/icon.svg"), HasSubstr("HTTP/2 200"));
  EXPECT_THAT(ask("/perft"), HasSubstr("location: "));
  EXPECT_THAT(ask("/v1/jobs"), HasSubstr("HTTP/2 404"));
  EXPECT_THAT(ask("/perft/v1/jobs"), HasSubstr("HTTP/2 401"));
  EXPECT_THAT(ask("/perft/v1/jobs", as_ann()), HasSubstr("HTTP/2 200"));
  const auto submitted_from = [&](const std::string& origin) {
    return ask("/perft/v1/jobs", as_ann({"-H", "Origin: " + origin, "--json", R"({"depth": 4})"}));
  };
  EXPECT_THAT(submitted_from("https://perft.example"),
              AllOf(HasSubstr("HTTP/2 202"), HasSubstr("location: /perft/v1/jobs/1")));
  EXPECT_THAT(submitted_from("https://elsewhere.example"), HasSubstr("HTTP/2 403"));
  EXPECT_THAT(ask("/perft/v1/jobs/1/events", as_ann()),
              AllOf(HasSubstr("event: done"), HasSubstr(R"("nodes":"197281")")));
}

TEST_F(ServeNginx, SlowEachEventComesAtOnce) {
  const std::string deep = R"({"depth": 11, "mode": "unhashed"})";
  ask("/perft/v1/jobs", as_ann({"--json", deep}));
  // The job waits. After its state, only heartbeats are sent, which do not fill a buffer.
  ask("/perft/v1/jobs", as_ann({"--json", R"({"depth": 12, "mode": "unhashed"})"}));
  Process stream(curl("/perft/v1/jobs/2/events", as_ann()));
  EXPECT_TRUE(stream.wait_for_output("event: state\n"));
}

TEST_F(ServeNginx, SlowAServerThatStartsAgainIsFound) {
  const std::string page = "<title>Manyply</title>";
  EXPECT_THAT(ask("/perft/"), HasSubstr(page));
  server_->signal(SIGKILL);
  server_->finish();
  EXPECT_THAT(ask("/perft/"), HasSubstr("HTTP/2 502"));
  serve();
  EXPECT_THAT(ask("/perft/"), HasSubstr(page));
}

}  // namespace
}  // namespace manyply

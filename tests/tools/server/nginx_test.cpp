// Sends pairs of requests through nginx on one connection. The server must see the requests that
// nginx has forwarded. Another upstream, which uses the simple reader, records these requests. If
// only nginx or only the server sees a request in the body of another one, a client can smuggle a
// request past nginx.

#include "tests/support/nginx.h"

#include <gmock/gmock.h>

#include <array>
#include <mutex>
#include <random>

#include "tests/support/eventually.h"
#include "tests/tools/server/plain_requests.h"
#include "tests/tools/server/state_dir.h"
#include "tests/tools/server/wire.h"
#include "tools/server/http/http_server.h"

namespace manyply {
namespace {

using testing::HasSubstr;

/// The requests that a server received, as texts: "POST /a [body]". Any thread.
class Asked {
 public:
  void note(const std::string& method, const std::string& target, const std::string& body) {
    const std::lock_guard lock(mutex_);
    asked_.push_back(method + ' ' + target + " [" + body + ']');
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(asked_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> asked_;
};

/// An upstream that records requests and answers each with an empty response. It closes a
/// connection that it cannot understand. Uses one thread per connection; nginx opens few.
class NotingUpstream {
 public:
  /// Finds the first request in some bytes.
  using Split = std::function<std::optional<PlainRequest>(std::string_view)>;

  explicit NotingUpstream(Split split) : split_(std::move(split)) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 64), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { accept_all(); });
  }
  ~NotingUpstream() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  NotingUpstream(const NotingUpstream&) = delete;
  NotingUpstream& operator=(const NotingUpstream&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  Asked& asked() { return asked_; }

 private:
  void accept_all() {
    std::vector<std::jthread> talks;
    for (;;) {
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      talks.emplace_back([this, connection] { talk(connection); });
    }
  }

  void talk(int connection) {
    std::string input;
    std::array<char, 4096> bytes;
    for (bool open = true; open;) {
      pollfd readable{connection, POLLIN, 0};
      // nginx keeps connections open between two pairs, so wait long.
      if (poll(&readable, 1, 20'000) != 1) break;
      const ssize_t got = recv(connection, bytes.data(), bytes.size(), 0);
      if (got <= 0) break;
      input.append(bytes.data(), static_cast<std::size_t>(got));
      while (const auto request = split_(input)) {
        asked_.note(request->method, request->target, request->body);
        input.erase(0, request->length);
        constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        open = ::send(connection, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL) > 0;
      }
      const bool is_request = input.empty() || plainly::is_token(input.substr(0, input.find(' ')));
      if (!is_request) break;
    }
    close(connection);
  }

  const Split split_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  Asked asked_;
  std::jthread thread_;
};

/// The server's transport, which records requests.
class NotingServer {
 public:
  NotingServer() : server_(HttpServer::bind({}).value()) {
    server_->serve(
        [this](const HttpRequest&) {
          return Admission{Lane::kMemory,
                           [this](const HttpRequest& request, const std::stop_token&) {
                             asked_.note(request.method, request.target, request.body);
                             return HttpResponse{};
                           }};
        },
        nullptr);
  }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  Asked& asked() { return asked_; }

 private:
  Asked asked_;
  std::unique_ptr<HttpServer> server_;
};

/// nginx before several upstreams, each with its own socket.
class Proxy {
 public:
  explicit Proxy(const std::vector<std::uint16_t>& upstreams) {
    std::filesystem::create_directories(dir_.path());
    nginx_.emplace(dir_.path(), servers(upstreams));
    const std::string last = socket_of(upstreams.size() - 1);
    EXPECT_TRUE(eventually([&] { return Wire(last).connected(); })) << "nginx does not start";
  }

  /// Sends `bytes` to upstream `index`. Waits until the complete response has arrived.
  void send(std::size_t index, std::string_view bytes) {
    Wire client(socket_of(index));
    ASSERT_TRUE(client.connected());
    client.send(bytes);
    client.end_sending();
    client.rest();
  }

 private:
  [[nodiscard]] std::string socket_of(std::size_t index) const {
    return dir_.path() / (std::to_string(index) + ".sock");
  }

  /// nginx forwards bodies as they arrive, and both requests of a pair on one connection. It
  /// forwards chunks as chunks, unless they fit into the small buffer. So the server can misread
  /// everything that can be misread.
  [[nodiscard]] std::string servers(const std::vector<std::uint16_t>& upstreams) const {
    std::string text;
    for (std::size_t i = 0; i < upstreams.size(); ++i) {
      const std::string name = "upstream" + std::to_string(i);
      text +=
          "upstream " + name + " { server 127.0.0.1:" + std::to_string(upstreams[i]) +
          "; keepalive 1; keepalive_requests 1000000; }\nserver { listen unix:" + socket_of(i) +
          "; client_header_buffer_size 128; client_body_buffer_size 64; client_header_timeout 2s; "
          "client_body_timeout 2s; "
          "location / { proxy_pass http://" +
          name +
          "; proxy_http_version 1.1; proxy_set_header Connection \"\"; proxy_next_upstream off; "
          "proxy_request_buffering off; proxy_ignore_client_abort on; "
          "proxy_read_timeout 2s; } }\n";
    }
    return text;
  }

  StateDir dir_{"-nginx"};
  std::optional<Nginx> nginx_;
};

/// Pairs of requests. Most are correct. Many are unusual in one place, above all at the end of a
/// body.
class Pairs {
 public:
  std::string next(std::uint64_t number) {
    const std::string name = std::to_string(number);
    std::string bytes = request("/" + name + "/a") + request("/" + name + "/b");
    if (chance(8)) {
      const std::size_t at = random_() % bytes.size();
      bytes[at] = pick<char>({'\0', '\n', '\r', ' ', '\t', ',', ';', ':', '0', '\x7f', '\xff'});
    }
    return bytes + "GET /" + name + "/end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  }

 private:
  bool chance(std::uint64_t in) { return random_() % in == 0; }
  template <typename T>
  T pick(std::vector<T> from) {
    return from[random_() % from.size()];
  }

  std::string request(const std::string& target) {
    const std::string hidden = "GET " + target + "/hidden HTTP/1.1\r\nHost: x\r\n\r\n";
    const std::string body =
        pick<std::string>({"", "a", std::string(200, 'b') + hidden, hidden + std::string(200, 'c'),
                           "0\r\n\r\n" + hidden + std::string(200, 'd')});
    std::string headers = "Host: x\r\n";
    if (chance(12)) headers += pick<std::string>({"A: b\r\n c\r\n", "A_B: c\r\n", "A:\r\n"});
    const int framing = static_cast<int>(random_() % 3);
    std::string sent = framing == 0 ? "" : body;
    if (framing != 0 || chance(12)) {
      if (framing != 2) headers += length(sent.size());
      if (framing == 2 || chance(20)) {
        sent = chunks(body);
        headers += coding();
      }
    }
    const std::string method =
        sent.empty() && chance(2) ? "GET" : pick<std::string>({"POST", "PUT"});
    return method + ' ' + target + " HTTP/1." + (chance(10) ? "0" : "1") + "\r\n" + headers +
           "\r\n" + sent;
  }

  std::string length(std::size_t size) {
    const std::string number = std::to_string(size);
    if (!chance(6)) return "Content-Length: " + number + "\r\n";
    return pick<std::string>(
        {"Content-Length: +" + number + "\r\n", "Content-Length: 00" + number + "\r\n",
         "Content-Length:\t" + number + " \r\n", "Content-Length : " + number + "\r\n",
         "Content-Length: " + number + ", " + number + "\r\n", "Content-Length: 0x1\r\n",
         "Content-Length: " + number + "\r\nContent-Length: 0\r\n",
         "Content-Length: 18446744073709551617\r\n", "Content-Length:\r\n " + number + "\r\n",
         "Content_Length: " + number + "\r\n", "content-length:" + number + "\r\n"});
  }

  std::string coding() {
    if (!chance(6)) return "Transfer-Encoding: chunked\r\n";
    return pick<std::string>(
        {"transfer-encoding:CHUNKED\r\n", "Transfer-Encoding: xchunked\r\n",
         "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding:\tchunked\t\r\n",
         "Transfer-Encoding: \x0b"
         "chunked\r\n",
         "Transfer-Encoding : chunked\r\n", "Transfer-Encoding:\r\n chunked\r\n",
         "Transfer_Encoding: chunked\r\n",
         "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
         "Transfer-Encoding: , chunked\r\n", "X: y\nTransfer-Encoding: chunked\r\n"});
  }

  std::string chunks(const std::string& body) {
    std::string text;
    for (std::size_t at = 0; at < body.size();) {
      const std::size_t size = std::min<std::size_t>(body.size() - at, 1 + random_() % 80);
      text += chunk_size(size) + extension() + "\r\n" + body.substr(at, size) + "\r\n";
      at += size;
    }
    return text + "0" + extension() + "\r\n" + (chance(6) ? "A: b\r\n" : "") + "\r\n";
  }
  std::string chunk_size(std::size_t size) {
    std::array<char, 20> text{};
    const char* const form =
        chance(30) ? pick<const char*>({"%zX", "000%zx", "0x%zx", " %zx", "-%zx"}) : "%zx";
    std::snprintf(text.data(), text.size(), form, size);  // NOLINT: one number, whichever it is
    return text.data();
  }
  std::string extension() {
    return chance(20) ? pick<std::string>({";a=b", " ;a", ";a=\"b\n\"", ";\x01", "\t"}) : "";
  }

  std::mt19937_64 random_{20260};
};

class NginxTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Nginx::installed()) GTEST_SKIP() << "nginx is not installed";
  }

  /// Sends pairs to both upstreams until they have received different requests; returns "" if they
  /// never do. `forwarded` counts the requests that nginx has passed on.
  static std::string difference(std::uint64_t pairs, NotingUpstream& witness, std::uint16_t port,
                                Asked& asked, std::uint64_t& forwarded) {
    Proxy nginx({witness.port(), port});
    Pairs inputs;
    for (std::uint64_t i = 0; i < pairs; ++i) {
      const std::string bytes = inputs.next(i);
      std::vector<std::string> expected;
      std::vector<std::string> got;
      // On a machine that stands still, nginx gives up after two seconds. So try again: a real
      // difference does not disappear.
      for (int attempt = 0; attempt == 0 || (attempt < 3 && expected != got); ++attempt) {
        nginx.send(0, bytes);
        nginx.send(1, bytes);
        expected = witness.asked().take();
        got = asked.take();
      }
      forwarded += expected.size();
      if (expected != got) {
        return bytes + "\nnginx forwards " + testing::PrintToString(expected) +
               "\nand the server is asked " + testing::PrintToString(got);
      }
    }
    return "";
  }
};

TEST_F(NginxTest, SlowTheServerIsAskedWhatNginxForwards) {
  NotingUpstream witness(plain_request);
  NotingServer server;
  constexpr std::uint64_t kPairs = 100'000;  // nginx takes most of the time
  std::uint64_t forwarded = 0;
  EXPECT_EQ(difference(kPairs, witness, server.port(), server.asked(), forwarded), "");
  EXPECT_GT(forwarded, kPairs) << "most pairs get through";
}

// The classic error: a server overlooks that a body is chunked, and reads the chunks as the next
// request.
TEST_F(NginxTest, SlowAServerThatOverlooksChunksWouldBeSeen) {
  const auto overlook_chunks = [](std::string_view bytes) {
    std::string text(bytes);
    const std::size_t at = text.find("Transfer-Encoding");
    if (at != std::string::npos && at < text.find("\r\n\r\n")) text[at] = 'X';
    return plain_request(text);
  };
  NotingUpstream witness(plain_request);
  NotingUpstream careless(overlook_chunks);
  std::uint64_t forwarded = 0;
  EXPECT_THAT(difference(1000, witness, careless.port(), careless.asked(), forwarded),
              HasSubstr("Transfer-Encoding"));
}

}  // namespace
}  // namespace manyply

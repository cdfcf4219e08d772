// Cuts connections before, inside and after everything that a worker sends.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <span>
#include <stdexcept>
#include <thread>

#include "tests/tools/campaign/campaign_fixture.h"
#include "tools/campaign/worker.h"

namespace manyply {
namespace {

/// Returns the address of a socket. Throws if the path is too long.
sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

int open_socket() {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw std::runtime_error("no socket");
  return fd;
}

int listen_on(const std::string& path) {
  const sockaddr_un address = address_of(path);
  const int fd = open_socket();
  unlink(path.c_str());
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(fd, 16) != 0)
    throw std::runtime_error("cannot listen on " + path);
  return fd;
}

bool send_all(int fd, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

/// A proxy between a client and a server on UNIX sockets. It cuts their connection once, at a
/// chosen place: before, inside or after the n-th message of the client.
class CuttingProxy {
 public:
  enum class Cut : std::uint8_t {
    kBefore,  ///< no byte of the message arrives
    kInside,  ///< half of the message arrives
    kAfter,   ///< the message arrives and is answered, but the answer is lost
  };

  /// Listens on `path`, connects to `server_path`. Throws std::runtime_error.
  CuttingProxy(const std::string& path, std::string server_path)
      : path_(path),
        server_path_(std::move(server_path)),
        listener_(listen_on(path)),
        acceptor_([this] { accept_all(); }) {}
  ~CuttingProxy() {
    shutdown(listener_, SHUT_RDWR);  // ends accept()
    acceptor_.join();
    close(listener_);
    unlink(path_.c_str());
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  /// Sets the next cut: at message `number`, counted from 0 from now on. Any thread.
  void cut(Cut how, int number) {
    how_ = how;
    remaining_ = number;
  }
  /// Returns whether the connection has been cut.
  [[nodiscard]] bool has_cut() const { return remaining_ < 0; }

 private:
  /// Handles one connection after another, because a worker has only one at a time.
  void accept_all() {
    for (;;) {
      const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      serve(client);
      close(client);
    }
  }

  void serve(int client) {
    const int server = open_socket();
    const sockaddr_un address = address_of(server_path_);
    bool is_open =
        connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    std::array<char, 1 << 20> buffer;  // larger than each message of a worker
    bool drop_answer = false;
    while (is_open) {
      std::array<pollfd, 2> ends{{{.fd = client, .events = POLLIN, .revents = 0},
                                  {.fd = server, .events = POLLIN, .revents = 0}}};
      if (poll(ends.data(), ends.size(), -1) < 0) break;
      const bool from_client = ends[0].revents != 0;
      const ssize_t got = recv(from_client ? client : server, buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      std::span<const char> bytes(buffer.data(), static_cast<std::size_t>(got));
      if (!from_client) {
        is_open = !drop_answer && send_all(client, bytes);
        continue;
      }
      // 'X' ends the session, and no client waits for its effect.
      const bool is_cut = bytes[0] != 'X' && remaining_ >= 0 && remaining_-- == 0;
      if (is_cut && how_ == Cut::kBefore) break;
      if (is_cut && how_ == Cut::kInside) bytes = bytes.first(bytes.size() / 2);
      is_open = send_all(server, bytes) && !(is_cut && how_ == Cut::kInside);
      drop_answer = drop_answer || is_cut;
    }
    close(server);
  }

  const std::string path_;
  const std::string server_path_;
  const int listener_;
  std::atomic<int> remaining_ = -1;  // messages until the cut; below 0: no cut
  std::atomic<Cut> how_ = Cut::kBefore;
  std::jthread acceptor_;
};

class CampaignCut : public CampaignTest {};

TEST_F(CampaignCut, EveryStatementOfAWorkerSlow) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("manyply-cut-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  {
    CuttingProxy proxy(folder / ".s.PGSQL.5432", server_->socket());
    ASSERT_TRUE(CampaignStore(address()).init().ok());
    int cuts = 0;
    for (const auto how :
         {CuttingProxy::Cut::kBefore, CuttingProxy::Cut::kInside, CuttingProxy::Cut::kAfter}) {
      bool has_cut = true;
      for (int number = 0; has_cut; ++number) {
        SmallCampaign small(address());
        small.made.lease_seconds = 1;
        small.create();
        proxy.cut(how, number);
        WorkSpec spec{
            .campaign = small.name,
            .database = {.conninfo = "host=" + folder.string() + " dbname=postgres user=postgres"},
            .count_options = {.threads = 1},
            .host = "here",
            .label = "cut",
            .version = "1"};
        spec.longest_poll = std::chrono::milliseconds(100);
        const auto run = [&] {
          Progress progress;
          return work(spec, {}, progress, [](const WorkStart&) {});
        };
        Result<WorkEnd> end = run();
        // If the connection is lost before the worker has found its campaign, the worker ends.
        const bool was_early = !end && end.error().code == ErrorCode::kUnavailable;
        if (was_early) {
          EXPECT_LT(number, 4) << end.error().to_string();
          end = run();
        }
        ASSERT_TRUE(end.ok()) << number << ": " << end.error().to_string();
        EXPECT_EQ(end->state, CampaignState::kDone);
        has_cut = proxy.has_cut();
        cuts += has_cut ? 1 : 0;
        const auto result = small.store.result(small.name);
        ASSERT_TRUE(result.ok()) << result.error().to_string();
        EXPECT_EQ(result->sum.nodes, NodeCount(SmallCampaign::kNodes)) << number;
        EXPECT_EQ(result->parts, 6) << number;
        ASSERT_EQ(small.store.drop(small.name), std::nullopt);
        proxy.cut(how, -1);
      }
    }
    // A worker connects, finds the campaign, reads the plan, registers, makes at least six claims
    // and six commits, and leaves.
    EXPECT_GE(cuts, 3 * 16);
    std::cout << cuts << " cuts\n";
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace manyply

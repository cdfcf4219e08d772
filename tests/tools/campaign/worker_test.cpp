// Tests workers of campaigns, also with connections that are cut before, inside and after each
// message of a worker.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <iostream>
#include <span>
#include <stdexcept>

#include "tests/support/budget.h"
#include "tests/support/eventually.h"
#include "tests/tools/campaign/campaign_fixture.h"
#include "tools/campaign/campaign_counting.h"

namespace manyply {
namespace {

using testing::HasSubstr;

constexpr int kWorkDepth = kIsFastBuild ? 6 : 5;
NodeCount total() { return NodeCount(kIsFastBuild ? 119'060'324 : 4'865'609); }
constexpr std::size_t kWorkParts = 12;

/// A campaign of the start position.
class CampaignWorkers : public CampaignTest {
 protected:
  void make(double verify, double lease_seconds = 120, std::size_t parts = kWorkParts) {
    store_.emplace(address());
    ASSERT_TRUE(store_->init().ok());
    const Position root = parse_position(kStartFen)->position;
    const Workforce by(Workers(1));
    PartCounter counter(
        {.root = root, .depth = kWorkDepth, .most_bytes = std::uint64_t{1} << 30, .parts = parts},
        by);
    ASSERT_EQ(counter.prepare(), std::nullopt);
    NewCampaign campaign;
    campaign.name = "start";
    campaign.fen = kStartFen;
    campaign.depth = Depth(kWorkDepth);
    campaign.plan = counter.plan();
    campaign.identity = parts_identity(root.board(), kWorkDepth, campaign.plan);
    campaign.memory_bytes = std::uint64_t{64} << 20;
    campaign.version = "1";
    campaign.verify = verify;
    campaign.lease_seconds = lease_seconds;
    for (const PartShare& share : counter.shares()) campaign.weights.push_back(share.work);
    ASSERT_EQ(campaign.weights.size(), parts);
    campaign.verified.assign(parts, verify > 0);
    ASSERT_EQ(store_->create(campaign), std::nullopt);
  }

  [[nodiscard]] WorkSpec spec(int threads, const Kernel* kernel = nullptr) const {
    WorkSpec spec{.campaign = "start",
                  .database = address(),
                  .count_options = {.threads = threads, .kernel = kernel},
                  .host = "here",
                  .label = "test",
                  .version = "1"};
    spec.longest_poll = std::chrono::milliseconds(200);
    spec.stop_patience = spec.end_patience = std::chrono::minutes(10);
    return spec;
  }

  static Result<WorkEnd> work_alone(const WorkSpec& spec, const std::stop_token& stop = {}) {
    Progress progress;
    return work(spec, stop, progress, [](const WorkStart&) {});
  }

  [[nodiscard]] CampaignResult result() {
    auto result = store_->result("start");
    EXPECT_TRUE(result.ok()) << result.error().to_string();
    return result ? std::move(result).value() : CampaignResult();
  }
  [[nodiscard]] std::int64_t counted() const {
    return number("SELECT count(*) FROM manyply.result");
  }

  std::optional<CampaignStore> store_;
};

/// Runs these workers at the same time; all must succeed. Returns the number of parts that they
/// committed.
std::uint64_t run_all(const std::vector<WorkSpec>& specs) {
  std::atomic<std::uint64_t> parts{0};
  std::vector<std::jthread> threads;
  for (const WorkSpec& spec : specs) {
    threads.emplace_back([&parts, &spec] {
      Progress progress;
      const Result<WorkEnd> end = work(spec, {}, progress, [](const WorkStart&) {});
      EXPECT_TRUE(end.ok()) << end.error().to_string();
      if (!end) return;
      EXPECT_EQ(end->state, CampaignState::kDone);
      parts += end->parts;
    });
  }
  threads.clear();
  return parts;
}

TEST_F(CampaignWorkers, TwoCountEverythingOnceAndVerifyEachOther) {
  make(1);
  EXPECT_EQ(run_all({spec(1), spec(2)}), 2 * kWorkParts);
  const CampaignResult result_of_both = result();
  EXPECT_EQ(result_of_both.sum.nodes, total());
  EXPECT_EQ(result_of_both.parts, static_cast<std::int64_t>(kWorkParts));
  EXPECT_EQ(result_of_both.parts_verified, static_cast<std::int64_t>(kWorkParts));
  EXPECT_EQ(result_of_both.workers, 2);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.result a JOIN manyply.result b USING (campaign, "
                   "part) WHERE a.pass = 0 AND b.pass = 1 AND a.worker = b.worker"),
            0);
}

TEST_F(CampaignWorkers, OtherKernelsAndMemoriesCountTheSame) {
  make(1);
  sql("UPDATE campaign SET verify_other = 'kernel'");
  WorkSpec portable = spec(1, find_kernel("portable").value());
  portable.count_options.memory_bytes = std::uint64_t{128} << 20;
  run_all({portable, spec(1)});
  EXPECT_EQ(result().sum.nodes, total());
  EXPECT_EQ(result().kernels.size(), 2U);
}

TEST_F(CampaignWorkers, OneCountsOnePart) {
  make(0, 120, 1);
  EXPECT_EQ(run_all({spec(2)}), 1U);
  EXPECT_EQ(result().sum.nodes, total());
}

/// The best kernel, but it stops after a number of boards and waits until the test releases it. So
/// a worker cannot finish before the test has checked something. Only one object may exist at a
/// time.
class HeldKernel {
 public:
  HeldKernel() : kernel_(best_kernel()) {
    let_go();
    kernel_.count_two_plies_in_lanes = [](const BoardLanes& boards, std::size_t count,
                                          std::uint32_t* leaves) {
      left_ -= static_cast<std::int64_t>(count);
      EXPECT_TRUE(eventually([] { return left_ > 0; }));
      return best_kernel().count_two_plies_in_lanes(boards, count, leaves);
    };
  }
  static void hold_after(std::int64_t boards) { left_ = boards; }
  static void let_go() { left_ = std::int64_t{1} << 62; }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

 private:
  static inline std::atomic<std::int64_t> left_;  // a kernel's functions have no state
  Kernel kernel_;
};

TEST_F(CampaignWorkers, AStoppedOneHandsBackAndAnotherGoesOn) {
  make(0, 3);
  const HeldKernel held;
  const auto work_held = [&](int threads, const std::stop_token& token) {
    const WorkSpec held_spec = spec(threads, &held.kernel());
    Progress progress;
    return work(held_spec, token, progress, [](const WorkStart&) { HeldKernel::hold_after(100); });
  };
  std::stop_source stop;
  const std::jthread stopper([&] {
    EXPECT_TRUE(eventually(
        [&] { return number("SELECT count(*) FROM manyply.part WHERE epoch > 0") > 0; }));
    stop.request_stop();
    HeldKernel::let_go();
  });
  const Result<WorkEnd> end = work_held(1, stop.get_token());
  EXPECT_EQ(end.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.part WHERE state = 'leased'"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.worker WHERE ended IS NULL"), 0);
  EXPECT_LT(counted(), static_cast<std::int64_t>(kWorkParts));

  // Another process stops the campaign. The worker notices that when it renews its lease or commits
  // its part.
  std::jthread teller([&] {
    EXPECT_TRUE(eventually(
        [&] { return number("SELECT count(*) FROM manyply.part WHERE state = 'leased'") > 0; }));
    EXPECT_EQ(CampaignStore(address()).set_running("start", false).value(),
              CampaignState::kStopped);
    HeldKernel::let_go();
  });
  const Result<WorkEnd> told = work_held(2, {});
  ASSERT_TRUE(told.ok()) << told.error().to_string();
  EXPECT_EQ(told->state, CampaignState::kStopped);
  teller.join();
  EXPECT_LT(counted(), static_cast<std::int64_t>(kWorkParts));

  ASSERT_TRUE(store_->set_running("start", true).ok());
  run_all({spec(2)});
  EXPECT_EQ(result().sum.nodes, total());
}

// Counting continues while the database is not running. When it runs again, the worker commits its
// counts, and a count that was being sent is stored exactly once.
TEST_F(CampaignWorkers, ADatabaseThatDiesIsWaitedForSlow) {
  make(1, 5, 60);
  std::jthread workers([this] { run_all({spec(1), spec(1)}); });
  for (int round = 0; round < 3; ++round) {
    const std::int64_t before = counted();
    EXPECT_TRUE(eventually([&] { return counted() > before + 5; }));
    server_->crash();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    server_->start();
  }
  workers.join();
  store_.emplace(address());  // the previous store lost its connection
  EXPECT_EQ(result().sum.nodes, total());
}

TEST_F(CampaignWorkers, AWrongKernelIsRefusedByItsSignature) {
  make(0);
  Kernel wrong = best_kernel();
  wrong.name = "wrong";
  wrong.count_two_plies_in_lanes = [](const BoardLanes& boards, std::size_t count,
                                      std::uint32_t* leaves) {
    const std::uint64_t visited = best_kernel().count_two_plies_in_lanes(boards, count, leaves);
    for (std::size_t i = 0; i < count; ++i) leaves[i] -= leaves[i] % 97 == 1 ? 1 : 0;
    return visited;
  };
  EXPECT_THAT(work_alone(spec(1, &wrong)).error().to_string(),
              AllOf(HasSubstr("this worker is refused: signature "),
                    HasSubstr(": every correct build has 86489390 (kernel wrong)")));
  EXPECT_EQ(counted(), 0);
}

TEST_F(CampaignWorkers, RefusesWhatDoesNotFit) {
  make(0);
  WorkSpec other = spec(1);
  other.version = "2";
  EXPECT_THAT(work_alone(other).error().to_string(), HasSubstr("this is version 2"));
  other = spec(1);
  other.campaign = "end";
  EXPECT_THAT(work_alone(other).error().to_string(), HasSubstr("no campaign named 'end'"));
  other = spec(1);
  other.count_options.memory_bytes = std::uint64_t{48} << 20;
  EXPECT_THAT(work_alone(other).error().to_string(),
              HasSubstr("it may use 48 MB of memory; the largest part takes 64 MB"));
  sql("UPDATE campaign SET identity = set_byte(identity, 3, 255 - get_byte(identity, 3))");
  EXPECT_THAT(work_alone(spec(1)).error().to_string(), HasSubstr("has a plan of parts that is"));
  EXPECT_EQ(counted(), 0);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.part WHERE epoch > 0"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM manyply.worker WHERE refused IS NOT NULL"), 2);
}

TEST(CountSignature, IsThatOfEveryCorrectBuild) {
  EXPECT_EQ(count_signature({.threads = 2}, {}).value(), kSignature);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(count_signature({}, stop.get_token()).error().code, ErrorCode::kCancelled);
}

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

// Tests the real server in bad conditions: many followers, slow clients, and disks that are full,
// read-only or damaged.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "tests/e2e/readme.h"
#include "tests/e2e/server.h"
#include "tests/support/budget.h"
#include "tests/support/eventually.h"
#include "tests/support/nginx.h"

namespace manyply {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// A file system that only the test sees, and that ends with the test. Only some users may mount
/// it.
class OwnDisk {
 public:
  OwnDisk(fs::path path, const std::string& options) : path_(std::move(path)) {
    fs::create_directories(path_);
    mounted_ = unshare(CLONE_NEWNS) == 0 &&
               mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               mount("none", path_.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  ~OwnDisk() {
    if (mounted_) umount2(path_.c_str(), MNT_DETACH);
  }
  OwnDisk(const OwnDisk&) = delete;
  OwnDisk& operator=(const OwnDisk&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] bool make_read_only() const {
    return mount("none", path_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }
  /// Writes until the disk is full.
  void fill() const {
    std::ofstream ballast(ballast_file(), std::ios::binary);
    while (ballast << std::string(4096, 'x') << std::flush) {
    }
  }
  void make_room() const { fs::remove(ballast_file()); }

 private:
  [[nodiscard]] fs::path ballast_file() const { return path_ / "ballast"; }

  fs::path path_;
  bool mounted_ = false;
};

class ServeTrouble : public testing::Test {
 protected:
  /// Returns the message of a server that does not start. It must be one line.
  std::string refusal() {
    std::string text = refusal_of({"serve", "--listen", "127.0.0.1:0", "--state", dir_.path()});
    EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
    EXPECT_THAT(text, StartsWith("perft: state: " + dir_.path().string()));
    return text;
  }

  StateDir dir_;
};

TEST_F(ServeTrouble, AThousandFollowersHearTheEnd) {
  constexpr std::size_t kFollowers = kIsFastBuild ? 1000 : 200;
  if (raise_file_limit() < 2 * kFollowers + 200) GTEST_SKIP() << "too few files for this process";
  Server server(dir_.path(), {"--no-access-log"});
  const std::string id = server.submit(kLong);
  std::vector<Wire> followers;
  // Send one request after the other, because the server refuses a request while 512 others wait.
  for (std::size_t i = 0; i < kFollowers; ++i) {
    Wire& wire = followers.emplace_back(server.port());
    wire.send(http_request("GET", "/v1/jobs/" + id + "/events", server.port()));
    ASSERT_THAT(wire.read_to("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
    ASSERT_EQ(next_event(wire).job["id"].dump(), id);
  }
  EXPECT_THAT(server.ask("GET", "/metrics").body,
              HasSubstr("\nmanyply_event_streams " + std::to_string(kFollowers) + "\n"));
  EXPECT_EQ(server.ask("DELETE", "/v1/jobs/" + id).status, 200);
  for (Wire& wire : followers) {
    StreamEvent last;
    for (StreamEvent event = next_event(wire); !event.name.empty(); event = next_event(wire))
      last = event;
    ASSERT_EQ(last.name, "cancelled");
  }
  EXPECT_EQ(server.terminate().exit_code, 0);
}

// Like the slow-loris attack: many connections each send some bytes from time to time, but never a
// complete request. The number of connections exceeds the server's limit on open files.
TEST_F(ServeTrouble, DawdlersKeepNobodyOut) {
  constexpr std::size_t kDawdlers = 400;
  if (raise_file_limit() < kDawdlers + 100) GTEST_SKIP() << "too few files for this process";
  Server server(dir_.path(), {"--no-access-log"},
                {"/bin/sh", "-c", "ulimit -n 200 && exec \"$@\"", "sh"});
  ASSERT_TRUE(server.ready());
  std::vector<Wire> dawdlers;
  for (std::size_t i = 0; i < kDawdlers; ++i) {
    dawdlers.emplace_back(server.port());
    dawdlers.back().send(i % 2 == 0 ? "GET /healthz HTTP/1.1\r\n"
                                    : "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\n"
                                      "Content-Length: 60000\r\n\r\n{");
  }
  std::jthread dripping([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (std::size_t i = 0; i < kDawdlers; ++i) dawdlers[i].send(i % 2 == 0 ? "A: b\r\n" : " ");
      std::this_thread::sleep_for(milliseconds(50));
    }
  });
  const std::string id = server.submit({{"depth", 4}});
  EXPECT_TRUE(eventually([&] { return server.job(id)["state"] == "done"; }));
  for (int i = 0; i < 50; ++i) ASSERT_EQ(server.ask("GET", "/healthz").status, 200);
  EXPECT_EQ(server.job(id)["nodes"], "197281");
  dripping.request_stop();
  dripping.join();
  EXPECT_EQ(server.terminate().exit_code, 0);
}

TEST_F(ServeTrouble, SlowDawdlersAreToldThatTheyTookTooLong) {
  Server server(dir_.path());
  Wire wire(server.port());
  wire.send("GET /healthz HTTP/1.1\r\n");
  std::jthread dripping([&](const std::stop_token& stop) {
    while (!stop.stop_requested() && wire.send("A: b\r\n"))
      std::this_thread::sleep_for(milliseconds(100));
  });
  EXPECT_THAT(wire.response(), StartsWith("HTTP/1.1 408 "));
}

// Accepted jobs stay accepted, results wait until there is room, and new jobs are refused.
TEST_F(ServeTrouble, AFullDiskLosesNothing) {
  const OwnDisk disk(dir_.path(), "size=4m");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount";
  std::vector<std::string> accepted;
  {
    Server server(dir_.path(), {"--short-limit", "0"});  // the second job waits for the first
    const std::string first = server.submit(kLong);
    const std::string second = server.submit({{"depth", 6}, {"mode", "unhashed"}});
    accepted = {first, second};
    disk.fill();
    HttpReply reply;
    for (int i = 0; i < 1000; ++i) {  // existing files still have some room
      reply = server.ask("POST", "/v1/jobs", Json{{"depth", 3}, {"mode", "unhashed"}}.dump());
      if (reply.status != 202) break;
      accepted.push_back(reply.json()["id"].dump());
    }
    EXPECT_EQ(reply.status, 503);
    EXPECT_THAT(reply.head, HasSubstr("\r\nRetry-After: "));
    EXPECT_THAT(reply.json()["detail"].get<std::string>(),
                AnyOf(HasSubstr("full"), HasSubstr("I/O")));
    EXPECT_EQ(server.ask("GET", "/healthz").status, 200);
    EXPECT_EQ(server.ask("GET", "/readyz").status, 503);
    EXPECT_EQ(server.job(first)["state"], "running");

    // After the cancellation, the second job is counted, but its result must wait for room on the
    // disk.
    const HttpReply cancelled = server.ask("DELETE", "/v1/jobs/" + first);
    const Json stopped = server.job(first);
    if (cancelled.status == 200) {
      EXPECT_EQ(stopped["state"], "cancelled");
    } else {
      EXPECT_EQ(cancelled.status, 503) << "what is not stored is not said";
      EXPECT_TRUE(stopped.contains("storage_problem") || stopped["state"] == "cancelled");
    }
    EXPECT_TRUE(eventually([&] {
      const Json job = server.job(second);
      return job["state"] == "done" ||
             (job.contains("storage_problem") && job["progress"]["share"] == 1);
    }));
    const Json waiting = server.job(second);
    EXPECT_EQ(waiting["state"], "running") << "shown before it is durable";
    EXPECT_FALSE(waiting.contains("nodes"));

    disk.make_room();
    for (const std::string& id : accepted) {
      EXPECT_TRUE(eventually([&] {  // the server shows a cancellation only after storing it
        const Json job = server.job(id);
        return job.contains("finished") && !job.contains("storage_problem");
      })) << id;
    }
    EXPECT_EQ(server.job(first)["state"], "cancelled");
    EXPECT_EQ(server.job(second)["nodes"], "119060324");
    EXPECT_TRUE(eventually([&] { return server.ask("GET", "/readyz").status == 200; }));
    server.kill();
  }
  Server server(dir_.path());
  EXPECT_EQ(server.job(accepted[0])["state"], "cancelled");
  EXPECT_EQ(server.job(accepted[1])["nodes"], "119060324");
  for (std::size_t i = 2; i < accepted.size(); ++i)
    EXPECT_EQ(server.job(accepted[i])["nodes"], "8902") << accepted[i];
}

// The files of a running server are moved away: the server must not acknowledge anything that a
// restart would lose.
TEST_F(ServeTrouble, ADatabaseThatIsTakenAwayIsNoticed) {
  const fs::path aside = dir_.path().string() + "-aside";
  fs::remove_all(aside);
  const std::string job = Json{{"depth", 5}}.dump();
  std::string known;
  std::string added;
  {
    Server server(dir_.path());
    known = server.submit({{"depth", 4}});
    EXPECT_TRUE(eventually([&] { return server.job(known)["state"] == "done"; }));
    const auto nothing_is_promised = [&] {
      EXPECT_EQ(server.ask("GET", "/readyz").status, 503);
      const HttpReply refused = server.ask("POST", "/v1/jobs", job);
      EXPECT_EQ(refused.status, 503) << refused.body;
      EXPECT_THAT(refused.head, HasSubstr("\r\nRetry-After: "));
      EXPECT_THAT(refused.json().value("detail", ""), HasSubstr("jobs.db"));
      EXPECT_EQ(server.ask("POST", "/v1/jobs", Json{{"depth", 4}}.dump()).status, 503) << "known";
      EXPECT_EQ(server.ask("GET", "/v1/jobs/" + known).status, 200) << "can be read";
      EXPECT_EQ(server.ask("GET", "/healthz").status, 200);
    };
    const auto all_is_well = [&] {
      EXPECT_TRUE(eventually([&] { return server.ask("GET", "/readyz").status == 200; }));
    };
    fs::rename(dir_.database(), aside);
    nothing_is_promised();
    fs::rename(aside, dir_.database());
    all_is_well();

    fs::rename(dir_.path(), aside);
    nothing_is_promised();
    fs::create_directories(dir_.path());
    fs::copy_file(aside / "jobs.db", dir_.database());
    nothing_is_promised();
    fs::remove_all(dir_.path());
    fs::rename(aside, dir_.path());
    all_is_well();

    fs::remove(dir_.database().string() + "-wal");
    EXPECT_TRUE(eventually([&] {
      added = server.ask("POST", "/v1/jobs", job).json().value("id", Json()).dump();
      return added != "null";
    })) << "a log is written anew";
    EXPECT_THAT(server.kill().err, AllOf(HasSubstr("jobs.db: has been moved or deleted"),
                                         HasSubstr("jobs.db-wal: has been moved or deleted"),
                                         HasSubstr("storing works again")));
  }
  Server server(dir_.path());
  EXPECT_EQ(server.job(known)["nodes"], "197281");
  EXPECT_TRUE(eventually([&] { return server.job(added)["nodes"] == "4865609"; }));
  EXPECT_EQ(server.terminate().exit_code, 0);
}

// Clients announce bodies but do not send them, with and without a token.
TEST_F(ServeTrouble, HalfOpenRequestsKeepNobodyOutSlow) {
  constexpr std::size_t kHalfOpen = 256;
  if (raise_file_limit() < kHalfOpen + 100) GTEST_SKIP() << "too few files for this process";
  const fs::path token = dir_.path() / "token";
  write_tokens(token, "a-secret-that-is-long-enough\n");
  const std::string bearer = "Authorization: Bearer a-secret-that-is-long-enough\r\n";
  for (const bool with_token : {false, true}) {
    Server server(dir_.path(), with_token ? std::vector<std::string>{"--token-file", token.string()}
                                          : std::vector<std::string>{});
    std::vector<Wire> half_open;
    for (std::size_t i = 0; i < kHalfOpen; ++i) {
      half_open.emplace_back(server.port());
      half_open.back().send("POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\n" + bearer +
                            "Content-Type: application/json\r\nContent-Length: 65536\r\n\r\n{");
    }
    const std::string held = "\nmanyply_connections " + std::to_string(kHalfOpen + 1) + "\n";
    ASSERT_TRUE(eventually([&] {
      return server.ask("GET", "/metrics", "", bearer).body.find(held) != std::string::npos;
    }));
    const HttpReply reply = server.ask("POST", "/v1/jobs", R"({"depth": 3})", bearer);
    EXPECT_EQ(reply.status / 100, 2) << reply.body;
    EXPECT_THAT(server.ask("GET", "/metrics", "", bearer).body,
                AllOf(HasSubstr(held), HasSubstr("\nmanyply_connections_evicted_total 0\n")));
    EXPECT_EQ(server.terminate().exit_code, 0);
  }
}

TEST_F(ServeTrouble, AReadOnlyDirectoryIsRefused) {
  const OwnDisk disk(dir_.path(), "size=4m");
  if (!disk.mounted()) {  // use permissions instead; they do not stop root, for example in a chroot
    if (geteuid() == 0) GTEST_SKIP() << "may not mount";
    chmod(dir_.path().c_str(), 0555);
    EXPECT_THAT(refusal(), HasSubstr("denied"));
    return;
  }
  std::string id;
  {
    Server server(dir_.path());
    id = server.submit({{"depth", 4}});
    EXPECT_TRUE(eventually([&] { return server.job(id)["state"] == "done"; }));
    EXPECT_EQ(server.terminate().exit_code, 0);
  }
  ASSERT_TRUE(disk.make_read_only());
  EXPECT_THAT(refusal(), HasSubstr("Read-only file system"));
}

TEST_F(ServeTrouble, ADamagedDatabaseIsRefusedAndAGoodCopyTaken) {
  std::string id;
  {
    Server server(dir_.path());
    id = server.submit({{"depth", 5}});
    EXPECT_TRUE(eventually([&] { return server.job(id)["state"] == "done"; }));
    EXPECT_EQ(server.terminate().exit_code, 0);
  }
  const fs::path copy = dir_.path() / "copy";
  fs::copy_file(dir_.database(), copy);
  const auto bytes = static_cast<std::streamoff>(fs::file_size(copy));
  const auto damage = [&](const std::function<void()>& change) {
    fs::copy_file(copy, dir_.database(), fs::copy_options::overwrite_existing);
    change();
    EXPECT_THAT(refusal(), HasSubstr("jobs.db"));
  };
  const auto overwrite = [&](std::streamoff from, std::streamoff to) {
    std::fstream file(dir_.database(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(from);
    for (; from < to; ++from) file.put('\x5a');
  };
  ASSERT_GT(bytes, 3 * 4096);
  damage([&] { overwrite(0, 16); });
  damage([&] { overwrite(100, 4096); });
  damage([&] { overwrite(4096, bytes); });
  damage([&] { fs::resize_file(dir_.database(), static_cast<std::uintmax_t>(bytes) / 2); });
  damage([&] { fs::resize_file(dir_.database(), 50); });

  fs::copy_file(copy, dir_.database(), fs::copy_options::overwrite_existing);
  Server server(dir_.path());
  EXPECT_EQ(server.job(id)["nodes"], "4865609");
}

// Tests the server behind nginx with TLS, as tools/server/README.md describes it.

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
  EXPECT_THAT(ask("/perft/"), AllOf(HasSubstr("HTTP/2 200"), HasSubstr("<title>Manyply")));
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
  // The job waits. After the event with its state, the server sends only heartbeats, which are too
  // few to fill a buffer.
  ask("/perft/v1/jobs", as_ann({"--json", R"({"depth": 12, "mode": "unhashed"})"}));
  Process stream(curl("/perft/v1/jobs/2/events", as_ann()));
  EXPECT_TRUE(stream.wait_for_output("event: state\n"));
}

TEST_F(ServeNginx, SlowAServerThatStartsAgainIsFound) {
  const std::string page = "<title>Manyply";
  EXPECT_THAT(ask("/perft/"), HasSubstr(page));
  server_->signal(SIGKILL);
  server_->finish();
  EXPECT_THAT(ask("/perft/"), HasSubstr("HTTP/2 502"));
  serve();
  EXPECT_THAT(ask("/perft/"), HasSubstr(page));
}

}  // namespace
}  // namespace manyply

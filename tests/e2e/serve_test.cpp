// Tests the real server over real connections: counts, streams, signals, kills.
#include <sys/stat.h>

#include "tests/e2e/golden.h"
#include "tests/e2e/readme.h"
#include "tests/e2e/server.h"
#include "tests/support/budget.h"
#include "tests/support/eventually.h"
#include "tests/tools/server/kill_loop.h"

namespace manyply {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

using Json = nlohmann::json;

class Serve : public testing::Test {
 protected:
  StateDir dir_;
};

TEST_F(Serve, CountsAndTellsAllAboutIt) {
  Server server(dir_.path());
  ASSERT_TRUE(server.ready());
  EXPECT_THAT(server.process().output(), MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+/\n"));
  EXPECT_EQ(server.ask("GET", "/healthz").status, 200);
  EXPECT_EQ(server.ask("GET", "/readyz").status, 200);
  const std::string id = server.submit({{"depth", 5}});
  Wire events = server.follow(id);
  StreamEvent event = next_event(events);
  while (!event.name.empty() && event.name != "done") event = next_event(events);
  EXPECT_EQ(event.name, "done");
  EXPECT_EQ(event.job["state"], "done");
  EXPECT_EQ(next_event(events).name, "") << "the stream ends with the job";
  const Json job = server.job(id);
  EXPECT_EQ(job["nodes"], "4865609");
  EXPECT_EQ(job["report"]["nodes"], "4865609");
  EXPECT_EQ(job["report"]["known"], "match");
  const ProcessResult end = server.terminate();
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.err, AllOf(HasSubstr(" ready: http://"), HasSubstr(" POST /v1/jobs 202 "),
                             HasSubstr("/events 200 "), EndsWith(" ended\n")));
}

TEST_F(Serve, StreamsAreTakenUpAfterTheLastEvent) {
  Server server(dir_.path());
  const std::string id = server.submit(kLong);
  std::vector<StreamEvent> seen;
  {
    Wire events = server.follow(id);
    while (seen.size() < 4) seen.push_back(next_event(events));
  }
  EXPECT_EQ(seen[3].name, "progress");
  Wire again = server.follow(id, seen[1].id);
  EXPECT_EQ(next_event(again).id, seen[2].id);
  EXPECT_EQ(next_event(again).id, seen[3].id);
  ASSERT_EQ(server.ask("DELETE", "/v1/jobs/" + id).status / 100, 2);
  StreamEvent last;
  for (StreamEvent event = next_event(again); !event.name.empty(); event = next_event(again))
    last = event;
  EXPECT_EQ(last.name, "cancelled");
  const auto after = [&](const std::string& event) {
    return server.ask("GET", "/v1/jobs/" + id + "/events", {}, "Last-Event-ID: " + event + "\r\n");
  };
  // The server may report the end of a job twice: when the end is decided, and when it is durable.
  EXPECT_TRUE(eventually([&] {
    if (after(last.id).status == 204) return true;
    Wire end = server.follow(id, last.id);
    const StreamEvent told = next_event(end);
    if (!told.id.empty()) last = told;
    return false;
  })) << "EventSource stays away after a 204";
}

TEST_F(Serve, AnEventOfAnEarlierProcessIsAnsweredWithThePresentState) {
  std::string id;
  std::string last;
  {
    Server server(dir_.path());
    id = server.submit(kLong);
    Wire events = server.follow(id);
    last = next_event(events).id;
    server.kill();
  }
  Server server(dir_.path());
  Wire events = server.follow(id, last);
  const StreamEvent event = next_event(events);
  EXPECT_GT(std::stoull(event.id), std::stoull(last));
  EXPECT_TRUE(event.job["state"] == "running" || event.job["state"] == "queued") << event.job;
  EXPECT_EQ(event.job["id"].dump(), id);
}

TEST_F(Serve, SigtermEndsItInGoodOrder) {
  std::string id;
  {
    Server server(dir_.path());
    id = server.submit(kLong);
    Wire idle(server.port());
    Wire events = server.follow(id);
    EXPECT_TRUE(eventually([&] { return next_event(events).name == "progress"; }));
    const ProcessResult end = server.terminate();
    EXPECT_EQ(end.exit_code, 0) << "the job takes hours";
    EXPECT_THAT(end.err, EndsWith(" ended\n"));
    EXPECT_THAT(events.rest(), EndsWith(": the server is shutting down\n\n"));
    EXPECT_EQ(idle.rest(), "");
  }
  Server server(dir_.path());
  EXPECT_TRUE(eventually([&] { return server.job(id)["state"] == "running"; }));
  EXPECT_EQ(server.ask("DELETE", "/v1/jobs/" + id).status / 100, 2);
  EXPECT_TRUE(eventually([&] { return server.job(id)["state"] == "cancelled"; }));
}

TEST_F(Serve, CtrlCEndsItToo) {
  Server server(dir_.path());
  ASSERT_TRUE(server.ready());
  server.process().signal(SIGINT);
  EXPECT_EQ(server.process().finish().exit_code, 0);
}

TEST_F(Serve, SlowGoesOnAfterAKill) {
  const int depth = kIsFastBuild ? 8 : 7;
  const char* nodes = kIsFastBuild ? "84998978956" : "3195901860";
  std::string id;
  bool done = false;
  {
    Server server(dir_.path());
    id = server.submit({{"depth", depth}, {"mode", "unhashed"}});
    EXPECT_TRUE(eventually([&] { return server.job(id)["state"] != "queued"; }));
    std::this_thread::sleep_for(milliseconds(1500));  // by then, some subtrees are stored
    done = server.job(id)["state"] == "done";
    EXPECT_EQ(server.kill().exit_code, 128 + SIGKILL);
  }
  Server server(dir_.path());
  EXPECT_TRUE(eventually([&] { return server.job(id)["state"] == "done"; }));
  const Json job = server.job(id);
  EXPECT_EQ(job["nodes"], nodes);
  EXPECT_EQ(job["report"]["known"], "match");
  if (!done && kIsFastBuild) {
    EXPECT_GT(job["report"]["resumed_units"], 0);
  }
}

TEST_F(Serve, NobodyReadingStderrHindersNothing) {
  Server server(dir_.path());
  Wire wire(server.port());
  const std::string request = http_request("GET", "/healthz", server.port());
  for (int i = 0; i < 3000; ++i) {  // a pipe holds a third of these lines
    wire.send(request);
    ASSERT_THAT(wire.response(), StartsWith("HTTP/1.1 200"));
  }
  EXPECT_EQ(server.terminate().exit_code, 0);
}

TEST_F(Serve, RefusesASecondServerOfTheSameState) {
  Server first(dir_.path());
  ASSERT_TRUE(first.ready());
  expect_refusal(perft({"serve", "--listen", "127.0.0.1:0", "--state", dir_.path()}),
                 "state: " + dir_.path().string() + ": another server is using this directory");
  const std::string address = "127.0.0.1:" + std::to_string(first.port());
  const ProcessResult taken =
      perft({"serve", "--listen", address, "--state", dir_.path() / "other"});
  EXPECT_EQ(taken.exit_code, 2);
  EXPECT_THAT(taken.err, AllOf(StartsWith("perft: --listen: "), HasSubstr("in use")));
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "other")) << "nothing was begun";
  EXPECT_EQ(first.ask("GET", "/healthz").status, 200);
}

TEST_F(Serve, RefusesWhatItCannotDo) {
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"serve", "--state", dir_.path()});
    const std::string refusal = refusal_of(more);
    EXPECT_EQ(std::ranges::count(refusal, '\n'), 1) << refusal;
    return refusal;
  };
  EXPECT_THAT(refused({"--listen", "0.0.0.0:0"}), HasSubstr("requires --token-file"));
  EXPECT_THAT(refused({"--listen", "8080"}),
              HasSubstr("--listen: '8080' is not an address and port"));
  EXPECT_THAT(refused({"--listen", "unix:"}),
              HasSubstr("--listen: unix: must be followed by a path"));
  EXPECT_THAT(refused({"--socket-mode", "660"}), HasSubstr("requires --listen unix:PATH"));
  for (const char* mode : {"1000", "8", "", "rw"})
    EXPECT_THAT(refused({"--listen", "unix:x", "--socket-mode", mode}), HasSubstr("0 to 777"));
  for (const char* path : {"perft/", "/a//b", "/a?b", "/.."})
    EXPECT_THAT(refused({"--base-path", path}), HasSubstr("must be a path such as /perft/"));
  EXPECT_THAT(refused({"--hash", "off"}), HasSubstr("--hash: cannot be off"));
  EXPECT_THAT(refused({"--hash", "1K"}), HasSubstr("at least 64K"));
  EXPECT_THAT(refused({"--concurrent", "0"}), HasSubstr("--concurrent: '0'"));
  EXPECT_THAT(
      refused({"--threads", "1", "--short-limit", "4"}),
      HasSubstr(
          "short-limit: must not exceed the CPU time that --short-share allows per minute, 3.0 s"));
  EXPECT_THAT(refused({"--max-depth", "99"}), HasSubstr("--max-depth: "));

  std::filesystem::create_directories(dir_.path());
  const std::filesystem::path token = dir_.path() / "token";
  const auto with_token = [&](const std::string& text, mode_t mode) {
    std::ofstream(token, std::ios::binary) << text;
    chmod(token.c_str(), mode);
    return refused({"--token-file", token});
  };
  EXPECT_THAT(refused({"--token-file", token}), HasSubstr("No such file"));
  EXPECT_THAT(refused({"--token-file", dir_.path()}), HasSubstr("is not a regular file"));
  EXPECT_THAT(with_token("", 0600), HasSubstr("fewer than 16 characters"));
  EXPECT_THAT(with_token("short\n", 0600), HasSubstr("fewer than 16 characters"));
  EXPECT_THAT(with_token("0123456789 abcdefgh\n", 0600), HasSubstr("line 1: must contain a name"));
  EXPECT_THAT(with_token("\x01"
                         "123456789abcdefgh\n",
                         0600),
              HasSubstr("visible ASCII"));
  EXPECT_THAT(with_token("0123456789abcdef\n", 0644), HasSubstr("other users"));
  EXPECT_FALSE(std::filesystem::exists(dir_.database()));

  std::ofstream(dir_.database()) << "no database, but long enough to be taken for one";
  EXPECT_THAT(refused({"--listen", "127.0.0.1:0"}), HasSubstr("jobs.db"));
}

TEST_F(Serve, ATokenIsAskedForWhenThereIsOne) {
  const std::filesystem::path token = dir_.path() / "token";
  write_tokens(token, "0123456789abcdef\n");
  Server server(dir_.path(), {"--token-file", token});
  EXPECT_EQ(server.ask("GET", "/v1/jobs").status, 401);
  EXPECT_EQ(server.ask("GET", "/v1/jobs", {}, "Authorization: Bearer 0123456789abcdee\r\n").status,
            401);
  EXPECT_EQ(server.ask("GET", "/v1/jobs", {}, "Authorization: Bearer 0123456789abcdef\r\n").status,
            200);
}

TEST_F(Serve, AJobEndsWithItsClientsTime) {
  const std::filesystem::path file = dir_.path() / "tokens";
  write_tokens(file, "sam submit sam-sam-sam-sam-sam running=1\n");
  Server server(dir_.path(), {"--token-file", file});
  const std::string token = "Authorization: Bearer sam-sam-sam-sam-sam\r\n";
  ASSERT_EQ(server.ask("POST", "/v1/jobs", kLong.dump(), token).status, 202);
  const auto job = [&] { return server.ask("GET", "/v1/jobs/1", {}, token).json(); };
  ASSERT_TRUE(eventually([&] { return job()["state"] == "failed"; }));
  EXPECT_EQ(job()["error"]["field"], "running");
  EXPECT_EQ(server.ask("POST", "/v1/jobs", kLong.dump(), token).status, 429);
}

TEST_F(Serve, TheTokenFileIsReadAgainWhenItHangsUp) {
  const std::filesystem::path file = dir_.path() / "tokens";
  const auto write = [&](const std::string& text) { write_tokens(file, text); };
  write("0123456789abcdef\n");
  Server server(dir_.path(), {"--token-file", file});
  const auto status = [&](const std::string& method, const std::string& token) {
    return server
        .ask(method, "/v1/jobs", method == "POST" ? R"({"depth": 2})" : "",
             "Authorization: Bearer " + token + "\r\n")
        .status;
  };
  EXPECT_EQ(status("POST", "0123456789abcdef"), 202) << "one word is an administrator's token";
  write("ann read ann-ann-ann-ann-ann\nsam submit sam-sam-sam-sam-sam\n");
  server.process().signal(SIGHUP);
  ASSERT_TRUE(server.process().wait_for_error_output("SIGHUP: 2 tokens read from"));
  EXPECT_EQ(status("GET", "0123456789abcdef"), 401);
  EXPECT_EQ(status("GET", "ann-ann-ann-ann-ann"), 200);
  EXPECT_EQ(status("POST", "ann-ann-ann-ann-ann"), 403);
  EXPECT_LT(status("POST", "sam-sam-sam-sam-sam"), 300) << "accepted, or known already";

  write("ann admin ann-ann-ann-ann-ann\nsam submits sam-sam-sam-sam-sam\n");
  server.process().signal(SIGHUP);
  ASSERT_TRUE(server.process().wait_for_error_output("the tokens are unchanged: "));
  EXPECT_EQ(status("POST", "ann-ann-ann-ann-ann"), 403);
  EXPECT_EQ(status("GET", "sam-sam-sam-sam-sam"), 200);
  const ProcessResult ended = server.terminate();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr("tokens: line 2: 'submits' is not a role"));
  EXPECT_THAT(ended.err, Not(HasSubstr("sam-sam-sam"))) << "secrets";
}

TEST_F(Serve, KeepsItsStateWhereUsersExpectIt) {
  const std::filesystem::path home = dir_.path();
  std::filesystem::create_directories(home);
  const auto serve = [&](const std::string& environment) {
    Process process({"/usr/bin/env", "-i", environment, MANYPLY_PERFT_BINARY, "serve", "--listen",
                     "127.0.0.1:0"});
    const bool ready = process.wait_for_output("/\n");
    process.signal(SIGTERM);
    process.finish();
    return ready;
  };
  EXPECT_TRUE(serve("HOME=" + home.string()));
  EXPECT_TRUE(std::filesystem::exists(home / ".local/state/manyply/jobs.db"));
  EXPECT_TRUE(serve("XDG_STATE_HOME=" + (home / "x").string()));
  EXPECT_TRUE(std::filesystem::exists(home / "x/manyply/jobs.db"));
  EXPECT_FALSE(serve("A=b"));
}

/// Sends the lines that job_host.cpp reads to a server by HTTP.
class HttpHost final : public JobHost {
 public:
  /// If `armable` is true, loads kill_after_sync into the server.
  HttpHost(const std::filesystem::path& state, bool armable)
      : trigger_(state / "die"),
        server_(state,
                {"--max-queued", "1000", "--hash", "32M", "--no-access-log",
                 // Many jobs enter the short lane, and on slow machines they exceed its limit.
                 "--short-limit", "1", "--short-share", "50"},
                armable ? launcher(trigger_) : std::vector<std::string>()) {}

  bool send(const std::string& line) override {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "submit") {
      std::string key;
      Json job;
      int depth = 0;
      std::string mode;
      std::string fen;
      words >> key >> mode >> depth >> std::ws;
      std::getline(words, fen);
      job = {{"mode", mode}, {"depth", depth}, {"fen", fen}};
      const std::string header = "Idempotency-Key: " + key + "\r\n";
      const HttpReply reply = mode == "batch"
                                  ? server_.ask("POST", "/v1/batches", fen,
                                                header + "Content-Type: application/x-epd\r\n")
                                  : server_.ask("POST", "/v1/jobs", job.dump(), header);
      if (reply.status == 0) return false;
      answer_ = reply.status == 202 || reply.status == 200
                    ? "ack " + key + ' ' + reply.json()["id"].dump()
                    : "refused " + key + ' ' + reply.body;
      return true;
    }
    std::string id;
    words >> id;
    if (verb == "remove") {
      const HttpReply reply = ask("DELETE", id + "/result");
      if (reply.status == 0) return false;
      answer_ = (reply.status == 204 ? "removed " : "lost ") + id;
      return true;
    }
    if (verb == "cancel") {
      const HttpReply reply = ask("DELETE", id);
      if (reply.status == 0) return false;
      answer_ = "cancelled " + id + ' ' +
                (reply.status == 200 ? reply.json().value("state", "?") : reply.body);
      return true;
    }
    const HttpReply reply = ask("GET", id);
    if (reply.status == 0) return false;
    const Json job = reply.json();
    if (reply.status != 200 || !job.is_object()) {
      answer_ = "lost " + id + ' ' + reply.body;
      return true;
    }
    const Json progress = job.value("progress", Json::object());
    answer_ = "job " + job["id"].dump() + ' ' + job.value("state", "?") + ' ' +
              job.value("nodes", "-") + ' ' + std::to_string(job.value("attempts", 0)) + ' ' +
              std::to_string(progress.is_object() ? progress.value("resumed_units", 0) : 0) + ' ' +
              (job.contains("report") ? job["report"].dump() : "-");
    return true;
  }
  std::string line() override {
    if (!std::exchange(said_ready_, true)) return server_.ready() ? "ready" : "";
    return std::exchange(answer_, {});
  }
  void kill() override { server_.process().signal(SIGKILL); }
  void arm() override { std::ofstream{trigger_}; }
  std::optional<int> short_jobs() override {
    const std::string metrics = server_.ask("GET", "/metrics").body;
    constexpr std::string_view kName = "\nmanyply_short_jobs_total ";
    const std::size_t at = metrics.find(kName);
    if (at == std::string::npos) return std::nullopt;
    return std::stoi(metrics.substr(at + kName.size()));
  }
  void finish() override { EXPECT_EQ(server_.terminate().exit_code, 0); }

 private:
  /// Asks about a job; if no job has this id, about a batch.
  HttpReply ask(const std::string& method, const std::string& id) {
    HttpReply reply = server_.ask(method, "/v1/jobs/" + id);
    return reply.status == 404 ? server_.ask(method, "/v1/batches/" + id) : reply;
  }

  static std::vector<std::string> launcher(const std::filesystem::path& trigger) {
    std::filesystem::remove(trigger);
    return {"/usr/bin/env", "LD_PRELOAD=" MANYPLY_KILL_AFTER_SYNC,
            "KILL_AFTER_SYNC=" + trigger.string()};
  }

  const std::filesystem::path trigger_;
  Server server_;
  bool said_ready_ = false;
  std::string answer_;
};

const StartHost kStartServer = [](const std::filesystem::path& state) {
  return std::make_unique<HttpHost>(state, /*armable=*/false);
};
const StartHost kStartArmable = [](const std::filesystem::path& state) {
  return std::make_unique<HttpHost>(state, /*armable=*/true);
};

TEST(ServeKillLoop, FiveKills) {
  KillLoop(kStartServer, 3, kQuickQuestions, milliseconds(500)).run(5);
}

TEST(ServeKillLoop, TwelveKillsBetweenCommitAndAnswer) {
  if (!kIsFastBuild) GTEST_SKIP() << "sanitizers let no library be loaded before theirs";
  KillLoop(kStartArmable, 5, kQuickQuestions, milliseconds(500)).run(12);
}

TEST(ServeKillLoop, SlowSixtyKills) {
  KillLoop loop(kStartServer, 4, std::size(kQuestions), milliseconds(2500));
  loop.run(60);
  EXPECT_GT(loop.resumed(), 0);
}

TEST(ServeKillLoop, SlowThousandKills) {
  if (!kIsFastBuild) GTEST_SKIP() << "sanitizers let no library be loaded before theirs";
  KillLoop loop(kStartArmable, 7, kQuickQuestions, milliseconds(1500));
  loop.run(1000);
  EXPECT_GT(loop.batches(), 50);
  EXPECT_GT(loop.short_jobs(), 50);
  EXPECT_GT(loop.removed(), 50);
  EXPECT_GE(loop.unanswered(), 200);
}

// Tests a server that was started without standard streams, as some programs start daemons.

std::vector<std::string> closing(const std::string& streams) {
  return {"/bin/sh", "-c", "exec \"$@\" " + streams, "sh"};
}

TEST(ServeClosedStreams, ServesWithoutInputAndLog) {
  const StateDir state;
  Server server(state.path(), {}, closing("<&- 2>&-"));
  ASSERT_TRUE(server.ready());
  EXPECT_EQ(server.ask("GET", "/healthz").status, 200);
  EXPECT_EQ(server.terminate().exit_code, 0);
}

// If the server did not reserve the number of the closed standard output, the first file that it
// opens (the database) would get this number. The server would then write its address into the
// database.
TEST(ServeClosedStreams, WritesItsAddressNowhereElse) {
  const StateDir state;
  {
    Server server(state.path(), {}, closing("<&- >&-"));
    ASSERT_TRUE(server.process().wait_for_error_output("ready: "));
    const ProcessResult result = server.terminate();
    EXPECT_EQ(result.exit_code, 2) << "like every command that cannot write its output";
    EXPECT_THAT(result.err, ::testing::EndsWith("perft: standard output: Bad file descriptor\n"));
  }
  Server again(state.path());
  ASSERT_TRUE(again.ready()) << "the database is whole";
  EXPECT_EQ(again.terminate().exit_code, 0);
}

// Runs the commands that READMEs show for the server.

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

void expect_shown(const std::vector<Example>& examples) {
  const StateDir dir;
  Server server(dir.path());
  ASSERT_TRUE(server.ready());
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  for (const Example& example : examples) {
    std::string command = replaced(example.command, "127.0.0.1:8080", address);
    command = replaced(command, "tools/perft.sh", MANYPLY_PERFT_BINARY);
    if (command.starts_with(MANYPLY_PERFT_BINARY)) {
      const std::size_t end = command.find('|');
      command.insert(end == std::string::npos ? command.size() : end - 1,
                     " --server http://" + address);
    }
    const ProcessResult result = run_process({"/bin/bash", "-o", "pipefail", "-c", command});
    EXPECT_EQ(result.exit_code, 0) << command << '\n' << result.out << result.err;
    EXPECT_TRUE(reads_as(result.out, example.output)) << command << '\n' << result.out;
  }
  EXPECT_EQ(server.terminate().exit_code, 0);
}

TEST(ServeReadme, ItsExamplesDoWhatTheyShow) {
  const std::vector<Example> examples = examples_of("README.md", "The server");
  EXPECT_EQ(examples.size(), 2u);
  expect_shown(examples);
}

TEST(ServeReadme, TheServersSessionDoesWhatItShows) {
  const std::vector<Example> examples = examples_of("tools/server/README.md", "A session");
  EXPECT_GE(examples.size(), 10u);
  expect_shown(examples);
}

// Compares the help of all commands, and the output of a server and of its client commands.

TEST(Golden, Help) { expect_golden("help"); }
TEST(Golden, Server) { expect_golden("server"); }

}  // namespace
}  // namespace manyply

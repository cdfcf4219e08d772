// Tests submit, batch, status, watch and cancel with the real server.
#include <array>
#include <regex>

#include "core/fen.h"
#include "tests/e2e/server.h"
#include "tests/tools/diagnose/hunts.h"

namespace manyply {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

using Json = nlohmann::json;

class ServeClients : public testing::Test {
 protected:
  std::vector<std::string> at_server(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--server", url()});
    return arguments;
  }
  ProcessResult ask(std::vector<std::string> arguments) {
    return perft(at_server(std::move(arguments)));
  }
  Json ask_json(const std::vector<std::string>& arguments, int exit_code = 0) {
    return perft_json(at_server(arguments), exit_code);
  }
  /// Watches job 1 and cancels it.
  void expect_a_watch_sees_the_cancellation() {
    Process watch(perft_argv(at_server({"watch", "1", "--progress", "json"})));
    ASSERT_TRUE(watch.wait_for_error_output(kProgress));
    EXPECT_EQ(ask({"cancel", "1"}).out, "job 1 is cancelled\n");
    const ProcessResult cancelled = watch.finish();
    EXPECT_EQ(cancelled.exit_code, 130);
    EXPECT_THAT(cancelled.err, EndsWith("perft: job 1 was cancelled\n"));
  }
  std::string url() { return "http://127.0.0.1:" + std::to_string(server_.port()); }

  static constexpr const char* kProgress = "\"event\":\"progress\"";
  StateDir dir_;
  StateDir files_{"-files"};  // a test creates it if needed
  Server server_{dir_.path(), {"--threads", "1"}};
};

TEST_F(ServeClients, AFinishedJobReadsAsALocalCount) {
  for (const char* format : {"csv", "stockfish"}) {
    const ProcessResult served =
        ask({"submit", "4", "--fen", "kiwipete", "--moves", "e1g1", "--watch", "--format", format});
    EXPECT_EQ(served.exit_code, 0) << served.err;
    EXPECT_EQ(
        served.out,
        perft({"divide", "4", "--fen", "kiwipete", "--moves", "e1g1", "--format", format}).out);
  }
  const ProcessResult text = ask({"submit", "5", "--watch", "--divide"});
  EXPECT_THAT(text.out, AllOf(StartsWith("a2a3: 181046\n"), HasSubstr("\nknown      match\n")));
  EXPECT_EQ(ask_json({"submit", "5"})["nodes"], "4865609");
  for (const char* const method : {"hashed", "configurations"})
    EXPECT_EQ(ask_json({"submit", "5", "--method", method, "--watch"})["method"], method);
  EXPECT_EQ(ask({"submit", "5", "--method", "hashed", "--mode", "unhashed"}).exit_code, 2);
  EXPECT_THAT(ask({"submit", "3", "--mode", "verify", "--watch"}).out,
              EndsWith("verdict    agree\n"));
}

// Removes seconds and rates, which differ in every run.
std::string without_times(const std::string& text) {
  static const std::regex kTime(R"((seconds|leaves/s|visited/s) .*\n)");
  return std::regex_replace(text, kTime, "");
}

TEST_F(ServeClients, StatisticsAndEstimatesReadAsLocalOnes) {
  const ProcessResult stats =
      ask({"submit", "4", "--fen", "kiwipete", "--mode", "stats", "--divide", "--watch"});
  EXPECT_EQ(stats.exit_code, 0) << stats.err;
  // The server and the local command both use one thread and the same small table.
  EXPECT_EQ(
      without_times(stats.out),
      without_times(perft({"stats", "4", "--fen", "kiwipete", "--divide", "--threads", "1"}).out));
  EXPECT_EQ(ask({"status", "1", "--format", "csv"}).out,
            perft({"stats", "4", "--fen", "kiwipete", "--format", "csv"}).out);

  const std::vector<std::string> sampling{"7", "--samples", "300", "--seed", "9"};
  std::vector<std::string> local{"estimate", "--threads", "1"};
  local.insert(local.end(), sampling.begin(), sampling.end());
  std::vector<std::string> served{"submit", "--mode", "estimate", "--watch"};
  served.insert(served.end(), sampling.begin(), sampling.end());
  const ProcessResult estimate = ask(served);
  EXPECT_EQ(estimate.exit_code, 0) << estimate.err;
  EXPECT_EQ(without_times(estimate.out), without_times(perft(local).out));
  EXPECT_EQ(ask({"status", "2"}).out, estimate.out);
  EXPECT_EQ(ask_json({"watch", "2"})["samples"], 300);
  EXPECT_THAT(ask({"status"}).out, HasSubstr("  estimate  "));
  EXPECT_THAT(ask({"status"}).out, HasSubstr(" ~ 3."));

  expect_refusal(ask({"submit", "7", "--mode", "stats", "--samples", "300"}),
                 "samples: is allowed only in mode estimate");
  expect_refusal(ask({"submit", "7", "--mode", "estimate", "--samples", "5"}),
                 "samples: must be a whole number from 100 to 1000000000");
  EXPECT_THAT(ask({"status", "2", "--format", "csv"}).err, HasSubstr("supports only json"));
}

// The local command `suite` prints the same report, but with the name of the suite instead of
// "batch".
TEST_F(ServeClients, ABatchReadsAsASuiteThatIsCountedHere) {
  std::filesystem::create_directories(files_.path());
  const auto suite = [&](const std::string& name, const std::string& text) {
    const std::string file = files_.path() / name;
    std::ofstream(file) << text;
    return file;
  };
  const auto without_name = [](const std::string& text) {
    static const std::regex kNamed(R"((^|\n)[^\n]*: (\d+ positions?), ([^\n]*), [0-9.]+ s\n)");
    return std::regex_replace(text, kNamed, "$1$2, $3\n");
  };
  const std::string right =
      suite("right.epd", "startpos ;D1 20 ;D4 197281\r\n# none\nkiwipete ;D3 97862");
  const std::string wrong = suite("wrong.epd", "kiwipete ;D1 48\nstartpos ;D1 21 ;D2 400\n");
  for (const auto& [file, code] : {std::pair(right, 0), std::pair(wrong, 1)}) {
    const ProcessResult here = perft({"suite", file});
    for (const char* time : {"first", "known already"}) {
      const ProcessResult served = ask({"batch", file, "--watch"});
      EXPECT_EQ(served.exit_code, code) << served.err << time;
      EXPECT_EQ(here.exit_code, code);
      EXPECT_EQ(without_name(served.out), without_name(here.out)) << time;
      EXPECT_EQ(served.err, "");
    }
  }
  EXPECT_EQ(ask_json({"batch", wrong}, 1)["differences"][0]["nodes"], "20");
  const ProcessResult junit = ask({"batch", wrong, "--format", "junit"});
  EXPECT_EQ(junit.exit_code, 1);
  EXPECT_THAT(junit.out, HasSubstr("depth 1: expected 21, counted 20"));
  EXPECT_THAT(ask({"status", "2"}).out, HasSubstr("1 differ"));

  const std::string partly = suite("partly.epd", "startpos ;D1 20\nstartpos ;D1 x\n");
  const ProcessResult refused = ask({"batch", partly, "--watch"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.out,
              testing::StartsWith("line 2 refused: count: 'x' is not a whole number (column 14)\n"
                                  "batch: 1 position, 1 count matches, 0 differ, 0 skipped, 1 line "
                                  "refused, "));
  EXPECT_EQ(refused.err, "perft: job 3: lines of its suite were refused; all other counts match\n");
  EXPECT_EQ(ask({"status", "3"}).exit_code, 2);
  EXPECT_EQ(perft({"suite", partly}).exit_code, 2);
  expect_refusal(ask({"batch", suite("bad.epd", "# none\nstartpos ;D1 x\n")}),
                 "epd:2: count: 'x' is not a whole number (column 14)");
  expect_refusal(ask({"batch", files_.path() / "none.epd"}),
                 (files_.path() / "none.epd").string() + ": No such file or directory");
  expect_refusal(ask({"batch", suite("empty.epd", "")}),
                 (files_.path() / "empty.epd").string() + ": contains no positions");
}

TEST_F(ServeClients, CtrlCLeavesABatchToComeBackTo) {
  std::filesystem::create_directories(files_.path());
  const std::string file = files_.path() / "long.epd";
  std::ofstream(file) << "startpos ;D11 2097651003696806\n";
  const ProcessResult stopped = interrupt(
      at_server({"batch", file, "--mode", "unhashed", "--watch", "--progress", "json"}), kProgress);
  EXPECT_EQ(stopped.exit_code, 130);
  EXPECT_THAT(stopped.err, HasSubstr("job 1 continues"));
  EXPECT_THAT(ask({"status", "1"}).out, HasSubstr("positions  1\ncounts     1\n"));
  expect_a_watch_sees_the_cancellation();

  const Json late =
      ask_json({"batch", file, "--mode", "unhashed", "--deadline", "1", "--watch"}, 2);
  EXPECT_EQ(late["state"], "failed");
}

TEST_F(ServeClients, CtrlCEndsTheWatchingAndNotTheJob) {
  const ProcessResult submitted = ask({"submit", "11", "--mode", "unhashed"});
  EXPECT_EQ(submitted.exit_code, 0) << submitted.err;
  EXPECT_THAT(submitted.out, StartsWith("job        1\nstate      "));
  EXPECT_THAT(submitted.err, HasSubstr("perft watch 1 --server "));

  const ProcessResult stopped =
      interrupt(at_server({"watch", "1", "--progress", "json"}), kProgress);
  EXPECT_EQ(stopped.exit_code, 130);
  EXPECT_EQ(stopped.out, "");
  EXPECT_THAT(stopped.err, HasSubstr("job 1 continues"));
  EXPECT_EQ(ask_json({"status", "1"})["state"], "running");
  EXPECT_THAT(ask({"status"}).out, HasSubstr("     1  running "));
  expect_refusal(ask({"status", "1", "--format", "csv"}),
                 "job 1: has no result yet: it is running");

  expect_a_watch_sees_the_cancellation();
  EXPECT_EQ(ask({"cancel", "1"}).exit_code, 0) << "as often as one likes";
}

TEST_F(ServeClients, AWatchThatNobodyReadsEnds) {
  ASSERT_EQ(ask({"submit", "11", "--mode", "unhashed"}).exit_code, 0);
  Process unread(perft_argv(at_server({"watch", "1"})), Process::Stdout::kClosedPipe);
  const ProcessResult quiet = unread.finish();
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_EQ(quiet.err, "");
  const std::string script =
      "\"$0\" watch 1 --progress json --server \"$1\" 2>&1 >/dev/null | head -n 1";
  const ProcessResult head =
      Process({"/bin/sh", "-c", script, MANYPLY_PERFT_BINARY, url()}).finish();
  EXPECT_EQ(head.exit_code, 0);
  EXPECT_THAT(head.out, StartsWith("{\"event\":\"progress\""));
  EXPECT_EQ(ask_json({"status", "1"})["state"], "running");
  EXPECT_EQ(ask({"cancel", "1"}).exit_code, 0);
}

TEST_F(ServeClients, AWatchOutlivesItsServer) {
  ASSERT_EQ(ask({"submit", "11", "--mode", "unhashed"}).exit_code, 0);
  Process watch(perft_argv(at_server({"watch", "1", "--progress", "json"})));
  ASSERT_TRUE(watch.wait_for_error_output(kProgress));
  const std::string address = "127.0.0.1:" + std::to_string(server_.port());
  server_.kill();
  ASSERT_TRUE(watch.wait_for_error_output("connection lost"));
  Process again(perft_argv({"serve", "--listen", address, "--state", dir_.path().string()}));
  ASSERT_TRUE(again.wait_for_output("/\n"));
  ASSERT_EQ(perft({"cancel", "1", "--server", "http://" + address}).exit_code, 0);
  EXPECT_EQ(watch.finish().exit_code, 130);
  again.signal(SIGTERM);
  EXPECT_EQ(again.finish().exit_code, 0);
}

TEST_F(ServeClients, RefusalsAreOneLine) {
  for (const char* command : {"status", "watch", "cancel"})
    expect_refusal(ask({command, "99"}), "job 99 does not exist at " + url() +
                                             "; 'perft status --server " + url() +
                                             "' lists the jobs");
  expect_refusal(ask({"status", "x"}),
                 "job: 'x' is not a whole number from 1 to 9223372036854775807");
  expect_refusal(ask({"submit", "3", "--fen", "4k3/8/8/8/8/8/8/R3K3 w K - 0 1"}),
                 "castling: no rook on h1 (column 24)");
  EXPECT_EQ(ask({"submit", "3", "--mode", "fast"}).exit_code, 2);
  EXPECT_EQ(perft({"status", "--server", "http://127.0.0.1:1"}).exit_code, 2);
  EXPECT_EQ(perft({"status", "--server", "127.0.0.1"}).exit_code, 2);
}

TEST(ServeClientsElsewhere, BelowABasePathAndByASocket) {
  const StateDir dir;
  std::filesystem::create_directories(dir.path());
  const auto answered = [](const std::string& server) {
    const ProcessResult result = perft({"submit", "4", "--watch", "--server", server});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("197281")) << server;
  };
  {
    Server server(dir.path() / "a", {"--base-path", "/perft"});
    const std::string address = "http://127.0.0.1:" + std::to_string(server.port());
    EXPECT_THAT(server.process().output(), EndsWith("/perft/\n"));
    answered(address + "/perft");
    answered(address + "/perft/");
    const ProcessResult elsewhere = perft({"status", "--server", address});
    EXPECT_EQ(elsewhere.exit_code, 2);
    EXPECT_EQ(elsewhere.err,
              "perft: all paths of this server start with /perft/ at " + address + '\n');
  }
  const std::string socket = "unix:" + (dir.path() / "socket").string();
  const auto serve = [&](const std::string& told, std::vector<std::string> options) {
    options.insert(options.begin(), {"serve", "--listen", socket, "--state", dir.path() / "b"});
    Process server(perft_argv(options));
    ASSERT_TRUE(server.wait_for_output(told + '\n')) << server.output();
    answered(told);
    answered(told + (told == socket ? ":/" : ""));
    if (told != socket) {
      const ProcessResult elsewhere = perft({"status", "--server", socket});
      EXPECT_EQ(elsewhere.err,
                "perft: all paths of this server start with /perft/ at " + socket + '\n');
    }
    server.signal(SIGTERM);
    EXPECT_EQ(server.finish().exit_code, 0);
  };
  serve(socket, {});
  serve(socket + ":/perft/", {"--base-path", "/perft"});
  EXPECT_EQ(perft({"status", "--server", socket}).exit_code, 2);
}

TEST(ServeClientsWithToken, ATokenIsTakenFromAFile) {
  const StateDir dir;
  const std::string token = (dir.path() / "token").string();
  write_tokens(token, "a-secret-that-is-long-enough\n");
  Server server(dir.path() / "state", {"--token-file", token});
  const std::string url = "http://127.0.0.1:" + std::to_string(server.port());
  EXPECT_EQ(perft({"status", "--server", url}).exit_code, 2);
  EXPECT_EQ(perft({"status", "--server", url, "--token-file", token}).exit_code, 0);
}

// Tests the guided search with pasted divides, as users do it with the page or curl if Manyply
// cannot run their engine. It must find the bug of each broken engine, as `perft bisect` does.

class Descent {
 public:
  Descent(const Hunt& hunt, Server& server) : hunt_(hunt), server_(server) {
    fen_ = hunt.fen == std::string("startpos")   ? std::string(kStartFen)
           : hunt.fen == std::string("kiwipete") ? std::string(kKiwipeteFen)
                                                 : hunt.fen;
  }

  /// Returns the last comparison, which names no further step.
  json run() {
    json answer;
    for (int depth = std::stoi(hunt_.depth); depth >= 1; --depth) {
      answer = compare(fen_, moves_, depth);
      counts_differ_ |= !answer["agrees"];
      if (!answer["causes"].empty()) return with_right_as_fen(answer, depth);
      if (answer["next"].is_null()) return answer;
      EXPECT_EQ(answer["next"]["depth"], depth - 1);
      moves_ += (moves_.empty() ? "" : " ") + answer["next"]["move"].get<std::string>();
      here_ = answer["next"]["fen"];
    }
    return answer;
  }
  [[nodiscard]] bool counts_differ() const { return counts_differ_; }

 private:
  json compare(const std::string& fen, const std::string& moves, int depth,
               std::optional<bool> right_as_fen = std::nullopt) {
    std::vector<std::string> engine{MANYPLY_BROKEN_ENGINE, hunt_.bug, "lines",
                                    std::to_string(depth), fen};
    if (!moves.empty()) engine.push_back(moves);
    const ProcessResult printed = run_process(engine);
    EXPECT_EQ(printed.exit_code, 0) << printed.err;
    json question{{"fen", fen}, {"moves", moves}, {"depth", depth}, {"divide", printed.out}};
    if (right_as_fen) question["right_as_fen"] = *right_as_fen;
    const HttpReply reply = server_.ask("POST", "/v1/diff", question.dump());
    EXPECT_EQ(reply.status, 200) << reply.body;
    return reply.json();
  }

  /// Asks the last question of the page: whether the moves are right if the position is given as a
  /// FEN.
  json with_right_as_fen(const json& answer, int depth) {
    if (here_.empty()) return answer;
    return compare(fen_, moves_, depth, compare(here_, "", 1)["agrees"].get<bool>());
  }

  const Hunt& hunt_;
  Server& server_;
  std::string fen_;
  std::string moves_;
  std::string here_;
  bool counts_differ_ = false;
};

TEST(ServeDescent, FindsWhatBisectFinds) {
  const StateDir dir;
  Server server(dir.path(), {"--threads", "1"});
  for (const Hunt& hunt : kHunts) {
    Descent descent(hunt, server);
    const json end = descent.run();
    EXPECT_TRUE(descent.counts_differ()) << hunt;
    // From pasted divides alone, these faults look like other faults. Only further questions tell
    // them apart.
    constexpr std::array<std::string_view, 3> kNeedQuestions{"no-legality", "fifty-moves-end",
                                                             "castling-refused-b1"};
    if (std::ranges::count(kNeedQuestions, hunt.bug) > 0) {
      EXPECT_FALSE(end["agrees"]) << hunt << end;
      continue;
    }
    if (end["causes"].empty()) {  // the engine is right when asked about this position directly
      EXPECT_TRUE(end["agrees"]) << hunt << end;
      EXPECT_THAT(std::string_view(hunt.cause),
                  testing::AnyOf("undo-damage", "bulk-count", "stops-at-draw"));
      continue;
    }
    EXPECT_EQ(end["causes"][0]["name"], hunt.cause) << hunt << end["causes"];
  }
}

}  // namespace
}  // namespace manyply

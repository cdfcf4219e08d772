// Tests Ctrl-C, closed pipes and streams, full disks and terminals.
#include <array>

#include "tests/e2e/perft.h"
#include "tests/support/eventually.h"

namespace manyply {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Without an interrupt, this count would take hours; finish() would then kill it.

TEST(Interrupt, CtrlCLeavesNoPartialTotal) {
  for (const char* format : {"text", "json", "csv", "stockfish"}) {
    SCOPED_TRACE(format);
    expect_interrupted(interrupt({"count", "12", "--progress", "json", "--format", format}));
  }
}

TEST(Interrupt, ACountThatNobodyEndsSaysSoFirst) {
  expect_interrupted(
      interrupt({"count", "20", "--progress", "json"}, "perft: the count has about 8e+28 leaves"));
  // Large depths of positions in which every game soon ends.
  for (const char* fen : {"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
                          "rnbqkbnr/ppppp2p/8/5ppQ/4P3/P7/1PPP1PPP/RNB1KBNR b KQkq - 0 1"})
    printed({"count", "20", "--fen", fen});
}

TEST(Interrupt, CtrlCWorksFromTheFirstMoment) {
  for (const int milliseconds : {0, 1, 3, 10, 30, 100}) {
    Process process(perft_argv({"count", "12"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    process.signal(SIGINT);
    const ProcessResult result = process.finish();
    EXPECT_EQ(result.exit_code, 130) << milliseconds;
    EXPECT_EQ(result.out, "") << milliseconds;
  }
}

TEST(Interrupt, CtrlCEndsASuiteButWhatWasPrintedStays) {
  Process process(perft_argv({"suite", "-", "--format", "csv"}));
  process.send("startpos ;D1 20 ;D10 69352859712417\n");
  process.close_input();
  ASSERT_TRUE(process.wait_for_output("1,1,20,20,match\n"));
  process.signal(SIGINT);
  const ProcessResult result = process.finish();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.out, "line,depth,expected,nodes,verdict\n1,1,20,20,match\n");
}

TEST(Interrupt, CtrlCEndsTheWaitForInput) {
  // After the answer `readyok`, the command waits for more input.
  Process uci(perft_argv({"uci"}));
  uci.send("isready\n");
  ASSERT_TRUE(uci.wait_for_output("readyok\n"));
  uci.signal(SIGINT);
  EXPECT_EQ(uci.finish().exit_code, 130);
  Process suite(perft_argv({"suite", "-"}));
  ASSERT_TRUE(suite.wait_for_handler(SIGINT));
  suite.signal(SIGINT);
  EXPECT_EQ(suite.finish().exit_code, 130);
}

TEST(Interrupt, TheSecondCtrlCKillsAtOnce) {
  // The command is blocked in a write to a pipe that is never read. Only the second Ctrl-C can end
  // it.
  Process process(perft_argv({"uci"}), Process::Stdout::kUnread);
  std::string boards;
  for (int i = 0; i < 500; ++i) boards += "d\n";
  process.send(boards);
  constexpr std::size_t kMostOfAPipe = 40'000;
  ASSERT_TRUE(eventually([&] { return process.unread_bytes() > kMostOfAPipe; }));
  process.signal(SIGINT);
  ASSERT_TRUE(process.wait_until_taken(SIGINT));
  process.signal(SIGINT);
  EXPECT_EQ(process.finish().exit_code, 130);
}

TEST(Interrupt, AnIgnoredCtrlCStaysIgnored) {
  // SIGINT is ignored, as under nohup or in the background of a script. From the start, the script
  // sends SIGINT again and again.
  const std::string script =
      "trap '' INT; (while kill -INT $$; do :; done) >/dev/null 2>&1 & "
      "exec \"$0\" count 5 --format csv";
  const ProcessResult result = Process({"/bin/sh", "-c", script, perft_command()}).finish();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, EndsWith("total,4865609\n"));
}

/// Expects that commands end without an error if the reader of their output has closed the pipe.
void expect_quiet_ends(const std::vector<std::vector<std::string>>& commands) {
  for (const std::vector<std::string>& command : commands) {
    Process process(perft_argv(command), Process::Stdout::kClosedPipe);
    const ProcessResult result = process.finish();
    EXPECT_EQ(result.exit_code, 0) << command[0];
    EXPECT_EQ(result.err, "") << command[0];
  }
}

TEST(ClosedPipe, IsNoError) {
  expect_quiet_ends({{"divide", "3"}, {"signature"}, {"--help"}, {"count", "3", "--loop"}});
}

TEST(ClosedPipe, EndsALoopAndASuiteEarly) {
  expect_quiet_ends({{"count", "12", "--loop"}});
  Process suite(perft_argv({"suite", "-", "--format", "csv"}), Process::Stdout::kClosedPipe);
  suite.send("startpos ;D1 20 ;D10 69352859712417\n");
  suite.close_input();
  EXPECT_EQ(suite.finish().exit_code, 0);
}

TEST(ClosedPipe, EndsWhatHasNothingToPrintForHours) {
  expect_quiet_ends({{"count", "14", "--hash", "1M"},
                     {"verify", "12", "--hash", "1M"},
                     {"stats", "12", "--hash", "1M"},
                     {"estimate", "30", "--samples", "1000000000"}});
}

TEST(ClosedPipe, ProgressThatNobodyReadsEndsTheCount) {
  const std::string script =
      "{ \"$0\" count 14 --hash 1M --progress json 2>&1 >/dev/null; echo $? >&3; } | head -n 1";
  const ProcessResult result =
      Process({"/bin/sh", "-c", "exec 3>&2; " + script, perft_command()}).finish();
  EXPECT_THAT(result.out, StartsWith("{\"event\":\"progress\""));
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 1);
  EXPECT_EQ(result.err, "0\n");
}

TEST(FullDisk, IsAnError) {
  Process process(perft_argv({"divide", "3"}), Process::Stdout::kFull);
  const ProcessResult result = process.finish();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "perft: standard output: No space left on device\n");
}

/// Starts `perft` with standard error on a terminal. Changes its environment as env(1) does.
Process on_terminal(const std::vector<std::string>& changes, std::vector<std::string> arguments) {
  std::vector<std::string> argv = perft_argv(std::move(arguments));
  argv.insert(argv.begin(), changes.begin(), changes.end());
  argv.insert(argv.begin(), "/usr/bin/env");
  return Process(argv, Process::Stdout::kPipe, Process::Stderr::kTerminal);
}

TEST(Progress, IsDrawnOnTerminalsAndWipedUnlessNobodyWantsIt) {
  // First start the process that shows no progress, so that it has begun when the other process
  // shows its progress.
  Process never =
      on_terminal({"NO_COLOR=1"}, {"count", "10", "--hash", "1M", "--progress", "never"});
  ASSERT_TRUE(never.wait_for_handler(SIGINT));
  Process process = on_terminal({"NO_COLOR=1"}, {"count", "10", "--hash", "1M"});
  ASSERT_TRUE(process.wait_for_error_output("visited/s"));
  process.signal(SIGINT);
  never.signal(SIGINT);
  EXPECT_EQ(never.finish().err, "perft: interrupted\r\n");
  const ProcessResult result = process.finish();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("\r\x1b[K"));
  EXPECT_THAT(result.err, EndsWith("\r\x1b[Kperft: interrupted\r\n"));
}

TEST(Colours, AreOnTerminalsUnlessNobodyWantsThem) {
  const std::string mistake = " unknown command 'coutn'; did you mean 'count'?\r\n";
  const auto complaint = [](const std::vector<std::string>& assignments) {
    return on_terminal(assignments, {"coutn"}).finish().err;
  };
  EXPECT_EQ(complaint({"-u", "NO_COLOR", "TERM=xterm"}), "\x1b[31mperft:\x1b[0m" + mistake);
  EXPECT_EQ(complaint({"NO_COLOR=", "TERM=xterm"}), "\x1b[31mperft:\x1b[0m" + mistake);
  EXPECT_EQ(complaint({"NO_COLOR=1", "TERM=xterm"}), "perft:" + mistake);
  EXPECT_EQ(complaint({"-u", "NO_COLOR", "TERM=dumb"}), "perft:" + mistake);
  EXPECT_EQ(complaint({"-u", "NO_COLOR", "-u", "TERM"}), "perft:" + mistake);
}

TEST(Progress, JsonLinesGoToStderr) {
  const std::string err =
      interrupt({"count", "10", "--hash", "1M", "--progress", "json"}, "}\n").err;
  const auto json = nlohmann::json::parse(err.substr(0, err.find('\n')));
  EXPECT_EQ(json["event"], "progress");
  EXPECT_TRUE(json.contains("visited_per_second"));
}

// The program that starts the command may have closed its standard input, output or error.

/// Runs `perft WORDS` in a shell with a closed stream: `<&-`, `>&-` or `2>&-`.
ProcessResult without(const std::string& stream, const std::string& words) {
  return run_process({"/bin/sh", "-c", "'" + perft_command() + "' " + words + ' ' + stream});
}

constexpr const char* kClosed = "perft: standard output: Bad file descriptor\n";

// Commands that count, that ask a server, or that only print. None reads its standard input.
constexpr std::array kCommands{
    "count 4",
    "count 6 --hash 1",
    "divide 2",
    "verify 3",
    "stats 3",
    "suite classic --max-nodes 100",
    "suite classic --max-nodes 100 --format csv",
    "gen --positions 1 --depth 1",
    "perftree 2 startpos",
    "completion bash",
    "signature",
    "help",
    "--version",
};

TEST(ClosedStreams, NoInputIsNeededByWhatReadsNone) {
  for (const std::string words : kCommands) {
    const ProcessResult result = without("<&-", words);
    EXPECT_EQ(result.exit_code, 0) << words << result.err;
    EXPECT_NE(result.out, "") << words;
  }
}

TEST(ClosedStreams, ResultsThatReachNobodyAreAnError) {
  for (const std::string words : kCommands) {
    const ProcessResult result = without(">&-", words);
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_EQ(result.err, kClosed) << words;
  }
  EXPECT_EQ(without(">&-", "count 12").err, kClosed) << "and hours are not spent";
  // There is no stream for the message.
  EXPECT_EQ(without(">&-", "count 2 --fen x").exit_code, 2);
}

TEST(ClosedStreams, ComplaintsThatReachNobodyChangeNothing) {
  for (const std::string words : kCommands) {
    const ProcessResult result = without("2>&-", words);
    EXPECT_EQ(result.exit_code, 0) << words;
    EXPECT_NE(result.out, "") << words;
  }
  EXPECT_EQ(without("2>&-", "count 2 --fen x").exit_code, 2);
  EXPECT_EQ(without("<&- >&- 2>&-", "count 2").exit_code, 2);
}

TEST(ClosedStreams, WhatReadsItsInputSaysThatThereIsNone) {
  std::vector<std::string> commands{"uci", "suite -", "bisect 2 --engine true --suite -"};
#ifdef MANYPLY_ONLINE
  commands.emplace_back("batch - --server http://127.0.0.1:9");
#endif
  for (const std::string& words : commands) {
    const ProcessResult result = without("<&-", words);
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_EQ(result.out, "") << words;
    EXPECT_EQ(result.err, "perft: standard input: Bad file descriptor\n") << words;
  }
}

}  // namespace
}  // namespace manyply

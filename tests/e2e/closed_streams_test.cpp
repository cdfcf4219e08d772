// The program that starts the command may have closed its standard input, output or error.
#include <array>
#include <string>
#include <vector>

#include "tests/e2e/perft.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;

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

// Runs the real `perft` as a shell would.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace manyply {

/// The path of Debian's package.
inline constexpr const char* kStockfish = "/usr/games/stockfish";

/// Returns the path of the command to test: that of this build, or $MANYPLY_COMMAND if it is set.
inline std::string perft_command() {
  const char* const other =
      std::getenv("MANYPLY_COMMAND");  // NOLINT(concurrency-mt-unsafe): not changed
  return other != nullptr ? other : MANYPLY_PERFT_BINARY;
}

/// Returns the command line of one of our engines: that at `path` or, if $MANYPLY_ENGINES is set,
/// the file with the same name in that folder.
inline std::string engine_command(const std::string& path, const std::string& arguments) {
  const char* const folder =
      std::getenv("MANYPLY_ENGINES");  // NOLINT(concurrency-mt-unsafe): not changed
  const std::string file =
      folder == nullptr ? path : folder + path.substr(path.rfind('/')) + ".exe";
  return '"' + file + "\" " + arguments;
}

inline std::vector<std::string> perft_argv(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), perft_command());
  return arguments;
}

inline ProcessResult perft(std::vector<std::string> arguments, std::string_view input = {}) {
  return run_process(perft_argv(std::move(arguments)), input);
}

/// Expects a refusal: exit code 2, nothing on stdout, one line on stderr.
inline void expect_refusal(const ProcessResult& result, const std::string& line) {
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "perft: " + line + '\n');
}

/// Expects the end by SIGINT: exit code 130, no output, and a message on stderr.
inline void expect_interrupted(const ProcessResult& result) {
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, ::testing::EndsWith("perft: interrupted\n"));
}

}  // namespace manyply

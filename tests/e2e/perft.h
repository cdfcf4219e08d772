// The real `perft`, as a shell would call it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace manyply {

/// Where Debian's package has it.
inline constexpr const char* kStockfish = "/usr/games/stockfish";

/// The command that is tested: the one that was built, or, of the same name in another folder, what
/// $MANYPLY_COMMAND names.
inline std::string perft_command() {
  const char* const other =
      std::getenv("MANYPLY_COMMAND");  // NOLINT(concurrency-mt-unsafe): not changed
  return other != nullptr ? other : MANYPLY_PERFT_BINARY;
}

/// The command line of an engine of ours that was built at `path`, or, where that one would not
/// run, in the folder that $MANYPLY_ENGINES names.
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

/// Refused: exit code 2, nothing on stdout, one line on stderr.
inline void expect_refusal(const ProcessResult& result, const std::string& line) {
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "perft: " + line + '\n');
}

/// Ended by SIGINT: exit code 130, no output, and said so at the end.
inline void expect_interrupted(const ProcessResult& result) {
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, ::testing::EndsWith("perft: interrupted\n"));
}

}  // namespace manyply

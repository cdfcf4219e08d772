// Runs the real `perft` as a shell would.
#pragma once

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace manyply {

/// The path of Debian's package.
inline constexpr const char* kStockfish = "/usr/games/stockfish";

/// Skips its tests if Stockfish is not installed.
class StockfishTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kStockfish)) GTEST_SKIP() << kStockfish << " is not installed";
  }
};

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

/// Returns the command line of an engine of tests/tools/diagnose/broken_engine.cpp. `arguments`
/// begin with the name of a bug or `none`. A style may follow: the form of questions and answers.
inline std::string broken(const std::string& arguments) {
  return engine_command(MANYPLY_BROKEN_ENGINE, arguments);
}

inline std::vector<std::string> perft_argv(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), perft_command());
  return arguments;
}

inline ProcessResult perft(std::vector<std::string> arguments, std::string_view input = {}) {
  return run_process(perft_argv(std::move(arguments)), input);
}

/// Returns the output of `perft ARGUMENTS`. The exit code must be 0, and nothing may be on stderr.
inline std::string printed(const std::vector<std::string>& arguments, std::string_view input = {}) {
  const ProcessResult result = perft(arguments, input);
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(arguments) << result.out;
  EXPECT_EQ(result.err, "") << ::testing::PrintToString(arguments);
  return result.out;
}

/// Returns the output of `perft ARGUMENTS --format json`. The exit code must be `exit_code`.
inline nlohmann::json perft_json(std::vector<std::string> arguments, int exit_code = 0,
                                 std::string_view input = {}) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const ProcessResult result = perft(arguments, input);
  EXPECT_EQ(result.exit_code, exit_code)
      << ::testing::PrintToString(arguments) << result.out << result.err;
  return nlohmann::json::parse(result.out);
}

/// Expects a refusal: exit code 2, nothing on stdout. Returns the text on stderr.
inline std::string refusal_of(const std::vector<std::string>& arguments,
                              std::string_view input = {}) {
  const ProcessResult result = perft(arguments, input);
  EXPECT_EQ(result.exit_code, 2) << ::testing::PrintToString(arguments) << result.err;
  EXPECT_EQ(result.out, "") << ::testing::PrintToString(arguments);
  return result.err;
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

/// Sends SIGINT to `perft ARGUMENTS` once its stderr contains `text`. Returns how it ended.
inline ProcessResult interrupt(const std::vector<std::string>& arguments,
                               const std::string& text = "\"event\"") {
  Process process(perft_argv(arguments));
  EXPECT_TRUE(process.wait_for_error_output(text)) << ::testing::PrintToString(arguments);
  process.signal(SIGINT);
  return process.finish();
}

}  // namespace manyply

// Compares the output of a fixed list of commands with recorded output (see golden.sh).
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "tests/e2e/perft.h"

namespace manyply {

/// Runs `section` of golden.sh, for the format `only`, or for all formats if `only` is empty. If a
/// line differs, the test fails and shows the first such line with its command.
inline void expect_golden(const std::string& section, const std::string& only = "") {
  const std::string folder = MANYPLY_SOURCE_DIR "/tests/";
  const ProcessResult played =
      run_process({folder + "e2e/golden.sh", perft_command(), section, only});
  ASSERT_EQ(played.exit_code, 0) << played.err;
  const std::string file = folder + "data/golden_" + section + ".txt";
  std::ifstream expected(file);
  std::istringstream actual(played.out);
  ASSERT_TRUE(expected) << file;
  const auto is_left_out = [&only](const std::string& command) {
    return !only.empty() && command.find("--format") != std::string::npos &&
           command.find("--format " + only) == std::string::npos;
  };
  std::string command;  // the current command
  for (int number = 1;; ++number) {
    std::string wanted;
    std::string line;
    bool more_wanted;
    do {
      more_wanted = static_cast<bool>(std::getline(expected, wanted));
      if (wanted.starts_with("$ perft")) command = wanted;
    } while (more_wanted && is_left_out(command));
    const bool more = static_cast<bool>(std::getline(actual, line));
    ASSERT_EQ(line, wanted) << file << ':' << number << ", of " << command;
    ASSERT_EQ(more, more_wanted) << file << ':' << number << ", of " << command;
    if (!more) break;
  }
}

}  // namespace manyply

// Runs a command line in this process.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "tools/cli/commands.h"
#include "tools/cli/framework/command.h"

namespace manyply {

/// Returns the words between blanks.
inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

struct CommandRun {
  int exit_code;
  std::string out;
  std::string err;
};

/// Runs `perft WORDS`.
inline CommandRun perft(const std::vector<std::string>& words,
                        const std::vector<Command>& commands = cli_commands()) {
  std::ostringstream out;
  std::ostringstream err;
  Io io{out, err};
  const int exit_code = run_perft(words, io, commands);
  return {exit_code, out.str(), err.str()};
}

}  // namespace manyply

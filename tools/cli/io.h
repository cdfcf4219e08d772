// What a command may touch of the world outside, so that tests can hand it another one.
#pragma once

#include <ostream>
#include <stop_token>

namespace manyply {

/// What `perft` returns to the shell; part of its interface.
enum ExitCode : int {
  kExitOk = 0,
  kExitMismatch = 1,       ///< a count differs from what was expected
  kExitError = 2,          ///< usage, input or run-time error
  kExitInterrupted = 130,  ///< stopped by Ctrl-C; no partial result was printed
};

struct Io {
  std::ostream& out;         ///< data, and nothing else
  std::ostream& err;         ///< progress and diagnostics
  int input = 0;             ///< file descriptor of standard input
  int terminal_columns = 0;  ///< width of the terminal behind `err`; 0 if it is none
  std::stop_token stop{};    ///< requested by Ctrl-C
};

}  // namespace manyply

// What a command may touch of the world outside, so that tests can hand it another one.
#pragma once

#include <atomic>
#include <ostream>
#include <stop_token>
#include <string>

namespace manyply {

/// What `perft` returns to the shell; part of its interface.
enum ExitCode : int {
  kExitOk = 0,
  kExitMismatch = 1,       ///< a count differs from what was expected
  kExitError = 2,          ///< usage, input or run-time error
  kExitInterrupted = 130,  ///< stopped by Ctrl-C; no partial result was printed
};

/// Whether anybody still reads what a command prints. Once nobody does, the command is stopped, and
/// ends as quietly as it would at its next write. Any thread.
class Readers {
 public:
  explicit Readers(std::stop_source stop) : stop_(std::move(stop)) {}

  void left() {
    gone_ = true;
    stop_.request_stop();
  }
  [[nodiscard]] bool gone() const { return gone_; }

 private:
  std::stop_source stop_;
  std::atomic<bool> gone_ = false;  // set before the stop is requested
};

struct Io {
  std::ostream& out;         ///< data, and nothing else
  std::ostream& err;         ///< progress and diagnostics
  int input = 0;             ///< file descriptor of standard input
  int terminal_columns = 0;  ///< width of the terminal behind `err`; 0 if it is none
  std::stop_token stop{};    ///< requested by Ctrl-C, and by `readers`
  Readers* readers = nullptr;
  int out_columns = 0;            ///< width of the terminal behind `out`; 0 if it is none
  bool out_colours = false;       ///< whether `out` is for eyes, and those want colours
  bool err_colours = false;       ///< the same of `err`
  std::string program = "perft";  ///< the words that start this command: "npx manyply"

  [[nodiscard]] bool unheard() const { return readers != nullptr && readers->gone(); }
};

}  // namespace manyply

// Everything that a command may use of its environment, so that tests can replace it.
#pragma once

#include <atomic>
#include <ostream>
#include <stop_token>
#include <string>

namespace manyply {

/// Exit codes of `perft`; part of its interface.
enum ExitCode : int {
  kExitOk = 0,
  kExitMismatch = 1,       ///< a count differs from the expected one
  kExitError = 2,          ///< usage, input or run-time error
  kExitInterrupted = 130,  ///< stopped by Ctrl-C; no partial result was printed
};

/// Knows whether standard output still has a reader. When the reader goes away, the command is
/// stopped, and ends without a message, as it would at its next write. Safe to use from any thread.
class Readers {
 public:
  explicit Readers(std::stop_source stop) : stop_(std::move(stop)) {}

  /// Records that the reader has gone, and requests a stop.
  void left() {
    gone_ = true;
    stop_.request_stop();
  }
  /// Returns whether left() was called.
  [[nodiscard]] bool gone() const { return gone_; }

 private:
  std::stop_source stop_;
  std::atomic<bool> gone_ = false;  // set before the stop is requested
};

/// The streams and the terminal of a command.
struct Io {
  std::ostream& out;         ///< data only
  std::ostream& err;         ///< progress and diagnostics
  int input = 0;             ///< file descriptor of standard input
  int terminal_columns = 0;  ///< width of the terminal behind `err`; 0 if it is not a terminal
  std::stop_token stop{};    ///< requested by Ctrl-C and by `readers`
  Readers* readers = nullptr;
  int out_columns = 0;            ///< width of the terminal behind `out`; 0 if it is not a terminal
  bool out_colours = false;       ///< `out` is a terminal and the user wants colours
  bool err_colours = false;       ///< the same for `err`
  std::string program = "perft";  ///< the words that start this command: "npx manyply"

  /// Returns whether the reader of `out` has gone.
  [[nodiscard]] bool unheard() const { return readers != nullptr && readers->gone(); }
};

}  // namespace manyply

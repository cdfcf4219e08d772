// Lines from a file descriptor, given up when a stop is requested.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/result.h"
#include "tools/cli/framework/input_wait.h"

namespace manyply {

/// Blocks for input, yet a stop request ends the wait at once: a plain getline() would sleep on.
/// One thread.
class LineReader {
 public:
  /// Reads `fd`, which stays the caller's.
  LineReader(int fd, std::stop_token stop);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its end ("\n" or "\r\n"); nothing at the end of the input. Errors:
  /// kCancelled after a stop request, kUnavailable when the descriptor cannot be read.
  Result<std::optional<std::string>> next();
  /// The next line, if it is there whole, after one look for more where `input` says that there is
  /// some that can be read without waiting. At the end, and after an error, there is none: next()
  /// tells.
  std::optional<std::string> line_there(bool input);
  /// All that is left of the input, to its end. Errors as of next().
  Result<std::string> rest();

 private:
  /// More of the input; false at its end.
  Result<bool> fill();
  std::string take_line(std::size_t length, std::size_t end_length);

  int fd_;
  InputWait wait_;
  std::stop_token stop_;
  std::string buffer_;
};

}  // namespace manyply

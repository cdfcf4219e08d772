// Reads lines from a file descriptor until a stop is requested.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "tools/cli/framework/input_wait.h"

namespace manyply {

/// Blocks for input, but returns at once after a stop request; a plain getline() would keep
/// blocking. Used by one thread.
class LineReader {
 public:
  /// Reads from `fd`, which the caller keeps open and owns.
  LineReader(int fd, std::stop_token stop);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Returns the next line without its end ("\n" or "\r\n"); nullopt at the end of the input.
  /// Errors: kCancelled after a stop request, kUnavailable if the descriptor cannot be read.
  Result<std::optional<std::string>> next();
  /// Returns the next line if it is already complete. If `input` says that input can be read
  /// without blocking, reads once first. Returns nullopt at the end and after an error; next() then
  /// reports which.
  std::optional<std::string> line_there(bool input);
  /// Returns the rest of the input. Errors as next().
  Result<std::string> rest();

 private:
  /// Reads more input; returns false at its end.
  Result<bool> fill();
  std::string take_line(std::size_t length, std::size_t end_length);

  int fd_;
  InputWait wait_;
  std::stop_token stop_;
  std::string buffer_;
};

}  // namespace manyply

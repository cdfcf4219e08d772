// The system-specific part of LineReader: posix_input_wait.cpp, windows_input_wait.cpp,
// wasm_input_wait.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace manyply {

/// Reads input with the possibility to wake the reader; a plain read() would block.
class InputWait {
 public:
  InputWait();
  ~InputWait();
  InputWait(const InputWait&) = delete;
  InputWait& operator=(const InputWait&) = delete;

  enum class End { kRead, kWoken, kFailed };
  struct Reading {
    End end;
    std::size_t bytes = 0;  ///< 0 at the end of the input
  };
  /// Blocks until there is input, the end, or a wake-up. On kFailed, errno has the reason. Called
  /// by one thread.
  Reading read(int fd, std::span<char> into);
  /// Ends the current and all later waits. Any thread.
  void wake();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyply

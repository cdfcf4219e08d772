// What LineReader takes of the operating system: posix_input_wait.cpp, windows_input_wait.cpp,
// wasm_input_wait.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace manyply {

/// Reads as soon as there is something to read, or until it is woken: a plain read would sleep on.
class InputWait {
 public:
  InputWait();
  ~InputWait();
  InputWait(const InputWait&) = delete;
  InputWait& operator=(const InputWait&) = delete;

  enum class End { kRead, kWoken, kFailed };
  struct Reading {
    End end;
    std::size_t bytes = 0;  ///< none at the end of the input
  };
  /// kFailed: errno says why. One thread.
  Reading read(int fd, std::span<char> into);
  /// Ends waits from now on. Any thread.
  void wake();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyply

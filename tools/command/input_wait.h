// What LineReader takes of the operating system: linux_input_wait.cpp, wasm_input_wait.cpp.
#pragma once

#include <memory>

namespace manyply {

/// Waits until there is something to read, or until it is woken: a plain read would sleep on.
class InputWait {
 public:
  InputWait();
  ~InputWait();
  InputWait(const InputWait&) = delete;
  InputWait& operator=(const InputWait&) = delete;

  enum class End { kReadable, kWoken, kFailed };
  /// kFailed: errno says why. One thread.
  End wait(int fd);
  /// Ends waits from now on. Any thread.
  void wake();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyply

// What child_process.h takes of the operating system: posix_process.cpp, windows_process.cpp,
// wasm_process.cpp; names of signals apart.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace manyply {

/// A shell command with pipes on its standard streams. What it starts dies with it: on destruction
/// at the latest. One thread, but for wake().
class SystemProcess {
 public:
  /// kUnavailable when no process can be started.
  static Result<std::unique_ptr<SystemProcess>> start(const std::string& command,
                                                      const std::vector<std::string>& arguments);
  ~SystemProcess();
  SystemProcess(const SystemProcess&) = delete;
  SystemProcess& operator=(const SystemProcess&) = delete;

  /// Waits at most so long until there is something to read, which it appends, or room to write if
  /// `for_room`, or until it is woken. False if nothing of all that happened.
  bool wait(std::chrono::milliseconds most, bool for_room, std::string& out, std::string& err);
  /// Ends waits from now on. Any thread.
  void wake();
  /// Until the program closes its standard output.
  [[nodiscard]] bool has_output() const;

  [[nodiscard]] bool has_input() const;
  /// Bytes taken at once, as there is room; nothing if nobody reads them any more.
  std::optional<std::size_t> write(std::string_view text);
  void close_input();

  /// Its exit code as a shell tells it (128 + n after signal n), once it has ended. What it has
  /// started may go on until kill().
  std::optional<int> ended();
  void kill();
  /// For so long this thread does nothing.
  static void rest(std::chrono::milliseconds time);

 private:
  struct State;
  explicit SystemProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// "Segmentation fault"; empty if there is no such signal.
[[nodiscard]] std::string signal_text(int number);

}  // namespace manyply

// The operating system's part of child_process.h: posix_process.cpp, windows_process.cpp,
// wasm_process.cpp. Names of signals are in separate files.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace manyply {

/// A shell command with pipes on its standard streams. The destructor kills it with all processes
/// that it has started. Use it from one thread, except for wake().
class SystemProcess {
 public:
  /// Returns kUnavailable if no process can be started.
  static Result<std::unique_ptr<SystemProcess>> start(const std::string& command,
                                                      const std::vector<std::string>& arguments);
  ~SystemProcess();
  SystemProcess(const SystemProcess&) = delete;
  SystemProcess& operator=(const SystemProcess&) = delete;

  /// Waits until the program has written something, until there is room to write if `for_room`, or
  /// until wake(), but at most `most`. Appends the output to `out` and `err`. Returns false if
  /// nothing happened in that time.
  bool wait(std::chrono::milliseconds most, bool for_room, std::string& out, std::string& err);
  /// Ends the current wait and all later ones. Safe to call from any thread.
  void wake();
  /// Returns true until the program closes its standard output.
  [[nodiscard]] bool has_output() const;

  /// Returns whether standard input is open.
  [[nodiscard]] bool has_input() const;
  /// Writes as many bytes as there is room for, without waiting, and returns their number. Returns
  /// nullopt if the program no longer reads its input.
  std::optional<std::size_t> write(std::string_view text);
  void close_input();

  /// Returns the exit code as a shell reports it (128 + n after signal n); nullopt while the
  /// program runs. Processes that it has started may run until kill().
  std::optional<int> ended();
  /// Kills the program and the processes that it has started.
  void kill();
  /// Suspends this thread for `time`.
  static void rest(std::chrono::milliseconds time);

 private:
  struct State;
  explicit SystemProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Returns the description of a signal, such as "Segmentation fault"; empty if no such signal
/// exists.
[[nodiscard]] std::string signal_text(int number);

}  // namespace manyply

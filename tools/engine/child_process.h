// Runs another program as a child process and exchanges lines with it. Every operation has limits
// on time and size, because the program may hang, crash, or print without end.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

// SystemProcess depends on the operating system. It is implemented in posix_child_process.cpp,
// windows_child_process.cpp and wasm_child_process.cpp.

namespace manyply {

/// A shell command with pipes on its standard streams. The destructor kills the command and all
/// processes that it has started. Not thread-safe, except wake().
class SystemProcess {
 public:
  /// Returns kUnavailable if no process can be started.
  static Result<std::unique_ptr<SystemProcess>> start(const std::string& command,
                                                      const std::vector<std::string>& arguments);
  ~SystemProcess();
  SystemProcess(const SystemProcess&) = delete;
  SystemProcess& operator=(const SystemProcess&) = delete;

  /// Waits for at most the time `most`. The wait ends earlier in three cases: the program has
  /// written something or closed an output; the program's input has room, and `for_room` is true;
  /// or wake() was called. Appends the output to `out` and `err`. Returns false if nothing
  /// happened.
  bool wait(std::chrono::milliseconds most, bool for_room, std::string& out, std::string& err);
  /// Ends the current wait, and makes later waits end at once. Safe to call from any thread.
  void wake();
  /// Returns true until the program closes its standard output.
  [[nodiscard]] bool has_output() const;

  /// Returns whether standard input is open.
  [[nodiscard]] bool has_input() const;
  /// Writes as many bytes as the input has room for, without waiting. Returns the number of bytes
  /// written; nullopt if the program no longer reads its input.
  std::optional<std::size_t> write(std::string_view text);
  void close_input();

  /// Returns the exit code as a shell reports it (128 + n after signal n); nullopt while the
  /// program runs. Processes that the program has started may run until kill().
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

/// Clock for the time limits of a program. It advances only when a wait of this thread ends. Each
/// wait adds the time since the previous wait ended, but at most its own time limit.
/// So the clock stops while this process cannot run, for example because the process is suspended
/// or the machine is overloaded. In most such cases the program under test cannot run, either.
///
/// Each thread has its own clock, so times of different threads cannot be compared.
struct WaitingClock {
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<WaitingClock>;
  static constexpr bool is_steady = true;

  /// Returns this thread's time.
  static time_point now() { return time_point(waited_); }
  /// Advances this thread's time when a wait has ended. `asked` is the time limit of this wait.
  static void waited(duration asked) {
    const duration end = real();
    waited_ += std::min(end - end_, asked);
    end_ = end;
  }

 private:
  static duration real() { return std::chrono::steady_clock::now().time_since_epoch(); }
  static inline thread_local duration waited_{};
  static inline thread_local duration end_ = real();  ///< end of the last wait
};

/// A shell command with pipes on its standard streams. The destructor closes the input, waits up to
/// 100 ms for the end of the command, and then kills all its processes. Use a ChildProcess from one
/// thread. Other threads may only request a stop.
class ChildProcess {
 public:
  using Clock = WaitingClock;

  enum class Read {
    kLine,
    kEnd,      ///< the program has closed its output
    kTimeout,  ///< the deadline has passed
    kStopped,  ///< a stop was requested
    kFlood,    ///< more than kMaxOutput bytes or kMaxLines lines since the last allow_output()
    kPrompt,   ///< the output after the last line end is the expected prompt
  };

  static constexpr std::size_t kMaxLine = 4096;        ///< bytes; longer lines are cut
  static constexpr std::size_t kMaxOutput = 4u << 20;  ///< bytes between calls of allow_output()
  static constexpr std::size_t kMaxLines = 16384;      ///< lines between calls of allow_output()
  static constexpr std::size_t kMaxErrors = 4096;  ///< last bytes of standard error that are stored

  /// Runs `command` in the shell, followed by `arguments`. If the program does not exist, the
  /// process ends at once. Returns kUnavailable if no process can be started.
  static Result<std::unique_ptr<ChildProcess>> start(const std::string& command,
                                                     const std::vector<std::string>& arguments,
                                                     const std::stop_token& stop);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Writes to standard input. Returns false if a part of `text` was not written, for one of four
  /// reasons: the deadline has passed, a stop was requested, the program no longer reads its input,
  /// or it prints too much.
  bool send(std::string_view text, Clock::time_point deadline);
  /// Closes the program's standard input.
  void close_input();

  /// Reads the next line of standard output into `line`, without its line end. If the unread output
  /// equals `prompt`, discards this output and returns kPrompt. An empty `prompt` is ignored.
  Read next_line(std::string& line, Clock::time_point deadline, std::string_view prompt = {});
  /// Returns the unread output that follows the last complete line.
  [[nodiscard]] const std::string& unfinished_line() const { return output_; }
  /// Resets the limits on size. Call it before each question.
  void allow_output() { received_ = lines_ = 0; }
  /// Discards the output that has arrived so far.
  void drop_output();

  /// Waits for the end of a program that has closed its output. Returns the program's exit code as
  /// a shell reports it (128 + n after signal n). Later calls return the same code. If the program
  /// still runs at `deadline` or at a stop request, returns -1. Always kills the processes that
  /// still run.
  int wait(Clock::time_point deadline);

  /// Returns the last kMaxErrors bytes of standard error as printable lines.
  [[nodiscard]] std::string errors() const;

 private:
  ChildProcess(const std::stop_token& stop, std::unique_ptr<SystemProcess> process);

  enum class Wait { kReady, kTimeout, kStopped };
  /// Waits until the program has written something, but at most 100 ms, and reads the output. If
  /// `writing`, the wait also ends when the program's input has room. Returns kTimeout only after
  /// `deadline`.
  Wait pump(bool writing, Clock::time_point deadline);

  std::stop_token stop_;
  std::unique_ptr<SystemProcess> process_;
  std::string output_;       ///< output that was not yet returned as lines
  std::size_t scanned_ = 0;  ///< bytes of `output_` that contain no line end
  std::string errors_;
  std::size_t received_ = 0;
  std::size_t lines_ = 0;
  int exit_code_ = -1;
  bool killed_ = false;
  bool dropping_ = false;  ///< skipping the rest of a line that was too long
};

/// Returns how a program ended: "ended with exit code 3", "was killed by signal 11 (Segmentation
/// fault)".
[[nodiscard]] std::string describe_end(int exit_code);

namespace windows {

/// Only Windows has this function. Returns the exit code as a POSIX shell would report it. A crash
/// gives 128 + the number of the matching signal. A program that could not be started gives 127.
[[nodiscard]] int shell_code(unsigned long code);

}  // namespace windows

}  // namespace manyply

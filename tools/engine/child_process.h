// Another program as a child process, talked to in lines. Everything has a time limit and a size
// limit: the program may hang, crash, or print without end.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "tools/engine/system_process.h"

namespace manyply {

/// What limits on a program go by: steady time, but from the end of one wait of this thread to that
/// of the next one no more than that was to take. So it stands still while this process cannot run
/// (it is stopped, the machine stands still or is overloaded), wherever it was just then: the
/// program could not run either, as a rule. It moves with the waits alone. Each thread has its own;
/// times of different threads have nothing to do with each other.
struct WaitingClock {
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<WaitingClock>;
  static constexpr bool is_steady = true;

  static time_point now() { return time_point(waited_); }
  /// Records the end of a wait that was limited to `asked`.
  static void waited(duration asked) {
    const duration end = real();
    waited_ += std::min(end - end_, asked);
    end_ = end;
  }

 private:
  static duration real() { return std::chrono::steady_clock::now().time_since_epoch(); }
  static inline thread_local duration waited_{};
  static inline thread_local duration end_ = real();  ///< of the last wait
};

/// A shell command with pipes on its standard streams, killed on destruction. One thread, besides
/// the one that requests the stop.
class ChildProcess {
 public:
  using Clock = WaitingClock;

  enum class Read {
    kLine,
    kEnd,      ///< the program has closed its output
    kTimeout,  ///< the deadline has passed
    kStopped,  ///< a stop was requested
    kFlood,    ///< more than kMaxOutput bytes or kMaxLines lines since the last allow_output()
    kPrompt,   ///< what stands there without a line end is the prompt that was waited for
  };

  static constexpr std::size_t kMaxLine = 4096;        ///< bytes; the rest of a line is dropped
  static constexpr std::size_t kMaxOutput = 4u << 20;  ///< bytes between two allow_output()
  static constexpr std::size_t kMaxLines = 16384;      ///< between two allow_output()
  static constexpr std::size_t kMaxErrors = 4096;      ///< bytes kept of standard error: the last

  /// Runs `command` by the shell, with `arguments` behind it. An unknown program shows up as one
  /// that ends at once. kUnavailable when no process can be started.
  static Result<std::unique_ptr<ChildProcess>> start(const std::string& command,
                                                     const std::vector<std::string>& arguments,
                                                     const std::stop_token& stop);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Writes to standard input; returns false if that was not possible by `deadline`.
  bool send(std::string_view text, Clock::time_point deadline);
  void close_input();

  /// Reads the next line of standard output into `line`, without its line end. kPrompt, and drops
  /// it, if all that stands there is `prompt`, unless that is empty.
  Read next_line(std::string& line, Clock::time_point deadline, std::string_view prompt = {});
  /// What was read of a line whose end has not come.
  [[nodiscard]] const std::string& unfinished_line() const { return output_; }
  /// Starts the limits on size afresh: for each question put to the program.
  void allow_output() { received_ = lines_ = 0; }
  /// Drops what it has printed so far.
  void drop_output();

  /// Waits for the end of a program that has closed its output: its exit code as a shell tells it
  /// (128 + n after signal n), also when asked again. Kills at `deadline`; -1 then.
  int wait(Clock::time_point deadline);

  /// Returns the end of the standard error output so far, as printable lines.
  [[nodiscard]] std::string errors() const;

 private:
  ChildProcess(const std::stop_token& stop, std::unique_ptr<SystemProcess> process);

  enum class Wait { kReady, kTimeout, kStopped };
  /// Waits until there is something to read, or room to write if `writing`; reads what there is.
  Wait pump(bool writing, Clock::time_point deadline);

  std::stop_token stop_;
  std::unique_ptr<SystemProcess> process_;
  std::string output_;       ///< not yet handed out as lines
  std::size_t scanned_ = 0;  ///< of `output_`, known to hold no line end
  std::string errors_;
  std::size_t received_ = 0;
  std::size_t lines_ = 0;
  int exit_code_ = -1;
  bool killed_ = false;
  bool dropping_ = false;  ///< the rest of a line that was too long
};

/// "ended with exit code 3", "was killed by signal 11 (Segmentation fault)".
[[nodiscard]] std::string describe_end(int exit_code);

}  // namespace manyply

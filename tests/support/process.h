// Runs programs the way a shell does, for end-to-end tests.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace manyply {

struct ProcessResult {
  int exit_code = -1;  ///< as a shell tells it: 128 + n after signal n
  std::string out;
  std::string err;
  std::uint64_t peak_bytes = 0;  ///< of memory, at any time; no less than what started it has had
};

/// A child process with pipes on its standard streams. Killed on destruction if still alive.
class Process {
 public:
  enum class Stderr { kPipe, kTerminal };
  enum class Stdout { kPipe, kUnread, kClosedPipe, kFull };

  /// Seconds after which something hangs: nothing takes that long on any machine, however much else
  /// it has to do.
  static constexpr double kPatience = 600;

  /// `argv[0]` is a path. Throws std::runtime_error when the program cannot be started. kUnread
  /// is a pipe from which nobody reads, kClosedPipe one whose reader has gone, kFull a full disk.
  explicit Process(const std::vector<std::string>& argv, Stdout out = Stdout::kPipe,
                   Stderr err = Stderr::kPipe);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Writes to the child's standard input; what a child that has gone would not read is dropped.
  void send(std::string_view text);
  void close_input();
  void signal(int number) const;

  /// Waits until `text` stands in what the child has printed so far; false if it ends before.
  bool wait_for_output(std::string_view text);
  bool wait_for_error_output(std::string_view text);
  /// Waits until the signal would not just end the child: one that it catches, or blocks and
  /// waits for.
  [[nodiscard]] bool wait_for_handler(int number) const;
  /// Waits until the child has taken a signal that was sent to it: a second one is another one.
  [[nodiscard]] bool wait_until_taken(int number) const;

  /// True once the child has ended, or is about to be seen to.
  [[nodiscard]] bool has_ended() const;
  /// Bytes that stand in the pipe from which nobody reads.
  [[nodiscard]] std::size_t unread_bytes() const;

  /// What has been printed and read so far.
  [[nodiscard]] const std::string& output() const { return result_.out; }

  /// Reads all output and waits for the end; kills after `seconds`, with the exit code 137 that no
  /// test expects. Leaves standard input open.
  ProcessResult finish(double seconds = kPatience);

 private:
  bool read_some(double seconds);  // false when both outputs have ended or time is up
  bool wait_for(const std::string& where, std::string_view text);
  [[nodiscard]] std::uint64_t signals(std::string_view set) const;  // of /proc/PID/status

  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
  int unread_ = -1;
  ProcessResult result_;
};

/// The whole life of a process: `input` in, everything out.
ProcessResult run_process(const std::vector<std::string>& argv, std::string_view input = {});

}  // namespace manyply

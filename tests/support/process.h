// Runs programs as a shell does, for end-to-end tests.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace manyply {

struct ProcessResult {
  int exit_code = -1;  ///< as in a shell: 128 + n after signal n
  std::string out;
  std::string err;
  /// Largest memory use; at least that of the parent process at the start.
  std::uint64_t peak_bytes = 0;
};

/// A child process with pipes on its standard streams. Killed on destruction if still alive.
class Process {
 public:
  enum class Stderr { kPipe, kTerminal };
  enum class Stdout { kPipe, kUnread, kClosedPipe, kFull };

  /// Seconds after which a test counts as hanging. No step takes that long, even on a slow and busy
  /// machine.
  static constexpr double kPatience = 600;

  /// `argv[0]` is a path. Throws std::runtime_error if the program cannot be started. kUnread is a
  /// pipe that is never read, kClosedPipe a pipe without a reader, kFull a full disk.
  explicit Process(const std::vector<std::string>& argv, Stdout out = Stdout::kPipe,
                   Stderr err = Stderr::kPipe);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Writes to the child's standard input; drops the text if the child has closed its input or
  /// ended.
  void send(std::string_view text);
  void close_input();
  void signal(int number) const;

  /// Blocks until the output so far contains `text`. Returns false if the child ends or kPatience
  /// passes before that.
  bool wait_for_output(std::string_view text);
  bool wait_for_error_output(std::string_view text);
  /// Blocks until the child catches or blocks signal `number`, so that the signal does not kill it.
  /// Returns false after a long time.
  [[nodiscard]] bool wait_for_handler(int number) const;
  /// Blocks until signal `number` is no longer pending in the child, so that a second signal of
  /// this number is not merged with the first. Returns false after a long time.
  [[nodiscard]] bool wait_until_taken(int number) const;

  /// Returns whether the child has ended.
  [[nodiscard]] bool has_ended() const;
  /// Returns the number of bytes in the pipe of Stdout::kUnread.
  [[nodiscard]] std::size_t unread_bytes() const;

  /// Returns the output that has been read so far.
  [[nodiscard]] const std::string& output() const { return result_.out; }

  /// Reads all output and waits for the end. Kills the child after `seconds`; the exit code is then
  /// 137, which no test expects. Leaves standard input open.
  ProcessResult finish(double seconds = kPatience);

 private:
  bool read_some(double seconds);  // false if both outputs have ended or the time is up
  bool wait_for(const std::string& where, std::string_view text);
  [[nodiscard]] std::uint64_t signals(std::string_view set) const;  // from /proc/PID/status

  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
  int unread_ = -1;
  ProcessResult result_;
};

/// Runs a program from start to end: sends `input` and returns all output.
ProcessResult run_process(const std::vector<std::string>& argv, std::string_view input = {});

}  // namespace manyply

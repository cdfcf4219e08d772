// The environment of a command: its streams, safe text for terminals, colours, input files, input
// lines, and the console. Commands use standard streams and signals only through Io, so tests can
// replace them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <stop_token>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace manyply {

/// Exit codes of `perft`. They are part of its interface.
enum ExitCode : int {
  kExitOk = 0,
  kExitMismatch = 1,       ///< a count differs from the expected one, or keys have a fault
  kExitError = 2,          ///< usage, input or run-time error
  kExitInterrupted = 130,  ///< stopped by Ctrl-C; no partial count was printed
};

/// Knows whether standard output still has a reader. If the reader goes away, the command is
/// stopped and ends without a message. A failed write of JSON progress to standard error has the
/// same effect. Thread-safe.
class Readers {
 public:
  explicit Readers(std::stop_source stop) : stop_(std::move(stop)) {}

  /// Records that the reader has gone, and requests a stop.
  void left() {
    gone_ = true;
    stop_.request_stop();
  }
  /// Returns whether left() was called.
  [[nodiscard]] bool gone() const { return gone_; }

 private:
  std::stop_source stop_;
  std::atomic<bool> gone_ = false;  // set before the stop is requested
};

/// The streams and the terminal of a command.
struct Io {
  std::ostream& out;         ///< data only
  std::ostream& err;         ///< progress and diagnostics
  int input = 0;             ///< file descriptor of standard input
  int terminal_columns = 0;  ///< width of the terminal behind `err`; 0 if it is not a terminal
  std::stop_token stop{};    ///< requested by Ctrl-C and by `readers`
  Readers* readers = nullptr;
  int out_columns = 0;       ///< $COLUMNS, or the width of the terminal behind `out`; 0 = unknown
  bool out_colours = false;  ///< `out` is a terminal and the user wants colours
  bool err_colours = false;  ///< `err` is a terminal and the user wants colours
  /// The words with which the user started this command: "npx manyply".
  std::string program = "perft";

  /// Returns whether the reader of `out` has gone.
  [[nodiscard]] bool unheard() const { return readers != nullptr && readers->gone(); }
};

// Makes untrusted text safe for a terminal or a shell command line.

/// Returns `text` as one line without control sequences. Line ends and tabs become spaces. Other
/// control characters and invalid UTF-8 become \xNN.
[[nodiscard]] std::string printable(std::string_view text);

/// Returns `text` quoted as one word for the shell. Uses single quotes; on Windows, double quotes.
[[nodiscard]] std::string for_shell(std::string_view text);

// Colours of a terminal.

enum class Colour : std::uint8_t { kBold, kRed, kGreen };

/// Returns `text` with the escape codes of `colour`; unchanged if `on` is false.
[[nodiscard]] std::string painted(std::string_view text, Colour colour, bool on);

// An output stream on a file descriptor. It stores the reason of the first failed write.

/// A buffer that writes to the descriptor when it is full or flushed.
class FdBuffer : public std::streambuf {
 public:
  explicit FdBuffer(int fd) : fd_(fd) { setp(bytes_.data(), bytes_.data() + bytes_.size()); }

  /// Returns the errno of the first failed write; 0 if no write has failed.
  [[nodiscard]] int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  int fd_;
  int error_ = 0;
  std::array<char, 1 << 16> bytes_;
};

/// An output stream for one thread. After a failed write, the stream is bad, error() returns the
/// reason, and further output is dropped. Flush the stream before you destroy it.
class FdStream : public std::ostream {
 public:
  explicit FdStream(int fd) : std::ostream(nullptr), buffer_(fd) { rdbuf(&buffer_); }
  FdStream(const FdStream&) = delete;
  FdStream& operator=(const FdStream&) = delete;

  /// Returns the errno of the first failed write; 0 if no write has failed.
  [[nodiscard]] int error() const { return buffer_.error(); }

 private:
  FdBuffer buffer_;
};

// Reads whole input files. `-` means standard input.

/// Returns the name of `file` for messages; "standard input" for `-`.
[[nodiscard]] std::string name_of_input(const std::string& file);

/// Returns all bytes of the file. Errors name the file. Error kCancelled: a stop was requested.
Result<std::string> read_input(const std::string& file, const Io& io);

// The part of LineReader that depends on the system: posix_console.cpp, windows_console.cpp,
// wasm_console.cpp.

/// Reads input. Another thread can wake a waiting reader. A plain read() could not be woken.
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
  /// Blocks until input is available, the input ends, wake() is called, or a signal arrives. The
  /// last two cases return kWoken. If the result is kFailed, errno has the reason. Call it from one
  /// thread.
  Reading read(int fd, std::span<char> into);
  /// Ends the current wait and all later waits. Thread-safe.
  void wake();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads lines from a file descriptor until a stop is requested.

/// Reads lines. Unlike getline(), it stops waiting for input at once after a stop request. Use it
/// from one thread.
class LineReader {
 public:
  /// Reads from `fd`, but does not close it. The caller must keep `fd` open as long as the
  /// LineReader exists.
  LineReader(int fd, std::stop_token stop);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Returns the next line without its end ("\n" or "\r\n"); nullopt at the end of the input.
  /// Errors: kCancelled after a stop request, kUnavailable if the descriptor cannot be read.
  Result<std::optional<std::string>> next();
  /// Returns the next line; nullopt if it has not arrived completely. If `input` is true, first
  /// reads once; the caller ensures that reading does not block. At the end of the input and after
  /// an error, also returns nullopt; next() distinguishes these two cases.
  std::optional<std::string> line_there(bool input);
  /// Returns all remaining input. Errors are those of next().
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

// The terminal, streams and signals of the process. Implemented in posix_console.cpp,
// windows_console.cpp and wasm_console.cpp, partly in io.cpp.

namespace console {

/// Prepares the standard streams. Call it before any file is opened. Returns false if the parent
/// process has closed standard output.
///
/// If the parent process has closed a standard stream, the next opened file would get the
/// descriptor of that stream. Input could then be read from a wake-up pipe, or output could be
/// written into a database. To prevent this, prepare() opens a placeholder. With a placeholder,
/// reading standard input fails, writing to standard output fails, and standard error discards its
/// output.
///
/// After this call, writing to a closed pipe returns an error instead of ending the process. The
/// same holds for writing beyond a file's size limit.
bool prepare();

/// Returns the program's arguments without the program's name, in UTF-8.
[[nodiscard]] std::vector<std::string> arguments(int argc, char** argv);

/// Handles signals: Ctrl-C requests a stop; after a stop request, Ctrl-C ends the process. If
/// `ends_on_sigterm`, SIGTERM also requests a stop, but a later SIGTERM has no effect. A signal
/// that the parent process has set to be ignored stays ignored. Call it before any thread starts,
/// because threads inherit the blocked signals.
void watch_for_signals(std::stop_source stop, bool ends_on_sigterm);

/// Starts a thread that calls readers.left() when the other end of standard output is closed. Does
/// nothing if standard output is not a pipe. Without this thread, a command that prints nothing for
/// hours would continue after its reader has gone. `readers` must exist until the process ends.
void watch_for_readers(Readers& readers);

/// Returns whether `fd` is a terminal.
[[nodiscard]] bool is_terminal(int fd);
/// Returns whether `fd` is a terminal that supports the usual colour codes.
[[nodiscard]] bool has_colours(int fd);
/// Returns the width of the terminal in columns; 80 if the width is unknown. Returns 0 if `fd` is
/// not a terminal, or if it is a console of Windows without escape sequences.
[[nodiscard]] int terminal_columns(int fd);

/// Returns the keys that end input on a terminal: "Ctrl-D".
[[nodiscard]] const char* keys_that_end_input();

}  // namespace console
}  // namespace manyply

// The terminal, streams and signals of the process. Implemented in posix_console.cpp,
// windows_console.cpp, wasm_console.cpp, and in the files that end in environment.cpp.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "tools/cli/framework/io.h"

namespace manyply::console {

/// Prepares the standard streams. Call it before any file is opened. Returns whether there is a
/// standard output.
///
/// If the parent process has closed a standard stream, the next opened file would get its
/// descriptor. Input could then be read from a wake-up pipe, or output could be written into a
/// database. To prevent this, prepare() opens a placeholder. Reading from a placeholder and writing
/// to it fail. The placeholder for standard error discards output instead.
///
/// After this call, a closed pipe or a full disk causes an error and does not end the process.
bool prepare();

/// Returns the arguments after the command's name, in UTF-8.
[[nodiscard]] std::vector<std::string> arguments(int argc, char** argv);

/// Handles signals: the first Ctrl-C requests a stop, the second one ends the process. If
/// `ends_on_sigterm`, SIGTERM also requests a stop. Call it before any thread starts, because
/// threads inherit the blocked signals.
void watch_for_signals(std::stop_source stop, bool ends_on_sigterm);

/// Notifies `readers` if standard output is a pipe and its other end is closed. Otherwise a command
/// that prints nothing for hours would continue after its reader is gone.
void watch_for_readers(Readers& readers);

/// Returns whether `fd` is a terminal.
[[nodiscard]] bool is_terminal(int fd);
/// Returns whether `fd` is a terminal that supports the usual colour codes.
[[nodiscard]] bool has_colours(int fd);
/// Returns the width of the terminal, in columns; 0 if `fd` is not a terminal.
[[nodiscard]] int terminal_columns(int fd);

/// Returns the keys that end input on a terminal: "Ctrl-D".
[[nodiscard]] const char* keys_that_end_input();

}  // namespace manyply::console

// The terminal, streams and signals of the process. Implemented in posix_console.cpp,
// windows_console.cpp, wasm_console.cpp, and in the files whose names end in environment.cpp.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "tools/cli/framework/io.h"

namespace manyply::console {

/// Prepares the standard streams. Call it before any file is opened. Returns false if the parent
/// process has closed standard output.
///
/// If the parent process has closed a standard stream, the next opened file would get its
/// descriptor. Input could then be read from a wake-up pipe, or output could be written into a
/// database. To prevent this, prepare() opens a placeholder. With a placeholder, reading standard
/// input fails, writing to standard output fails, and standard error discards its output.
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

}  // namespace manyply::console

// What the command takes of the terminal, the streams and the signals that it was started with:
// posix_console.cpp, windows_console.cpp, wasm_console.cpp, and files named so that end in
// environment.cpp.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "tools/cli/framework/io.h"

namespace manyply::console {

/// Before anything is opened. Whoever starts us may have closed some of the standard streams. Else
/// the next file that is opened would take the place: a wake-up would be read as input, answers be
/// written into a database. What takes the place can be neither read nor written: that is an error,
/// as it would be without us; but for complaints, which are lost. Nor does a closed pipe or a full
/// disk end the process from now on. Whether there is a standard output.
bool prepare();

/// What stands behind the command's name, in UTF-8.
[[nodiscard]] std::vector<std::string> arguments(int argc, char** argv);

/// The first Ctrl-C requests a stop, the second one ends the process. SIGTERM stops what ends on
/// it, too. Must run before any other thread is started: they inherit the blocked signals.
void watch_for_signals(std::stop_source stop, bool ends_on_sigterm);

/// Tells `readers` when the other end of standard output, a pipe, is closed: a command that has
/// nothing to print for hours would not notice.
void watch_for_readers(Readers& readers);

[[nodiscard]] bool is_terminal(int fd);
/// Whether it is one that knows the usual escapes for colours.
[[nodiscard]] bool has_colours(int fd);
/// Its width; 0 if it is none.
[[nodiscard]] int terminal_columns(int fd);

/// Of a terminal: "Ctrl-D".
[[nodiscard]] const char* keys_that_end_input();
/// Where much may be written that nobody wants afterwards.
[[nodiscard]] std::string temporary_directory();

}  // namespace manyply::console

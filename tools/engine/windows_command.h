// Interprets a shell command on Windows, which has no standard shell.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace manyply::windows {

/// The arguments of CreateProcess.
struct ProgramCall {
  std::wstring program;  ///< path of the file
  std::wstring line;     ///< the command line
};

/// Returns how to run `command` followed by `arguments`; nullopt if the program does not exist. A
/// command has one of three forms: a program (with or without .exe, quotes and slashes); a .bat or
/// .cmd file; or a text for the command interpreter. Such a text has pipes, redirections, variables
/// or several commands, or is a command of the interpreter itself, such as `echo`.
[[nodiscard]] std::optional<ProgramCall> call_of(const std::string& command,
                                                 const std::vector<std::string>& arguments);

/// Returns the exit code as a POSIX shell would report it. A crash gives 128 + the number of the
/// matching signal. A program that could not be started gives 127.
[[nodiscard]] int shell_code(unsigned long code);

}  // namespace manyply::windows

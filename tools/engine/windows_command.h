// What the text of a command means to Windows, which has no shell that everybody uses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace manyply::windows {

/// What CreateProcess takes.
struct ProgramCall {
  std::wstring program;  ///< a file
  std::wstring line;
};

/// `command` with `arguments` behind it: a program, with or without its .exe, quotes, slashes; a
/// .bat or .cmd file; or what only the command interpreter knows, with pipes and redirections.
/// Nothing if there is no such program.
[[nodiscard]] std::optional<ProgramCall> call_of(const std::string& command,
                                                 const std::vector<std::string>& arguments);

/// The exit code as a shell tells it: of a program that crashed, 128 + the signal that it would
/// have been elsewhere.
[[nodiscard]] int shell_code(unsigned long code);

}  // namespace manyply::windows

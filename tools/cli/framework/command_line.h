// Parses the command line of `perft`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "tools/cli/framework/command.h"
#include "tools/cli/framework/help.h"

namespace manyply {

/// The result of parsing: a command to run, a text to print (help, version), or an error.
using ParsedCommandLine = std::variant<Call, std::string, Error>;

/// Parses `arguments`, without the program's name. Help is formatted in `style`.
ParsedCommandLine parse_command_line(std::span<const std::string> arguments,
                                     std::span<const Command> commands,
                                     const HelpStyle& style = {});

/// Returns the command at the start of `words`. If the next word is the name of a part of the
/// command, returns the part. Returns null if the command is unknown.
[[nodiscard]] const Command* find_command(std::span<const Command> commands,
                                          std::span<const std::string> words);

/// Parses and runs a command line, and prints errors. Returns the exit code. Does everything that
/// `perft` does, except for signals and streams. Does not throw.
int run_perft(std::span<const std::string> arguments, Io& io, std::span<const Command> commands);

// Suggestions for mistyped names.

/// Returns the number of typing errors between two words: letters that are changed, missing or
/// extra, and swapped neighbours.
[[nodiscard]] int typing_errors(std::string_view a, std::string_view b);

/// Returns the name that `word` probably stands for; nullopt if there is none. First looks for the
/// name with the fewest typing errors. Allows one error per three letters of the longer word. If no
/// name is that similar, looks for the name that shares the longest prefix with `word`. The prefix
/// must have at least three letters.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> names);

}  // namespace manyply

// Parses the command line of `perft`.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "tools/cli/framework/command.h"
#include "tools/cli/framework/help.h"

namespace manyply {

/// The outcome: a command to run, a text to print (help, version), or an error.
using ParsedCommandLine = std::variant<std::unique_ptr<Call>, std::string, Error>;

/// Parses `arguments`, without the program's name. Help is formatted in `style`.
ParsedCommandLine parse_command_line(std::span<const std::string> arguments,
                                     std::span<const Command> commands,
                                     const HelpStyle& style = {});

/// Returns the command that `words` start with, or its part if they name one; null if unknown.
[[nodiscard]] const Command* find_command(std::span<const Command> commands,
                                          std::span<const std::string> words);

/// Parses, runs and reports: all of `perft` except signals and streams. Does not throw.
int run_perft(std::span<const std::string> arguments, Io& io, std::span<const Command> commands);

// Suggestions for mistyped names.

/// Returns the number of letters to change, remove, insert or swap with a neighbour to turn one
/// word into the other.
[[nodiscard]] int typing_errors(std::string_view a, std::string_view b);

/// Returns the name that `word` probably stands for: the one with the fewest typing errors, at most
/// one per three letters; otherwise the one with the longest common prefix, at least three letters.
/// nullopt if no name fits.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> names);

}  // namespace manyply

// The command line of `perft`: from words to a command that is ready to run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "tools/cli/framework/command.h"
#include "tools/cli/framework/help.h"

namespace manyply {

/// What there is to do: run a command, print a text (help, version), or complain.
using ParsedCommandLine = std::variant<std::unique_ptr<Call>, std::string, Error>;

/// `arguments` without the program's name. Help is printed in that style.
ParsedCommandLine parse_command_line(std::span<const std::string> arguments,
                                     std::span<const Command> commands,
                                     const HelpStyle& style = {});

/// The command that these words begin with, a part where they name one; null if there is none.
[[nodiscard]] const Command* find_command(std::span<const Command> commands,
                                          std::span<const std::string> words);

/// Parses, runs, and reports: the whole of `perft` but signals and streams. Throws nothing.
int run_perft(std::span<const std::string> arguments, Io& io, std::span<const Command> commands);

}  // namespace manyply

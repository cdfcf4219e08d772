// The command line of `perft`: its commands, parsing, help.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "tools/cli/command.h"

namespace manyply {

/// The commands that count here, in the order of the help.
std::span<const Command> local_commands();

/// A command that is ready to run.
struct Invocation {
  int (*run)(const Options& options, Io& io) = nullptr;
  Options options;
};

/// What there is to do: run a command, print a text (help, version), or complain.
using ParsedCommandLine = std::variant<Invocation, std::string, Error>;

/// `arguments` without the program's name. `more` are commands that others bring along.
ParsedCommandLine parse_command_line(std::span<const std::string> arguments,
                                     std::span<const Command> more = {});

/// Parses, runs, and reports: the whole of `perft` but signals and streams. Throws nothing.
int run_perft(std::span<const std::string> arguments, Io& io, std::span<const Command> more = {});

}  // namespace manyply

// Shell completion scripts, generated from the list of commands.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/cli/framework/command.h"

namespace manyply {

/// Return the scripts for bash, zsh and fish. A script may be sourced, or installed in the shell's
/// completion folder as `perft`, `_perft` or `perft.fish`.
[[nodiscard]] std::string bash_completion(std::span<const Command> commands);
[[nodiscard]] std::string zsh_completion(std::span<const Command> commands);
[[nodiscard]] std::string fish_completion(std::span<const Command> commands);

/// Returns the command `perft completion SHELL`. `all` are the commands to complete, read when it
/// runs.
[[nodiscard]] Command completion_command(const std::vector<Command>& all);

}  // namespace manyply

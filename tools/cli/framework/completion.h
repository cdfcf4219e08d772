// What shells offer to whoever types a command, made of commands alone.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/cli/framework/command.h"

namespace manyply {

/// Scripts for bash, zsh and fish. Each may be sourced, or put where the shell looks for it: as
/// `perft`, `_perft`, `perft.fish`.
[[nodiscard]] std::string bash_completion(std::span<const Command> commands);
[[nodiscard]] std::string zsh_completion(std::span<const Command> commands);
[[nodiscard]] std::string fish_completion(std::span<const Command> commands);

/// `perft completion SHELL`. `all` are the commands that it completes, read when it runs.
[[nodiscard]] Command completion_command(const std::vector<Command>& all);

}  // namespace manyply

// The manual page perft(1), generated from the list of commands.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/framework/command.h"

namespace manyply {

/// Returns the page in roff with the macros of man(7). `date` has the form 2025-11-22.
[[nodiscard]] std::string manual(std::span<const Command> commands, std::string_view date);

/// Returns the unlisted command `perft manual DATE`, which prints the page for packaging. `all` are
/// the commands to describe, read when it runs.
[[nodiscard]] Command manual_command(const std::vector<Command>& all);

}  // namespace manyply

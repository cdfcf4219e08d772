// The manual page perft(1), made of commands alone.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/framework/command.h"

namespace manyply {

/// The page in roff, with the macros of man(7). `date` as in 2025-11-22.
[[nodiscard]] std::string manual(std::span<const Command> commands, std::string_view date);

/// `perft manual DATE`, not listed: prints the page for who builds this. `all` are the commands it
/// tells of, read when it runs.
[[nodiscard]] Command manual_command(const std::vector<Command>& all);

}  // namespace manyply

// The commands that serve, and those that ask a server: what main() adds to the command line.
#pragma once

#include <span>

#include "tools/cli/command.h"

namespace manyply {

[[nodiscard]] std::span<const Command> server_commands();

}  // namespace manyply

// The commands that send requests to a server.
#pragma once

#include <vector>

#include "tools/cli/framework/command.h"

namespace manyply {

/// Returns all commands that use a server, in the order of the help.
[[nodiscard]] std::vector<Command> client_commands();

}  // namespace manyply

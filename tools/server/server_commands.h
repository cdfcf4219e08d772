// The commands of the server.
#pragma once

#include <vector>

#include "tools/command/command.h"

namespace manyply {

[[nodiscard]] std::vector<Command> server_commands();

}  // namespace manyply

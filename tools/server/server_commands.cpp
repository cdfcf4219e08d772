#include "tools/server/server_commands.h"

#include <vector>

#include "tools/server/serve_command.h"

namespace manyply {

std::span<const Command> server_commands() {
  static const std::vector<Command> commands{serve_command()};
  return commands;
}

}  // namespace manyply

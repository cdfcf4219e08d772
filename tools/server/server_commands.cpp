#include "tools/server/server_commands.h"

#include <vector>

namespace manyply {

std::span<const Command> server_commands() {
  static const std::vector<Command> commands{};
  return commands;
}

}  // namespace manyply

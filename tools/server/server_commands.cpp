#include "tools/server/server_commands.h"

#include "tools/server/serve_command.h"

namespace manyply {

std::vector<Command> server_commands() { return {serve_command()}; }

}  // namespace manyply

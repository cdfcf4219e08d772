#include "tools/server/server_commands.h"

#include "tools/server/serve_command.h"

namespace manyply {

std::vector<Command> server_commands(OpenCampaigns campaigns) {
  return {serve_command(std::move(campaigns))};
}

}  // namespace manyply

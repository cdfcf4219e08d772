// What stands in for this room where its libraries are missing.
#include "tools/server/server_commands.h"

namespace manyply {

std::vector<Command> server_commands(OpenCampaigns) {
  return {{.name = "serve", .missing = "this perft was built without its server"}};
}

}  // namespace manyply

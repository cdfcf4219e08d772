// What stands in for this room where libpq is missing.
#include "tools/campaign/campaign_commands.h"

namespace manyply {

std::vector<Command> campaign_commands() {
  return {{.name = "campaign", .missing = "this perft was built without libpq"}};
}

OpenCampaigns campaign_opener() { return {}; }

}  // namespace manyply

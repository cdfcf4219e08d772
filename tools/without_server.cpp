// Replaces client/, server/ and campaign/ in builds without them: running their commands is an
// error.
#include "tools/campaign/campaign_commands.h"
#include "tools/client/client_commands.h"
#include "tools/server/serve_command.h"

namespace manyply {
namespace {

#ifdef MANYPLY_FOR_LINUX
constexpr const char* kWhy = "this build has no server and no campaigns";
#else
constexpr const char* kWhy =
    "the server, its client commands and campaigns are only available on Linux";
#endif

}  // namespace

std::vector<Command> client_commands() {
  std::vector<Command> commands;
  for (const char* name : {"submit", "batch", "status", "watch", "cancel"})
    commands.push_back({.name = name, .missing = kWhy});
  return commands;
}
Command serve_command(OpenCampaigns) { return {.name = "serve", .missing = kWhy}; }
std::vector<Command> campaign_commands() { return {{.name = "campaign", .missing = kWhy}}; }
OpenCampaigns campaign_opener() { return {}; }

}  // namespace manyply

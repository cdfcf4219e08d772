// The commands `perft campaign …`. A campaign is one count on many machines.
#pragma once

#include <vector>

#include "tools/cli/framework/command.h"
#include "tools/report/campaign_view.h"

namespace manyply {

/// Returns the command `perft campaign` with all its subcommands, in the order of the help.
[[nodiscard]] std::vector<Command> campaign_commands();

/// Returns the function that opens campaigns for `perft serve`.
[[nodiscard]] OpenCampaigns campaign_opener();

}  // namespace manyply

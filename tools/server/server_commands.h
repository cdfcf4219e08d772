// The commands of the server.
#pragma once

#include <vector>

#include "tools/command/command.h"
#include "tools/question/campaign_view.h"

namespace manyply {

/// `campaigns` reads what --campaigns shows; null where that cannot be had.
[[nodiscard]] std::vector<Command> server_commands(OpenCampaigns campaigns = {});

}  // namespace manyply

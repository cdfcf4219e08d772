// `perft serve`: the whole server, from its options to its end.
#pragma once

#include <filesystem>
#include <string>

#include "tools/cli/framework/command.h"
#include "tools/report/campaign_view.h"

namespace manyply {

/// `campaigns` reads what --campaigns shows; null where that cannot be had.
[[nodiscard]] Command serve_command(OpenCampaigns campaigns = {});

/// Where a user's jobs are kept unless told otherwise: $XDG_STATE_HOME/manyply, else
/// ~/.local/state/manyply.
Result<std::filesystem::path> default_state_directory();

}  // namespace manyply

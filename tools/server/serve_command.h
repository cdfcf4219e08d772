// `perft serve`: runs the server, from parsing its options to shutdown.
#pragma once

#include <filesystem>
#include <string>

#include "tools/cli/framework/command.h"
#include "tools/report/campaign_view.h"

namespace manyply {

/// Returns the command. `campaigns` opens the database of --campaigns; null if this build has no
/// PostgreSQL client.
[[nodiscard]] Command serve_command(OpenCampaigns campaigns = {});

/// Returns the default state directory of this user: $XDG_STATE_HOME/manyply, or
/// ~/.local/state/manyply if that variable is not set. Fails if neither variable has an absolute
/// path.
Result<std::filesystem::path> default_state_directory();

}  // namespace manyply

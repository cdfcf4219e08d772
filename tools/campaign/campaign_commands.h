// The commands `perft campaign …`: one count on many machines.
#pragma once

#include <vector>

#include "tools/cli/framework/command.h"
#include "tools/report/campaign_view.h"

namespace manyply {

Command campaign_init_command();
Command campaign_create_command();
Command campaign_work_command();
Command campaign_status_command();
Command campaign_watch_command();
Command campaign_workers_command();
Command campaign_explain_command();
Command campaign_result_command();
Command campaign_stop_command();
Command campaign_continue_command();
Command campaign_slurm_command();
Command campaign_drop_command();

/// Returns `campaign` with all of these in the order of the help.
[[nodiscard]] std::vector<Command> campaign_commands();

/// Returns the function that opens campaigns for `perft serve`; null in builds without libpq.
[[nodiscard]] OpenCampaigns campaign_opener();

}  // namespace manyply

// The commands `perft campaign …`. A campaign is one count on many machines.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tools/campaign/postgres.h"
#include "tools/cli/framework/command.h"
#include "tools/report/campaign_view.h"

namespace manyply {

// These commands are in inspecting_commands.cpp.
Command campaign_watch_command();
Command campaign_workers_command();
Command campaign_explain_command();
Command campaign_result_command();

/// Returns the command `perft campaign` with all its subcommands, in the order of the help.
[[nodiscard]] std::vector<Command> campaign_commands();

/// Returns the function that opens campaigns for `perft serve`; null in builds without campaigns.
[[nodiscard]] OpenCampaigns campaign_opener();

// Flags that several campaign commands have.

/// The database that contains the campaigns.
struct DatabaseOptions {
  DatabaseAddress database;
};

/// The campaign that a command is about.
struct NameOptions {
  std::string name;
};

/// Stores a name, or returns an error. Names have 1 to 64 characters: letters, digits, ".", "_" and
/// "-". The first one is not "-". So names never need quotes and never look like flags.
std::optional<Error> take_campaign_name(std::string& name, const std::string& text);

namespace flags {

extern const std::array<Flag<DatabaseOptions>, 2> kDatabase;  ///< --database, --insecure
extern const Flag<NameOptions> kCampaignName;

}  // namespace flags
}  // namespace manyply

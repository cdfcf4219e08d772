// Flags that the campaign's commands share.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "tools/campaign/database_address.h"
#include "tools/cli/framework/command.h"

namespace manyply {

/// The database that holds the campaigns.
struct DatabaseOptions {
  DatabaseAddress database;
};

/// The campaign that a command is about.
struct NameOptions {
  std::string name;
};

/// Stores a name, or returns an error. Names have up to 64 letters, digits and ".", "_", "-", so
/// they never need quotes.
std::optional<Error> take_campaign_name(std::string& name, const std::string& text);

namespace flags {

extern const std::array<Flag<DatabaseOptions>, 2> kDatabase;  ///< --database, --insecure
extern const Flag<NameOptions> kCampaignName;

}  // namespace flags
}  // namespace manyply

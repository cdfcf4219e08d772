// Flags that the campaign's commands share.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "tools/campaign/database_address.h"
#include "tools/cli/framework/command.h"

namespace manyply {

/// Where the campaigns are.
struct DatabaseOptions {
  DatabaseAddress database;
};

/// The campaign that is meant.
struct NameOptions {
  std::string name;
};

/// Names that need no quotes anywhere: up to 64 letters, digits and ".", "_", "-".
std::optional<Error> take_campaign_name(std::string& name, const std::string& text);

namespace flags {

extern const std::array<Flag<DatabaseOptions>, 2> kDatabase;  ///< --database, --insecure
extern const Flag<NameOptions> kCampaignName;

}  // namespace flags
}  // namespace manyply

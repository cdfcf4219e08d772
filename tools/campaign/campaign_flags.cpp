#include "tools/campaign/campaign_flags.h"

#include <string_view>

#include "tools/cli/framework/flags.h"

namespace manyply {

std::optional<Error> take_campaign_name(std::string& name, const std::string& text) {
  constexpr std::size_t kLongest = 64;
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  const bool good = !text.empty() && text.size() <= kLongest && text.front() != '-' &&
                    text.find_first_not_of(kLetters) == std::string::npos;
  if (!good)
    return bad_input("name", "'" + text + "' is not made of letters, digits, '.', '_' and '-'");
  name = text;
  return std::nullopt;
}

namespace flags {

constexpr std::array<Flag<DatabaseOptions>, 2> kDatabase{{
    {"--database", "CONNINFO",
     "libpq's connection string or URI, without a password (default: what PGSERVICE, PGHOST and "
     "the like say)",
     [](DatabaseOptions& options, const std::string& text) {
       options.database.conninfo = text;
       const auto parameters = connection_parameters(options.database);
       return parameters ? accepted() : std::optional(renamed(parameters.error(), "--database"));
     }},
    {"--insecure", nullptr, "speak to another machine without TLS",
     [](DatabaseOptions& options, const std::string&) {
       return options.database.insecure = true, accepted();
     }},
}};

// Names need no quotes in a shell or a file, see take_campaign_name().
constexpr Flag<NameOptions> kCampaignName{"NAME", "", "the campaign's name",
                                          [](NameOptions& options, const std::string& text) {
                                            return take_campaign_name(options.name, text);
                                          }};

}  // namespace flags
}  // namespace manyply

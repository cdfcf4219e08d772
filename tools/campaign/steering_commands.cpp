// The commands `perft campaign init`, `status`, `stop`, `continue` and `drop`.
#include <fmt/format.h>

#include "tools/campaign/campaign_commands.h"
#include "tools/campaign/campaign_flags.h"
#include "tools/campaign/campaign_format.h"
#include "tools/campaign/campaign_store.h"
#include "tools/cli/framework/flags.h"

namespace manyply {
namespace {

struct InitOptions : DatabaseOptions {};

int run_init(const InitOptions& options, Io& io) {
  CampaignStore store(options.database);
  const Result<CampaignStore::Versions> versions = store.init(io.stop);
  if (!versions) return fail(io, versions.error());
  if (versions->before == versions->after) {
    io.out << fmt::format("schema     version {}, as it was\n", versions->after);
  } else {
    io.out << fmt::format("schema     version {}\n", versions->after);
  }
  return kExitOk;
}

struct StatusOptions : Showing, DatabaseOptions {
  std::vector<std::string> names;
};

/// Without names, lists the names of all campaigns.
int run_status(const StatusOptions& options, Io& io) {
  CampaignStore store(options.database);
  if (options.names.empty()) {
    const Result<std::vector<std::string>> names = store.names(io.stop);
    if (!names) return fail(io, names.error());
    io.out << names_output(*names, options.format);
    return kExitOk;
  }
  int exit_code = kExitOk;
  for (const std::string& name : options.names) {
    const Result<CampaignStatus> status = store.status(name, io.stop);
    if (!status) return fail(io, status.error());
    const Result<std::vector<CampaignDispute>> disputes = store.disputes(name, io.stop);
    if (!disputes) return fail(io, disputes.error());
    io.out << status_output(*status, *disputes, options.format);
    if (status->campaign.state == CampaignState::kDisputed) exit_code = kExitMismatch;
  }
  return exit_code;
}

struct SteeringOptions : NameOptions, DatabaseOptions {};

/// Fails if the campaign is in dispute or done. Succeeds if it is already in the wanted state.
int set_running(const SteeringOptions& options, Io& io, bool running) {
  CampaignStore store(options.database);
  const Result<CampaignState> state = store.set_running(options.name, running, io.stop);
  if (!state) return fail(io, state.error());
  const CampaignState wanted = running ? CampaignState::kRunning : CampaignState::kStopped;
  if (*state != wanted)
    return fail(io,
                campaign_refusal("'" + options.name + "' is " + std::string(to_string(*state))));
  io.out << fmt::format("{:<10} {}\n", "state", to_string(*state));
  return kExitOk;
}

int run_stop(const SteeringOptions& options, Io& io) { return set_running(options, io, false); }
int run_continue(const SteeringOptions& options, Io& io) { return set_running(options, io, true); }

struct DropOptions : NameOptions, DatabaseOptions {
  bool yes = false;
};

int run_drop(const DropOptions& options, Io& io) {
  if (!options.yes)
    return fail(io, bad_input("--yes", "'" + options.name +
                                           "' and all that was counted for it would be gone; say "
                                           "--yes if you mean that"));
  CampaignStore store(options.database);
  if (auto error = store.drop(options.name, io.stop)) return fail(io, *error);
  return kExitOk;
}

constexpr Flag<StatusOptions> kNames{
    "NAMES", nullptr, "the campaigns' names; without any, all names are listed",
    [](StatusOptions& options, const std::string& text) {
      return take_campaign_name(options.names.emplace_back(), text);
    }};
constexpr Flag<DropOptions> kYes{
    "--yes", nullptr, "really",
    [](DropOptions& options, const std::string&) { return options.yes = true, accepted(); }};

}  // namespace

Command campaign_init_command() {
  return make_command<InitOptions>(
      {.name = "campaign init", .summary = "Prepare a database for campaigns", .about = R"(
Makes the schema manyply and three roles without login, to be granted to those who log in:
manyply_owner (init, create, stop, continue, drop), manyply_worker (work), manyply_reader (status,
watch, workers, result, explain). Needs the right to create them the first time, and manyply_owner
later.)"},
      {flags::kDatabase}, run_init);
}

Command campaign_status_command() {
  return make_command<StatusOptions>(
      {.name = "campaign status", .summary = "Show how campaigns go on", .about = R"(
Exit code: 0, 1 if one is disputed, 2 on an error. Needs the role manyply_reader.)"},
      {kNames, flags::kDatabase, flags::kReportFormat}, run_status);
}

Command campaign_stop_command() {
  return make_command<SteeringOptions>(
      {.name = "campaign stop",
       .summary = "Stop a campaign: its workers end, nothing is lost",
       .about = "Workers learn of it when they bring their next batch. Needs manyply_owner."},
      {flags::kCampaignName, flags::kDatabase}, run_stop);
}

Command campaign_continue_command() {
  return make_command<SteeringOptions>(
      {.name = "campaign continue",
       .summary = "Let a campaign that was stopped go on",
       .about = "Workers are started by whoever starts workers. Needs manyply_owner."},
      {flags::kCampaignName, flags::kDatabase}, run_continue);
}

Command campaign_drop_command() {
  return make_command<DropOptions>({.name = "campaign drop",
                                    .summary = "Forget a campaign, and all that was counted for it",
                                    .about = "Needs manyply_owner."},
                                   {flags::kCampaignName, kYes, flags::kDatabase}, run_drop);
}

}  // namespace manyply

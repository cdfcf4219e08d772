// The commands `perft campaign watch`, `workers`, `explain` and `result`.

#include <fmt/format.h>

#include <chrono>

#include "core/base/stopped_within.h"
#include "core/known_values.h"
#include "tools/campaign/campaign_commands.h"
#include "tools/campaign/campaign_format.h"
#include "tools/campaign/campaign_store.h"
#include "tools/campaign/dispute_explanation.h"
#include "tools/cli/framework/shared_flags.h"

namespace manyply {
namespace {

struct WatchOptions : NameOptions, Showing, DatabaseOptions {
  std::uint64_t every_seconds = 5;
};

/// Prints a line after each change while the campaign runs, and its full status at the end. If the
/// database becomes unavailable, waits. If the database was never available, fails.
int run_watch(const WatchOptions& options, Io& io) {
  CampaignStore store(options.database);
  std::string last;
  bool is_away = false;
  for (bool first = true;; first = false) {
    const std::chrono::seconds pause(first ? 0 : options.every_seconds);
    if (stopped_within(pause, io.stop)) return fail(io, cancelled());
    const Result<CampaignStatus> status = store.status(options.name, io.stop);
    if (!status) {
      // If the database has answered before, it will probably become available again.
      if (status.error().code != ErrorCode::kUnavailable || last.empty())
        return fail(io, status.error());
      if (!is_away) io.err << "perft: " << status.error().to_string() << "; trying again\n";
      is_away = true;
      continue;
    }
    is_away = false;
    if (status->campaign.state == CampaignState::kRunning) {
      const std::string line = watched_output(*status, options.format);
      if (line != last) io.out << line << std::flush;
      last = line;
      continue;
    }
    const auto disputes = store.disputes(options.name, io.stop);
    if (!disputes) return fail(io, disputes.error());
    io.out << status_output(*status, *disputes, options.format);
    return status->campaign.state == CampaignState::kDisputed ? kExitMismatch : kExitOk;
  }
}

struct WorkersOptions : NameOptions, Showing, DatabaseOptions {
  std::optional<std::uint64_t> suspect;
  bool yes = false;
};

/// Lists the workers. With --suspect, shows one worker instead. With --yes, also withdraws all
/// counts of this worker.
int run_workers(const WorkersOptions& options, Io& io) {
  if (options.yes && !options.suspect) return fail(io, bad_input("--yes", "requires --suspect ID"));
  CampaignStore store(options.database);
  const Result<std::vector<CampaignWorker>> workers = store.workers(options.name, io.stop);
  if (!workers) return fail(io, workers.error());
  if (!options.suspect) {
    io.out << workers_output(*workers, options.format);
    return kExitOk;
  }
  const auto id = static_cast<std::int64_t>(*options.suspect);
  const auto at = std::ranges::find(*workers, id, &CampaignWorker::id);
  if (at == workers->end())
    return fail(io, bad_input("--suspect", fmt::format("'{}' has no worker {}", options.name, id)));
  const Result<Campaign> campaign = store.find(options.name, io.stop);
  if (!campaign) return fail(io, campaign.error());
  const auto parts = store.counted(*campaign, id, io.stop);
  if (!parts) return fail(io, parts.error());
  std::optional<std::int64_t> withdrawn;
  if (options.yes) {
    const auto gone = store.withdraw_worker(*campaign, id, "it is under suspicion", io.stop);
    if (!gone) return fail(io, gone.error());
    withdrawn = *gone;
  }
  io.out << suspect_output(*at, *parts, withdrawn, options.format);
  return kExitOk;
}

struct ExplainOptions : NameOptions, CountOptions, Showing, DatabaseOptions {
  bool recount = false;
  bool resolve = false;
};

/// Explains all disputes and damage. Returns exit code 1 if counts of wrong workers, or damaged
/// counts, were found but not withdrawn.
int run_explain(const ExplainOptions& options, Io& io) {
  CampaignStore store(options.database);
  const Result<Campaign> campaign = store.find(options.name, io.stop);
  if (!campaign) return fail(io, campaign.error());
  const Result<CampaignExplanation> found = explain_campaign(store, *campaign, options, io.stop);
  if (!found) return fail(io, found.error());

  std::int64_t withdrawn = 0;
  bool is_settled = true;
  const auto put_aside = [&](bool wanted, const auto& withdraw) -> std::optional<Error> {
    if (!wanted) return is_settled = false, std::nullopt;
    const Result<std::int64_t> gone = withdraw();
    if (!gone) return gone.error();
    withdrawn += *gone;
    return std::nullopt;
  };
  for (const CampaignWorker& wrong : found->wrong) {
    const auto error = put_aside(options.resolve, [&] {
      return store.withdraw_worker(*campaign, wrong.id, "it has counted wrongly before", io.stop);
    });
    if (error) return fail(io, *error);
  }
  for (const DamagedPart& part : found->damaged) {
    const auto error =
        put_aside(options.recount, [&] { return store.withdraw_part(*campaign, part, io.stop); });
    if (error) return fail(io, *error);
  }
  const Result<Campaign> then = store.find(options.name, io.stop);
  if (!then) return fail(io, then.error());
  io.out << explained_output(*then, *found, withdrawn, options.format);
  return is_settled ? kExitOk : kExitMismatch;
}

constexpr Flag<WatchOptions> kEvery{"--every", "SECONDS", "time between two queries (default: 5)",
                                    [](WatchOptions& options, const std::string& text) {
                                      return store(parse_number(text, 1, 86'400),
                                                   options.every_seconds, "--every");
                                    }};

constexpr std::array<Flag<WorkersOptions>, 2> kSuspecting{{
    {"--suspect", "ID", "list the parts that this worker has counted",
     [](WorkersOptions& options, const std::string& text) {
       return store(parse_number(text, 1, INT64_MAX), options.suspect, "--suspect");
     }},
    {"--yes", nullptr, "set all counts of that worker aside, and give it no more parts",
     [](WorkersOptions& options, const std::string&) { return options.yes = true, accepted(); }},
}};

constexpr std::array<Flag<ExplainOptions>, 2> kExplaining{{
    {"--recount", nullptr,
     "let workers count parts again if their counts were damaged in the database",
     [](ExplainOptions& options, const std::string&) {
       return options.recount = true, accepted();
     }},
    {"--resolve", nullptr,
     "set all counts of wrong workers aside, and give these workers no more parts",
     [](ExplainOptions& options, const std::string&) {
       return options.resolve = true, accepted();
     }},
}};

struct ResultOptions : NameOptions, Showing, DatabaseOptions {};

int run_result(const ResultOptions& options, Io& io) {
  CampaignStore store(options.database);
  const Result<Campaign> campaign = store.find(options.name, io.stop);
  if (!campaign) return fail(io, campaign.error());
  if (campaign->state == CampaignState::kDisputed) {
    io.err << "perft: '" << options.name << "' is disputed; 'perft campaign explain "
           << options.name << "' finds the worker that was wrong\n";
    return kExitMismatch;
  }
  if (campaign->state != CampaignState::kDone)
    return fail(io, campaign_refusal("'" + options.name + "' is not done but " +
                                     std::string(to_string(campaign->state))));
  const Result<NamedPosition> root = parse_position(campaign->fen);
  if (!root) return fail(io, root.error());
  const Result<CampaignResult> result = store.result(options.name, io.stop);
  if (!result) {
    const int code = fail(io, result.error());
    // kInternal means that the command has found inconsistent data. The exit code is then that of a
    // failed verification.
    return result.error().code == ErrorCode::kInternal ? static_cast<int>(kExitMismatch) : code;
  }
  io.out << result_output(*result, root->position, options.format);
  const auto known = known_value(root->position, campaign->depth);
  return compare_with_known(known, result->sum.nodes) == KnownVerdict::kMismatch ? kExitMismatch
                                                                                 : kExitOk;
}

}  // namespace

Command campaign_watch_command() {
  return make_command<WatchOptions>(
      {.name = "campaign watch",
       .summary = "Show the progress of a campaign until it ends",
       .about = R"(
Prints a line after each change, and at the end the output of 'perft campaign status'. While the
database is unavailable, this command waits. Exit code: 0 when the campaign is done or stopped, 1 if it is
disputed, 2 on an error, 130 on Ctrl-C. Needs the role manyply_reader.)"},
      {flags::kCampaignName, kEvery, flags::kDatabase, flags::kReportFormat}, run_watch);
}

Command campaign_workers_command() {
  return make_command<WorkersOptions>(
      {.name = "campaign workers",
       .summary = "List the workers of a campaign, or set aside the counts of one worker",
       .about = R"(
With --suspect, lists the parts that one worker has counted. With --suspect and --yes, sets these
counts aside, so that other workers count the parts again. Needs the role manyply_reader; --yes
needs manyply_owner.)",
       .examples = R"(
perft campaign workers eleven
perft campaign workers eleven --suspect 7 --yes)"},
      {flags::kCampaignName, kSuspecting, flags::kDatabase, flags::kReportFormat}, run_workers);
}

Command campaign_explain_command() {
  using namespace flags;
  return make_command<ExplainOptions>(
      {.name = "campaign explain",
       .summary = "Find out which worker was wrong if workers disagree",
       .about = R"(
Counts each disputed part again on this machine, and lists the workers that were wrong. This takes
as long as the counts of a worker. Also lists counts that were changed in the database. --resolve
and --recount set wrong counts aside, so that other workers count the parts again. The campaign
continues when no part is disputed. Exit code: 0 if nothing is wrong or all wrong counts were set
aside, 1 if something is wrong, 2 on an error. Needs the role manyply_reader; --recount and
--resolve need manyply_owner.)",
       .examples = R"(
perft campaign explain eleven
perft campaign explain eleven --resolve)"},
      {kCampaignName, kExplaining, kMemory, kThreads, kKernel, kDatabase, kReportFormat},
      run_explain);
}

Command campaign_result_command() {
  using namespace flags;
  return make_command<ResultOptions>({.name = "campaign result",
                                      .summary = "Print the total of a campaign that is done",
                                      .about = R"(
Reads every count, checks that each part is stored once and unchanged, and adds up the counts. The
sum that the database computes must be equal. Exit code: 0, 1 if the total differs from the published
value, if two workers disagreed or if stored counts were damaged, 2 if the campaign is not done.
Needs the role manyply_reader.)"},
                                     {kCampaignName, kDatabase, kReportFormat}, run_result);
}

}  // namespace manyply

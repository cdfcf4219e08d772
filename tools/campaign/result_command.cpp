#include "core/known_values.h"
#include "tools/campaign/campaign_commands.h"
#include "tools/campaign/campaign_flags.h"
#include "tools/campaign/campaign_format.h"
#include "tools/campaign/campaign_plan.h"
#include "tools/campaign/campaign_store.h"
#include "tools/cli/framework/flags.h"

namespace manyply {
namespace {

struct ResultOptions : NameOptions, Limits, Showing, DatabaseOptions {
  bool divide = false;
};

int run_result(const ResultOptions& options, Io& io) {
  CampaignStore store(options.database);
  const Result<Campaign> campaign = store.find(options.name, io.stop);
  if (!campaign) return fail(io, campaign.error());
  if (options.divide && campaign->deep()) {
    return fail(io, bad_input("--divide", "'" + options.name +
                                              "' was made with --deep: its units do not know their "
                                              "root moves, and there is a total alone"));
  }
  if (campaign->state == CampaignState::kDisputed) {
    io.err << "perft: '" << options.name << "' is disputed; 'perft campaign explain "
           << options.name << "' tells more\n";
    return kExitMismatch;
  }
  if (campaign->state != CampaignState::kDone)
    return fail(io, campaign_refusal("'" + options.name + "' is not done but " +
                                     std::string(to_string(campaign->state))));
  // Split again: result() multiplies every count by the paths to its unit and adds them up.
  const Result<CampaignPlan> plan = plan_of(*campaign, options, io.stop);
  if (!plan) return fail(io, plan.error());
  const Result<CampaignResult> result = store.result(options.name, plan->units, io.stop);
  if (!result) {
    const int code = fail(io, result.error());
    // kInternal means that the stored data are inconsistent; the call itself succeeded.
    return result.error().code == ErrorCode::kInternal ? static_cast<int>(kExitMismatch) : code;
  }
  io.out << result_output(*result, plan->root.position, options.divide, options.format);
  const auto known = known_value(plan->root.position, campaign->depth);
  return compare_with_known(known, result->nodes) == KnownVerdict::kMismatch ? kExitMismatch
                                                                             : kExitOk;
}

constexpr Flag<ResultOptions> kResultDivide{
    "--divide", nullptr, "show the count behind each root move",
    [](ResultOptions& options, const std::string&) { return options.divide = true, accepted(); }};

}  // namespace

Command campaign_result_command() {
  using namespace flags;
  return make_command<ResultOptions>(
      {.name = "campaign result",
       .summary = "Print the total of a campaign that is done",
       .about = R"(
Reads every count, looks whether each unit is there once and each batch is what its worker sent, and
adds all up again; the database's own sum must agree. Exit code: 0, 1 if the total is not the
published one, if two workers disagreed or if what is stored has been damaged, 2 if the campaign is
not done. Needs the role manyply_reader.)"},
      {kCampaignName, kResultDivide, kThreads, kKernel, kDatabase, kReportFormat}, run_result);
}

}  // namespace manyply

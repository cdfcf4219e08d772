#include <unistd.h>

#include <array>
#include <string>

#include "tools/campaign/campaign_commands.h"
#include "tools/campaign/campaign_flags.h"
#include "tools/campaign/campaign_format.h"
#include "tools/campaign/worker.h"
#include "tools/cli/framework/flags.h"

namespace manyply {
namespace {

struct WorkOptions : NameOptions, Limits, Showing, DatabaseOptions {
  std::string label;
};

/// Returns the machine's name for display; "unknown" if the system does not tell it.
std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

int run_work(const WorkOptions& options, Io& io) {
  const WorkSpec spec{.campaign = options.name,
                      .database = options.database,
                      .limits = options,
                      .host = host_name(),
                      .label = options.label,
                      .version = MANYPLY_VERSION};
  Progress progress;
  WorkStart started;
  started.campaign.name = options.name;
  Result<WorkEnd> end = cancelled();
  {
    const ProgressDisplay display(progress, options.progress, io, "");
    end = work(spec, io.stop, progress, [&](const WorkStart& start) {
      started = start;
      if (options.format == Format::kText) io.out << started_text(start) << std::flush;
    });
  }
  if (!end) return fail(io, end.error());
  io.out << ended_output(started, *end, options.format);
  if (end->state != CampaignState::kDisputed) return kExitOk;
  io.err << "perft: '" << options.name << "' is disputed; 'perft campaign explain " << options.name
         << "' tells more\n";
  return kExitMismatch;
}

constexpr Flag<WorkOptions> kLabel{
    "--label", "TEXT", "what this worker is called beside its number and its host",
    [](WorkOptions& options, const std::string& text) { return options.label = text, accepted(); }};

}  // namespace

Command campaign_work_command() {
  using namespace flags;
  return make_command<WorkOptions>(
      {.name = "campaign work",
       .summary = "Take part in a campaign: count ranges until it is done",
       .about = R"(
Any number of these, on any number of machines. Ctrl-C and SIGTERM hand back what is not finished; a
worker that is killed is missed when its lease is over. While the database is away it counts on, and
waits. Keys are new ones each time unless --key-seed says otherwise. Exit code: 0 when the campaign
is done or stopped, 1 if it is disputed, 2 on an error, 130 if it was told to go. Needs the role
manyply_worker.)",
       .examples = R"(
perft campaign work eleven
perft campaign work eleven --threads 8 --hash 16G --label night)",
       .needs = {.ends_on_sigterm = true, .outlives_readers = true}},
      {kCampaignName, kLabel, kCounting, kPlacement, kDatabase, kReportFormat, kProgress},
      run_work);
}

}  // namespace manyply

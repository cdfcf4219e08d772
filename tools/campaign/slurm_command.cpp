#include <filesystem>
#include <string>
#include <string_view>

#include "tools/campaign/campaign_commands.h"
#include "tools/campaign/campaign_flags.h"
#include "tools/campaign/campaign_store.h"
#include "tools/campaign/schema.h"
#include "tools/cli/framework/flags.h"
#include "tools/cli/framework/printable.h"

namespace manyply {
namespace {

struct SlurmOptions : NameOptions, DatabaseOptions {};

/// Replaces the first `place` in the script. Precondition: it occurs.
void fill_in(std::string& script, std::string_view place, const std::string& text) {
  script.replace(script.find(place), place.size(), text);
}

int run_slurm(const SlurmOptions& options, Io& io) {
  CampaignStore store(options.database);
  const Result<Campaign> campaign = store.find(options.name, io.stop);
  if (!campaign) return fail(io, campaign.error());
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return fail(io, bad_input("/proc/self/exe", "does not tell where this program is"));

  std::string work = for_shell(self.native()) + " campaign work " + options.name;
  if (!options.database.conninfo.empty())
    work += " --database " + for_shell(options.database.conninfo);
  if (options.database.insecure) work += " --insecure";
  std::string script(slurm_script());
  fill_in(script, "%NAME%", options.name);
  fill_in(script, "%WORK%", work);
  io.out << script;
  return kExitOk;
}

}  // namespace

Command campaign_slurm_command() {
  return make_command<SlurmOptions>(
      {.name = "campaign slurm",
       .summary = "Print a script that takes part, for Slurm's sbatch",
       .about = R"(
One worker on a node, with all of the node's processors and memory. It calls this perft, which must be
there on each node; the database is found by the environment, which sbatch passes on, or by the
--database given here. Options of 'perft campaign work' may follow the script's name. A worker that
is killed is started again, one that is told to go hands back what it has not finished. Needs the
role manyply_worker.)",
       .examples = R"(
perft campaign slurm eleven > eleven.sbatch
sbatch --array=1-100 eleven.sbatch --hash 64G)"},
      {flags::kCampaignName, flags::kDatabase}, run_slurm);
}

}  // namespace manyply

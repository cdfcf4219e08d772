#include "parallel/estimate.h"
#include "tools/cli/commands.h"
#include "tools/cli/estimate_format.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/progress_display.h"

namespace manyply {

int run_estimate(const Options& options, Io& io) {
  const Result<Root> root = root_of(options);
  if (!root) return fail(io, root.error());
  const EstimateSpec spec{.root = root->named,
                          .depth = options.depth,
                          .samples = options.samples,
                          .seed = options.seed,
                          .threads = options.threads,
                          .kernel = options.kernel};
  const Result<EstimateReport> report = [&] {
    Progress progress;
    const ProgressDisplay display(progress, options.progress, io, "");
    return estimate_nodes(spec, io.stop, &progress);
  }();
  if (!report) return fail(io, report.error());
  io.out << format_estimate({*report, *root, options.depth, options.seed}, options.format);
  return kExitOk;
}

}  // namespace manyply

#include "parallel/statistics_job.h"
#include "tools/cli/command.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/progress_display.h"
#include "tools/cli/report_format.h"
#include "tools/cli/stats_format.h"

namespace manyply {

int run_stats(const Options& options, Io& io) {
  const Result<Root> root = root_of(options);
  if (!root) return fail(io, root.error());
  const Result<JobSpec> job = make_job(options, root->named, options.depth);
  if (!job) return fail(io, job.error());
  if (options.kernel != nullptr &&
      statistics_kernel_for(*options.kernel).name != job->kernel->name) {
    return fail(io, bad_input("--kernel", "statistics are not counted by '" +
                                              std::string(options.kernel->name) +
                                              "'; without --kernel they take the best they have"));
  }
  const Result<StatisticsReport> report = [&] {
    Progress progress;
    JobCheckpoint checkpoint(options, io);
    const ProgressDisplay display(progress, options.progress, io, "");
    StatisticsSpec spec{.root = job->root,
                        .depth = job->depth,
                        .threads = job->threads,
                        .kernel = job->kernel,
                        .store = checkpoint.store(),
                        .placement = job->placement};
    if (job->hash) spec.hash = StatisticsHash{job->hash->bytes, job->hash->keys};
    Result<StatisticsReport> counted = run_statistics(spec, io.stop, &progress);
    if (!counted) checkpoint.note(counted.error());
    return counted;
  }();
  if (!report) return fail(io, report.error());
  io.out << format_statistics({*report, *root, options.depth, options.divide}, options.format);
  if (report->table_bytes == 0) note_unused_table(options, io);
  if (report->known != KnownVerdict::kMismatch) return kExitOk;
  io.err << "perft: depth " << options.depth.plies() << ": the nodes are no "
         << known_text(report->known, report->known_nodes) << '\n';
  return kExitMismatch;
}

}  // namespace manyply

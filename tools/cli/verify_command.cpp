#include <memory>

#include "parallel/verify.h"
#include "tools/cli/command.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/progress_display.h"
#include "tools/cli/verify_format.h"

namespace manyply {
namespace {

/// One progress line after the other, named by phase.
class PhaseDisplay {
 public:
  PhaseDisplay(ProgressMode mode, Io& io) : mode_(mode), io_(io) {}

  Progress* start(std::string_view phase) {
    display_.reset();
    progress_ = std::make_unique<Progress>();
    display_.emplace(*progress_, mode_, io_, std::string(phase) + "  ");
    return progress_.get();
  }

 private:
  ProgressMode mode_;
  Io& io_;
  std::unique_ptr<Progress> progress_;
  std::optional<ProgressDisplay> display_;  // reads progress_
};

}  // namespace

int run_verify(const Options& options, Io& io) {
  const Result<Root> root = root_of(options);
  if (!root) return fail(io, root.error());
  const Result<JobSpec> job = make_job(options, root->named, options.depth);
  if (!job) return fail(io, job.error());
  if (!job->hash)
    return fail(io, {ErrorCode::kInvalidInput, "--hash", 0, "verify is about the table"});
  if (options.sample_seed && !options.verify.sample)
    return fail(io, bad_input("--sample-seed", "without --sample nothing is chosen"));
  VerifyOptions how = options.verify;
  how.sample_seed = options.sample_seed.value_or(how.sample_seed);

  std::optional<PhaseDisplay> display(std::in_place, options.progress, io);
  const Result<VerifyReport> report =
      verify_job(*job, how, io.stop, [&](std::string_view phase) { return display->start(phase); });
  display.reset();
  if (!report) return fail(io, report.error());

  io.out << format_verify_report(*report, *root, options.depth, options.format);
  if (!report->runs.front().report.hash) note_unused_table(options, io);
  return report->agrees() ? kExitOk : kExitMismatch;
}

}  // namespace manyply

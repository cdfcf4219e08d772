#include <memory>

#include "parallel/verify.h"
#include "tools/cli/commands.h"
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

  std::optional<PhaseDisplay> display(std::in_place, options.progress, io);
  const Result<VerifyReport> report = verify_job(
      *job, options.verify, io.stop, [&](std::string_view phase) { return display->start(phase); });
  display.reset();
  if (!report) return fail(io, report.error());

  io.out << format_verify_report(*report, *root, options.depth, options.format);
  return report->agrees() ? kExitOk : kExitMismatch;
}

}  // namespace manyply

#include "tools/client/client_commands.h"
#include "tools/client/watching.h"

namespace manyply {
namespace {

struct CancelOptions : ServerOptions, JobName, Showing {};

int run_cancel(const CancelOptions& options, Io& io) {
  return ask_server(options, io, [&](ServerClient& server) {
    const auto known = server.job(options.job);
    if (!known) return fail(io, known.error());
    const auto job = server.ask_job({.method = "DELETE", .path = known->place()});
    if (!job) return fail(io, job.error());
    const std::string state = job->state();
    if (options.format == Format::kJson) {
      io.out << job->json();
    } else if (state == "done" || state == "failed") {
      io.out << "job " << options.job << " had already ended: " << state << '\n';
    } else {
      io.out << "job " << options.job << " is cancelled\n";
    }
    return static_cast<int>(kExitOk);
  });
}

}  // namespace

Command cancel_command() {
  using namespace flags;
  return make_command<CancelOptions>(
      {.name = "cancel",
       .summary = "Cancel a job of a server",
       .about = "A finished job stays as it is. Exit code: 0, 2 if the job does not exist.",
       .examples = "perft cancel 12",
       .needs = {.outlives_readers = true}},
      {kJob, kServerFlags, kReportFormat}, run_cancel);
}

}  // namespace manyply

#include "tools/client/client_commands.h"
#include "tools/client/watching.h"

namespace manyply {
namespace {

struct WatchOptions : ServerOptions, JobName, JobShowing {};

int run_watch(const WatchOptions& options, Io& io) {
  return ask_server(options, io, [&](ServerClient& server) {
    const auto job = server.job(options.job);
    return job ? watch_job(server, *job, options) : fail(io, job.error());
  });
}

}  // namespace

Command watch_command() {
  using namespace flags;
  return make_command<WatchOptions>({.name = "watch",
                                     .summary = "Wait for a server's job, and print its result",
                                     .about = R"(
Shows the job's progress until it ends; reconnects after lost connections. Exit code: 0, 1 if the
total differs from the published one, 2 if the job failed, 130 if it was cancelled or on Ctrl-C,
which ends the watching but not the job.)",
                                     .examples = "perft watch 12"},
                                    {kJob, kShowDivide, kServerFlags, kFormat, kProgress},
                                    run_watch);
}

}  // namespace manyply

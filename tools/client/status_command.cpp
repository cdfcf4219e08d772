#include "tools/client/client_commands.h"
#include "tools/client/watching.h"

namespace manyply {
namespace {

struct StatusOptions : ServerOptions, JobShowing {
  std::vector<std::string> jobs;  ///< ids; if empty, the newest jobs are listed
};

int show_newest(ServerClient& server, Format format) {
  Io& io = server.io();
  if (format != Format::kText && format != Format::kJson)
    return fail(io, bad_input("--format", "only text and json are supported for a list of jobs"));
  const Result<std::string> page = server.ask({.path = "/v1/jobs?limit=20"});
  if (!page) return fail(io, page.error());
  const std::optional<std::string> list = told_list(*page, format);
  if (!list) return fail(io, server.no_sense());
  io.out << *list;
  return kExitOk;
}

int run_status(const StatusOptions& options, Io& io) {
  if (options.divide && options.jobs.empty())
    return fail(io, bad_input("--divide", "a list of jobs has no divides; name a job"));
  return ask_server(options, io, [&](ServerClient& server) {
    if (options.jobs.empty()) return show_newest(server, options.format);
    int exit_code = kExitOk;
    for (const std::string& id : options.jobs) {
      const Result<ToldJob> job = server.job(id);
      const int code = job ? show_job(server, *job, options) : fail(io, job.error());
      if (exit_code == kExitOk) exit_code = code;
    }
    return exit_code;
  });
}

constexpr Flag<StatusOptions> kJobs{"JOBS", nullptr, "numbers of jobs (default: the newest 20)",
                                    [](StatusOptions& options, const std::string& text) {
                                      return take_job(options.jobs.emplace_back(), text);
                                    }};

}  // namespace

Command status_command() {
  using namespace flags;
  return make_command<StatusOptions>({.name = "status",
                                      .summary = "Show jobs of a server",
                                      .about = R"(
A finished job is printed as 'perft count', 'verify', 'stats', 'estimate' or 'unique' would print
it. Exit code: 0, 1 if a total differs from the published one, 2 if a job failed or does not exist,
130 if it was cancelled.)",
                                      .examples = R"(
perft status
perft status 12 --format csv)"},
                                     {kJobs, kShowDivide, kServerFlags, kFormat}, run_status);
}

}  // namespace manyply

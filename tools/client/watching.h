// Shows a job's outcome or waits for it.
#pragma once

#include <functional>
#include <string_view>

#include "tools/cli/framework/flags.h"
#include "tools/client/server_client.h"

namespace manyply {

/// How to print a job.
struct JobShowing : Showing {
  bool divide = false;  ///< print the divide as text, even if the job was submitted without it
};
extern const Flag<JobShowing> kShowDivide;  ///< --divide

/// Prints the current state of a job; returns an exit code that reflects it.
int show_job(ServerClient& server, const ToldJob& job, const JobShowing& showing);

/// Does the same for a batch; `form` is "text", "json" or "junit".
int show_batch(ServerClient& server, const ToldJob& batch, std::string_view form);

/// Wait until the job has ended, through lost connections and restarts of the server, and show it
/// (the second one through `show`). Ctrl-C ends the waiting, but not the job.
int watch_job(ServerClient& server, const ToldJob& job, const JobShowing& showing);
int watch_job(ServerClient& server, const ToldJob& job, ProgressMode progress,
              const std::function<int(const ToldJob& ended)>& show);

}  // namespace manyply

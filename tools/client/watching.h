// What came of a job, or comes of it meanwhile.
#pragma once

#include <functional>
#include <string_view>

#include "tools/cli/framework/flags.h"
#include "tools/client/server_client.h"

namespace manyply {

struct JobShowing : Showing {
  bool divide = false;  ///< in text, whether or not the job was sent so
};
extern const Flag<JobShowing> kShowDivide;  ///< --divide

/// Prints a job as far as it has come. The exit code says what came of it.
int show_job(ServerClient& server, const ToldJob& job, const JobShowing& showing);

/// The same of a batch; `form` is "text", "json" or "junit".
int show_batch(ServerClient& server, const ToldJob& batch, std::string_view form);

/// Waits until the job has ended, through lost connections and restarts of the server, and shows
/// it, as `show` does in the second one. On Ctrl-C the watching ends, and not the job.
int watch_job(ServerClient& server, const ToldJob& job, const JobShowing& showing);
int watch_job(ServerClient& server, const ToldJob& job, ProgressMode progress,
              const std::function<int(const ToldJob& ended)>& show);

}  // namespace manyply

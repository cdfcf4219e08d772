// What came of a job, or comes of it meanwhile.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>

#include "tools/client/asker.h"
#include "tools/command/flags.h"

namespace manyply {

struct JobShowing : Showing {
  bool divide = false;  ///< in text, whether or not the job was sent so
};
extern const Flag<JobShowing> kShowDivide;  ///< --divide

/// Prints a job as far as it has come. The exit code says what came of it.
int show_job(Asker& asker, const nlohmann::ordered_json& job, const JobShowing& showing);

/// Waits until the job has ended, through lost connections and restarts of the server, and shows
/// it. On Ctrl-C the watching ends, and not the job.
int watch_job(Asker& asker, const std::string& id, const JobShowing& showing);

/// For `time`, or until a stop is requested.
void wait(std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace manyply

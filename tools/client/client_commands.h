// submit, status, watch, cancel: the commands that ask a server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/command/command.h"

namespace manyply {

[[nodiscard]] std::vector<Command> client_commands();

/// What `perft count`, `verify`, `stats` or `estimate` would have printed: the text of a job that
/// is done. `job` is what the server tells of it, `report` included.
Result<std::string> finished_job_text(std::string_view job, bool with_divide);

}  // namespace manyply

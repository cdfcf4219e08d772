// `perft serve`: runs the server, from parsing its options to shutdown.
#pragma once

#include <string>

#include "tools/cli/framework/command.h"
#include "tools/report/campaign_view.h"

namespace manyply {

struct RequestRecord;  // http_server.h

/// Returns the command. `campaigns` opens the database of --campaigns. The function `campaigns` may
/// be null only if the command is never run with --campaigns.
[[nodiscard]] Command serve_command(OpenCampaigns campaigns = {});

/// Formats one access log line: method, path, status, size of the body, duration, client, and
/// request id, such as "GET /v1/jobs 200 1234 B 0.8 ms 127.0.0.1 5f3a9c21-42". Leaves out the
/// query, which may contain secrets, and escapes characters that terminals or log parsers could
/// misread.
[[nodiscard]] std::string access_line(const RequestRecord& record);

}  // namespace manyply

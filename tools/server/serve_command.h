// `perft serve`: runs the server, from parsing its options to shutdown.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "tools/cli/framework/command.h"
#include "tools/report/campaign_view.h"

namespace manyply {

struct RequestRecord;  // http_server.h

/// Returns the command. `campaigns` opens the database of --campaigns. It may be null only if the
/// command is never run with this flag.
[[nodiscard]] Command serve_command(OpenCampaigns campaigns = {});

/// Returns the default state directory of this user: $XDG_STATE_HOME/manyply, or
/// $HOME/.local/state/manyply if XDG_STATE_HOME is not an absolute path. Fails if neither
/// XDG_STATE_HOME nor HOME is an absolute path.
Result<std::filesystem::path> default_state_directory();

// The server's log on standard error: one line per request, and messages about the server itself.

/// Formats one access log line: method, path, status, size of the body, duration, client, and
/// request id, such as "GET /v1/jobs 200 1234 B 0.8 ms 127.0.0.1 5f3a9c21-42". Leaves out the
/// query, which may contain secrets, and escapes characters that terminals or log parsers could
/// misread.
[[nodiscard]] std::string access_line(const RequestRecord& record);

/// Writes lines to standard error. Each line starts with the time in UTC. Thread safety: all
/// functions may be called from any thread. They never block: lines wait in memory for a slow
/// reader of standard error. If kMaxWaitingLines lines wait, a new line replaces the oldest.
class ServerLog {
 public:
  static constexpr std::size_t kMaxWaitingLines = 8192;

  ServerLog();
  ~ServerLog();  ///< blocks until all lines are written
  ServerLog(const ServerLog&) = delete;
  ServerLog& operator=(const ServerLog&) = delete;

  /// Queues one line.
  void say(std::string_view line);
  /// Queues the access log line of a request.
  void request(const RequestRecord& record) { say(access_line(record)); }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace manyply

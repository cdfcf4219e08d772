// The server's log on standard error: one line per request, and messages about the server itself.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tools/server/http/http_server.h"

namespace manyply {

/// Formats one access log line, "GET /v1/jobs 200 1234 B 0.8 ms 127.0.0.1 5f3a9c21-42". Leaves out
/// the query, which may contain secrets, and escapes characters that terminals or log parsers could
/// misread.
[[nodiscard]] std::string access_line(const RequestRecord& record);

/// Writes lines to standard error, each after the time in UTC. Thread safety: all functions may be
/// called from any thread. They never block: if the reader of standard error is too slow, the
/// oldest of kMaxWaitingLines waiting lines are dropped.
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

// What the server says on standard error: its access log, and what happens to itself.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tools/server/http/http_server.h"

namespace manyply {

/// "GET /v1/jobs 200 1234 B 0.8 ms 127.0.0.1 5f3a9c21-42": no queries, which may hold secrets, and
/// nothing that a terminal or a reader of lines would take for something else.
[[nodiscard]] std::string access_line(const RequestRecord& record);

/// Lines with the time (UTC) before them. Thread safety: everything from any thread. Waits for
/// nothing: if nobody reads standard error, the oldest of kMaxWaitingLines lines are dropped.
class ServerLog {
 public:
  static constexpr std::size_t kMaxWaitingLines = 8192;

  ServerLog();
  ~ServerLog();  ///< waits until everything is written
  ServerLog(const ServerLog&) = delete;
  ServerLog& operator=(const ServerLog&) = delete;

  void say(std::string_view line);
  void request(const RequestRecord& record) { say(access_line(record)); }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace manyply

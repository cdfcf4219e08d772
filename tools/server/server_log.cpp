#include "tools/server/server_log.h"

#include <fmt/format.h>
#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <cctype>

namespace manyply {
namespace {

constexpr std::size_t kMaxShown = 200;  // longest shown method or path, in characters

std::string shown(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, kMaxShown)) {
    if (std::isgraph(static_cast<unsigned char>(c)) != 0 && c != '\\') {
      line += c;
    } else {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (text.size() > kMaxShown) line += "...";
  return line.empty() ? "-" : line;
}

}  // namespace

std::string access_line(const RequestRecord& record) {
  const double ms = std::chrono::duration<double, std::milli>(record.taken).count();
  return fmt::format("{} {} {} {} B {:.1f} ms {} {}", shown(record.method), shown(record.path),
                     record.status, record.bytes, ms, shown(record.client), record.id);
}

struct ServerLog::Impl {
  std::shared_ptr<spdlog::details::thread_pool> writer =
      std::make_shared<spdlog::details::thread_pool>(kMaxWaitingLines, 1);
  std::shared_ptr<spdlog::async_logger> logger = std::make_shared<spdlog::async_logger>(
      "server", std::make_shared<spdlog::sinks::stderr_sink_mt>(), writer,
      spdlog::async_overflow_policy::overrun_oldest);
};

ServerLog::ServerLog() : impl_(std::make_unique<Impl>()) {
  impl_->logger->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      "%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc));
}

ServerLog::~ServerLog() = default;

void ServerLog::say(std::string_view line) {
  impl_->logger->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace manyply

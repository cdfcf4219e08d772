#include "tools/server/jobs/quota.h"

#include <string>
#include <utility>

#include "core/base/text.h"
#include "tools/server/jobs/job_board.h"
#include "tools/text/numbers.h"

namespace manyply {
namespace {

Error bad_quota(std::string why) { return {ErrorCode::kInvalidInput, "", 0, std::move(why)}; }

Refusal too_much(Refusal::Kind kind, const Client& client, const char* field, std::string why) {
  return {kind,
          {ErrorCode::kUnavailable, field, 0, "client '" + client.name + "': " + std::move(why)}};
}

}  // namespace

std::optional<Error> read_quota(std::string_view word, Quota& quota,
                                Result<std::uint64_t> (*parse_size)(std::string_view)) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const std::string value(equals == std::string_view::npos ? "" : word.substr(equals + 1));
  const auto bad = [&](const Error& error) {
    return bad_quota(quote(word) + ": " + error.message);
  };
  if (name == "queued") {
    const auto jobs = parse_number(value, 0, 1'000'000);
    if (!jobs) return bad(jobs.error());
    quota.queued = *jobs;
  } else if (name == "running") {
    // The running time that 64 jobs of one client use if they run all day.
    constexpr std::uint64_t kDay = std::uint64_t{86'400} * 64;
    const auto seconds = parse_number(value, 0, kDay);
    if (!seconds) return bad(seconds.error());
    quota.running = std::chrono::seconds(*seconds);
  } else if (name == "stored") {
    const auto bytes = parse_size(value);
    if (!bytes) return bad(bytes.error());
    quota.stored_bytes = *bytes;
  } else if (name == "scratch") {
    return bad_quota(quote(word) +
                     ": this quota was removed, because no job writes temporary files");
  } else {
    return bad_quota(quote(word) +
                     " is not a quota; expected queued=N, running=SECONDS or stored=SIZE");
  }
  return std::nullopt;
}

std::optional<Refusal> check_quota(JobBoard& board, const Client& client) {
  using Kind = Refusal::Kind;
  {
    const MutexLock lock(board.mutex);
    if (board.queued() >= board.options.limits.max_queued) {
      return Refusal{Kind::kQueueFull,
                     {ErrorCode::kUnavailable, "queue", 0,
                      "is full: " + std::to_string(board.options.limits.max_queued) +
                          " jobs are waiting; try again later"}};
    }
  }
  const Quota& quota = client.quota;
  if (quota.queued) {
    const MutexLock lock(board.mutex);
    if (board.queued_of(client.name) >= *quota.queued) {
      return too_much(Kind::kQueueFull, client, "queued",
                      "the limit of waiting jobs is reached: " + std::to_string(*quota.queued));
    }
  }
  if (!quota.running && !quota.stored_bytes) return std::nullopt;
  const auto usage = board.usage_of(client.name);
  if (!usage) return board.storage_refusal(usage.error());
  if (quota.running && usage->ran >= *quota.running) {
    return too_much(Kind::kQueueFull, client, "running",
                    "the limit of running time is reached: " +
                        std::to_string(quota.running->count()) + " s in 24 hours; try again later");
  }
  if (quota.stored_bytes && usage->stored_bytes >= *quota.stored_bytes) {
    return too_much(Kind::kNoRoom, client, "stored",
                    "stored results use " + std::to_string(usage->stored_bytes) +
                        " bytes; the limit is " + std::to_string(*quota.stored_bytes) +
                        "; remove finished jobs");
  }
  return std::nullopt;
}

}  // namespace manyply

// Limits on the jobs that clients submit: the quota of each client, and the length of the queue.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/result.h"

namespace manyply {

struct Client;
struct JobBoard;
struct Refusal;

/// Limits for one client. An absent limit means that only the limits of the whole server apply.
struct Quota {
  std::optional<std::size_t> queued = {};  ///< waiting jobs at any time
  /// Total running time of the client's jobs in any 24 hours.
  std::optional<std::chrono::seconds> running = {};
  std::optional<std::uint64_t> stored_bytes = {};  ///< size of results and requests
};

/// Reads "queued=N", "running=SECONDS" or "stored=SIZE" from a token file into `quota`.
/// `parse_size` parses SIZE. The error has no field.
std::optional<Error> read_quota(std::string_view word, Quota& quota,
                                Result<std::uint64_t> (*parse_size)(std::string_view));

/// Returns nullopt if a new job of `client` may be queued. Returns a refusal if the queue is full,
/// the client's quota is used up, or the client's usage cannot be read. May block on disk I/O. The
/// caller must not let other jobs into the queue before it has queued the new job.
std::optional<Refusal> check_quota(JobBoard& board, const Client& client);

}  // namespace manyply

// On whose behalf jobs are asked for, and what that may take.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace manyply {

/// What a request needs, and what a client has. Each may do all that those before it may.
enum class Role : std::uint8_t {
  kNone,    ///< everybody who may ask at all
  kRead,    ///< look at jobs and results
  kSubmit,  ///< have something counted; cancel and remove one's own jobs
  kAdmin,   ///< everything, with everybody's jobs
};

/// What a client may take of the server; absent: as much as all others together.
struct Quota {
  std::optional<std::size_t> queued = {};  ///< jobs that wait at one time
  /// Of all its jobs together, in any 24 hours.
  std::optional<std::chrono::seconds> running = {};
  std::optional<std::uint64_t> stored_bytes = {};   ///< of results, and of what was asked
  std::optional<std::uint64_t> scratch_bytes = {};  ///< of what one job has on disk while it runs
};

/// On whose behalf something is asked.
struct Client {
  std::string name = {};  ///< of the token file; empty: without a name, or without a token
  Role role = Role::kNone;
  Quota quota = {};
  bool anonymous = false;  ///< has shown no token

  /// Everybody, where no token is asked for.
  [[nodiscard]] static Client anybody() { return {.role = Role::kAdmin, .anonymous = true}; }
  /// May it cancel or remove what `owner` submitted?
  [[nodiscard]] bool may_end_jobs_of(std::string_view owner) const {
    return role == Role::kAdmin || (role == Role::kSubmit && name == owner);
  }
};

}  // namespace manyply

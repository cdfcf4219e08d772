// The clients of the server: their roles and quotas.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace manyply {

/// The rights that a request requires and that a client has. Each role includes all rights of the
/// roles before it.
enum class Role : std::uint8_t {
  kNone,    ///< every client that is admitted
  kRead,    ///< see jobs and results
  kSubmit,  ///< submit jobs; cancel and remove jobs of the same client
  kAdmin,   ///< everything, with the jobs of all clients
};

/// Limits for one client. An absent limit means that only the limits of the whole server apply.
struct Quota {
  std::optional<std::size_t> queued = {};  ///< waiting jobs at any time
  /// Total running time of its jobs in any 24 hours.
  std::optional<std::chrono::seconds> running = {};
  std::optional<std::uint64_t> stored_bytes = {};   ///< of results and requests
  std::optional<std::uint64_t> scratch_bytes = {};  ///< temporary files of one running job
};

/// The client that a request acts for.
struct Client {
  std::string name = {};  ///< from the token file; empty if the client has no name or no token
  Role role = Role::kNone;
  Quota quota = {};
  bool anonymous = false;  ///< sent no token

  /// Returns the client for every request if the server has no access list.
  [[nodiscard]] static Client anybody() { return {.role = Role::kAdmin, .anonymous = true}; }
  /// Returns whether it may cancel or remove jobs that `owner` submitted.
  [[nodiscard]] bool may_end_jobs_of(std::string_view owner) const {
    return role == Role::kAdmin || (role == Role::kSubmit && name == owner);
  }
};

}  // namespace manyply

// Access control: tokens with roles and quotas, the guard in front of all routes, and refusals of
// the job manager as HTTP responses.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "tools/server/http/http_message.h"
#include "tools/server/jobs/job_manager.h"
#include "tools/server/jobs/job_types.h"

namespace manyply {

/// Returns the name of a role: "none", "read", "submit" or "admin". Token files do not use "none".
[[nodiscard]] std::string_view to_string(Role role);

/// The clients of one token file. Immutable; safe to use from any thread.
class AccessList {
 public:
  /// Parses the text of a token file: one client per line, "NAME ROLE TOKEN [queued=N]
  /// [running=SECONDS] [stored=SIZE]". TOKEN is a secret of at least 16 visible ASCII characters,
  /// or "sha256:" followed by the digest of the secret in 64 hexadecimal digits. Ignores empty
  /// lines and lines that start with '#'. A text that consists of a single word is the token of one
  /// unnamed administrator. Error messages about a client begin with the line number.
  static Result<AccessList> parse(std::string_view text);

  /// Reads and parses `file`. Fails if it is not a regular file, or if users other than its owner
  /// and group have any access to it. Errors name the file.
  static Result<AccessList> read(const std::filesystem::path& file);

  /// Returns the client with this token; null if no client has it. The duration of the call does
  /// not reveal how similar a wrong token is to a right one.
  [[nodiscard]] const Client* find(std::string_view token) const;
  /// Returns the quota of the named client; an empty quota if no client has that name.
  [[nodiscard]] Quota quota_of(std::string_view name) const;
  /// Returns the number of clients.
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  static constexpr std::size_t kMinToken = 16;  ///< characters
  static constexpr std::size_t kMaxName = 32;   ///< characters

 private:
  struct Entry {
    Sha256 digest{};
    Client client;
  };
  std::optional<Error> add(std::string_view line);

  std::vector<Entry> entries_;
};

/// The access list currently in force; a reload replaces it. Safe to use from any thread.
class Clients {
 public:
  /// Starts with this list.
  explicit Clients(AccessList list) : list_(std::make_shared<const AccessList>(std::move(list))) {}

  /// Returns the current list. It stays valid as long as the caller holds the pointer, even after
  /// replace().
  [[nodiscard]] std::shared_ptr<const AccessList> now() const {
    const MutexLock lock(mutex_);
    return list_;
  }
  /// Replaces the list. Requests that are checked later use `list`.
  void replace(AccessList list) {
    auto next = std::make_shared<const AccessList>(std::move(list));
    const MutexLock lock(mutex_);
    list_.swap(next);
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const AccessList> list_ MANYPLY_GUARDED_BY(mutex_);
};

/// Returns whether the digests are equal; the time taken does not depend on their values.
[[nodiscard]] bool equal_in_constant_time(const Sha256& a, const Sha256& b);

/// Decides which client sent a request and whether the request may proceed, before the request has
/// any effect. Safe to use from any thread.
///
/// - *Host*: localhost and IP addresses are always accepted. Other names are accepted only if there
///   is an access list. This rule prevents DNS rebinding, in which a hostile site gives its own
///   host name the IP address of this server.
/// - *Origin*: requests that a browser sends on behalf of another site's page are refused. Users
///   may still follow a link from another site.
/// - *Token*: the client must have the required role.
class RequestGuard {
 public:
  /// Each client sends its token as "Authorization: Bearer TOKEN". If `clients` is null, every
  /// client may do everything.
  explicit RequestGuard(std::shared_ptr<const Clients> clients) : clients_(std::move(clients)) {}

  /// Returns the client that sent a request with this head, or the refusal: 400, 401, 403 or 421.
  /// If `needed` is Role::kNone, checks only Host and Origin, does not read the token, and returns
  /// an anonymous client.
  [[nodiscard]] std::variant<Client, HttpResponse> admit(const HttpRequest& request,
                                                         Role needed) const;

 private:
  [[nodiscard]] std::variant<Client, HttpResponse> identify(const HttpRequest& request,
                                                            Role needed) const;

  std::shared_ptr<const Clients> clients_;
};

/// Returns a problem response with the status for this kind of refusal. Adds Retry-After if a later
/// attempt may succeed.
[[nodiscard]] HttpResponse problem(const Refusal& refusal);

}  // namespace manyply

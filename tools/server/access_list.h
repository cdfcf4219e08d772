// Access control: the clients, roles and quotas that a token file lists.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "parallel/mutex.h"
#include "tools/server/jobs/client.h"
#include "tools/server/jobs/sha256.h"

namespace manyply {

[[nodiscard]] std::string_view to_string(Role role);  ///< "none", "read", "submit", "admin"

/// Immutable; any thread.
class AccessList {
 public:
  /// One client a line: "NAME ROLE TOKEN [queued=N] [running=SECONDS] [stored=SIZE]
  /// [scratch=SIZE]". A token is a
  /// secret of 16 characters at least, or "sha256:" and its digest in 64 hexadecimal digits. Empty
  /// lines, and those that begin with '#', are passed over. A text of one line of one word is the
  /// token of one administrator without a name. Errors begin with the line's number.
  static Result<AccessList> parse(std::string_view text);

  /// Refuses a file that other users can read. Errors name the file.
  static Result<AccessList> read(const std::filesystem::path& file);

  /// Returns the client with this token; null if none has. Its time reveals no match.
  [[nodiscard]] const Client* find(std::string_view token) const;
  /// The quota of the client of that name; none if there is no such client.
  [[nodiscard]] Quota quota_of(std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  static constexpr std::size_t kMinToken = 16;  ///< characters
  static constexpr std::size_t kMaxName = 32;

 private:
  struct Entry {
    Sha256 digest{};
    Client client;
  };
  std::optional<Error> add(std::string_view line);

  std::vector<Entry> entries_;
};

/// The list in force. Any thread.
class Clients {
 public:
  explicit Clients(AccessList list) : list_(std::make_shared<const AccessList>(std::move(list))) {}

  [[nodiscard]] std::shared_ptr<const AccessList> now() const {
    const MutexLock lock(mutex_);
    return list_;
  }
  /// Checks later requests against `list`.
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

}  // namespace manyply

// The directory that holds a server's jobs. It is locked, accessible only to its owner, and holds
// an intact database of this version.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tools/server/jobs/sqlite.h"

namespace manyply {

struct StateDirectory {
  static constexpr int kSchemaVersion = 6;
  static constexpr int kBusyMs = 1000;  ///< time to wait for other programs that lock the database
  static constexpr std::uint64_t kLargestLog = std::uint64_t{4} << 20;  ///< in bytes

  /// Opens the directory. Creates what is missing (the last path component and its contents),
  /// accessible only to the owner. Fails if another process uses the directory, or if the database
  /// is damaged, foreign, or of another version.
  static Result<StateDirectory> open(const std::filesystem::path& directory);

  /// Returns a warning sentence with a remedy if other users can read the database, as older
  /// versions allowed; nullopt otherwise.
  static std::optional<std::string> exposure(const std::filesystem::path& directory);

  int lock_file;  ///< closing it releases the directory
  Database database;
};

}  // namespace manyply

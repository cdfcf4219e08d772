// The directory that a server keeps its jobs in: locked, its owner's alone, with a database that is
// whole and of this version.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tools/server/jobs/sqlite.h"

namespace manyply {

struct StateDirectory {
  static constexpr int kSchemaVersion = 6;
  static constexpr int kBusyMs = 1000;  ///< patience with other programs that hold the database
  static constexpr std::uint64_t kLargestLog = std::uint64_t{4} << 20;  ///< bytes beside it

  /// Creates what is missing, for the owner alone (the last part of the path and all in it).
  /// Refuses a directory that another process has open, and databases that are damaged, foreign, or
  /// of another version.
  static Result<StateDirectory> open(const std::filesystem::path& directory);

  /// Whether other users may read the database, which older versions let them, and what to do
  /// against it: a sentence.
  static std::optional<std::string> exposure(const std::filesystem::path& directory);

  int lock_file;  ///< closing it gives the directory up
  Database database;
};

}  // namespace manyply

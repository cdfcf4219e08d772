// Is what is open still what its path leads to?
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "core/result.h"
#include "parallel/mutex.h"

namespace manyply {

using MaybeError = std::optional<Error>;

/// Where an open SQLite database lies: the file at its path, and beside it the log (`-wal`) that
/// holds the last commits. If either is moved, deleted or replaced, commits go on to succeed, and
/// whoever opens the path next finds nothing of them.
///
/// The index of the log (`-shm`) is no part of this: it holds nothing, and is made anew from the
/// log by whoever comes next.
///
/// Thread safety: everything from any thread. Asks the file system, not the database.
class DatabasePlace {
 public:
  explicit DatabasePlace(std::string path) : path_(std::move(path)) {}

  /// Takes the files that are there now for those that are open. Until this is called, every place
  /// is right. Errors (kUnavailable): there is no database.
  [[nodiscard]] MaybeError note();

  /// Would whoever opens the path now find the noted files? kUnavailable says which one is not
  /// there. A file that comes back is the same file: then all is well again.
  [[nodiscard]] MaybeError problem() const;

  /// As problem(), but of the log alone: the database itself is where it belongs.
  [[nodiscard]] bool only_log_is_gone() const;

 private:
  struct FileId {
    dev_t device;
    ino_t number;
    friend bool operator==(const FileId&, const FileId&) = default;
  };
  struct Files {
    std::optional<FileId> database;
    std::optional<FileId> log;  // none if the database keeps none
  };
  static std::optional<FileId> identify(const std::string& path);
  [[nodiscard]] Files noted() const;
  /// Of the database, links followed: SQLite puts the log beside the file itself.
  [[nodiscard]] std::string resolved() const;
  [[nodiscard]] MaybeError moved(const std::string& file) const;

  const std::string path_;
  mutable Mutex mutex_;  // a leaf
  Files files_ MANYPLY_GUARDED_BY(mutex_);
};

}  // namespace manyply

// Detects that an open database file is no longer the file at its path.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "core/base/mutex.h"
#include "core/base/result.h"

namespace manyply {

using MaybeError = std::optional<Error>;

/// Identifies the files of an open SQLite database: the file at its path, and the log beside it
/// (`-wal`), which holds the latest commits. If either file is moved, deleted or replaced, commits
/// still succeed, but the next process that opens the path will not find them.
///
/// The index of the log (`-shm`) is not checked: it holds no data, and the next process rebuilds it
/// from the log.
///
/// Thread safety: all functions may be called from any thread. They access the file system, not the
/// database.
class DatabasePlace {
 public:
  explicit DatabasePlace(std::string path) : path_(std::move(path)) {}

  /// Records the identity of the files that are at the path now. Before the first call, problem()
  /// finds no fault. Returns kUnavailable if there is no database.
  [[nodiscard]] MaybeError note();

  /// Returns kUnavailable, naming the missing file, if a process that opens the path now would not
  /// find the recorded files. The problem ends when the same file is put back.
  [[nodiscard]] MaybeError problem() const;

  /// Returns whether the log is missing while the database itself is in place.
  [[nodiscard]] bool only_log_is_gone() const;

 private:
  /// Identifies a file, whatever its name.
  struct FileId {
    dev_t device;
    ino_t number;
    friend bool operator==(const FileId&, const FileId&) = default;
  };
  struct Files {
    std::optional<FileId> database;
    std::optional<FileId> log;  // absent if the database has no log
  };
  static std::optional<FileId> identify(const std::string& path);
  [[nodiscard]] Files noted() const;
  /// Returns the path with symbolic links resolved, because SQLite puts the log beside the actual
  /// file.
  [[nodiscard]] std::string resolved() const;
  [[nodiscard]] MaybeError moved(const std::string& file) const;

  const std::string path_;
  mutable Mutex mutex_;  // leaf lock
  Files files_ MANYPLY_GUARDED_BY(mutex_);
};

}  // namespace manyply

#include "tools/server/jobs/database_place.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

namespace manyply {

std::optional<DatabasePlace::FileId> DatabasePlace::identify(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

std::string DatabasePlace::resolved() const {
  std::error_code failure;
  const std::filesystem::path real = std::filesystem::canonical(path_, failure);
  return failure ? path_ : real.string();
}

DatabasePlace::Files DatabasePlace::noted() const {
  const MutexLock lock(mutex_);
  return files_;
}

MaybeError DatabasePlace::note() {
  const std::string path = resolved();
  const Files files{identify(path), identify(path + "-wal")};
  if (!files.database) return moved(path_);
  const MutexLock lock(mutex_);
  files_ = files;
  return std::nullopt;
}

MaybeError DatabasePlace::moved(const std::string& file) const {
  const bool another = identify(file).has_value();
  return Error{ErrorCode::kUnavailable, "state", 0,
               file + (another ? ": has been replaced by another file while it is in use"
                               : ": has been moved or deleted while it is in use")};
}

MaybeError DatabasePlace::problem() const {
  const Files files = noted();
  if (!files.database) return std::nullopt;
  const std::string path = resolved();
  if (identify(path) != files.database) return moved(path_);
  if (files.log && identify(path + "-wal") != files.log) return moved(path + "-wal");
  return std::nullopt;
}

bool DatabasePlace::only_log_is_gone() const {
  const Files files = noted();
  const std::string path = resolved();
  return files.database && files.log && identify(path) == files.database &&
         identify(path + "-wal") != files.log;
}

}  // namespace manyply

// Opening, locking and replacing files on POSIX systems. descriptors.cpp reads and writes them.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "core/base/files.h"

namespace manyply::files {

int open_to_read(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }
int open_to_keep(const std::string& path) {
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
}
int open_to_replace(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

Kind kind(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return Kind::kNothing;
  return S_ISREG(status.st_mode) ? Kind::kRegular : Kind::kOther;
}
bool lock(int file) { return ::flock(file, LOCK_EX | LOCK_NB) == 0; }

bool replace(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0;
}
void remove(const std::string& path) { ::unlink(path.c_str()); }

}  // namespace manyply::files

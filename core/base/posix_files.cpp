// File operations on POSIX systems: opening, locking, syncing and replacing files, and opening
// pipes and shared libraries. descriptors.cpp has the other functions for open files.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
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

// On macOS, fsync() leaves the data in the disk's own cache. F_FULLFSYNC writes it to the medium.
bool sync(int file) {
#if defined(__linux__)
  return ::fdatasync(file) == 0;
#elif defined(F_FULLFSYNC)
  return ::fcntl(file, F_FULLFSYNC) == 0 || ::fsync(file) == 0;
#else
  return ::fsync(file) == 0;
#endif
}

std::optional<Pipe> open_pipe() {
  std::array<int, 2> ends{};
#if defined(__linux__)
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
#else
  // Between pipe() and fcntl(), another thread may start a program. That program inherits both ends
  // of the pipe and closes them only when it exits.
  if (::pipe(ends.data()) != 0) return std::nullopt;
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
  return Pipe{ends[0], ends[1]};
}

}  // namespace manyply::files

namespace manyply {

std::optional<SharedLibrary> SharedLibrary::open(const char* name) {
  void* const handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  return SharedLibrary(handle);
}

SharedLibrary::Function SharedLibrary::find(const char* name) const {
  return reinterpret_cast<Function>(::dlsym(handle_, name));
}

}  // namespace manyply

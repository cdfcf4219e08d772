// The functions of linux_open_ends.cpp for other POSIX systems.
#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "core/base/files.h"

namespace manyply::files {
namespace {

void close_in_children(int file) { ::fcntl(file, F_SETFD, FD_CLOEXEC); }

}  // namespace

// On macOS, fsync() leaves the data in the disk's own cache. F_FULLFSYNC writes it to the medium.
bool sync(int file) {
#ifdef F_FULLFSYNC
  if (::fcntl(file, F_FULLFSYNC) == 0) return true;
#endif
  return ::fsync(file) == 0;
}

// Another thread may start a program between pipe() and close_in_children(). That program inherits
// both ends, and closes them when it exits.
std::optional<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return std::nullopt;
  for (const int end : ends) close_in_children(end);
  return Pipe{ends[0], ends[1]};
}

}  // namespace manyply::files

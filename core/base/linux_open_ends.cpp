// File operations for which Linux has better functions than POSIX: sync, pipes.
#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "core/base/files.h"

namespace manyply::files {

bool sync(int file) { return ::fdatasync(file) == 0; }

std::optional<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{ends[0], ends[1]};
}

}  // namespace manyply::files

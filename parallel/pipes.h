// Pipes, where the system has descriptors for them.
#pragma once

#include <optional>

namespace manyply::files {

struct Pipe {
  int read = -1;
  int write = -1;
};

/// One that programs which are started do not have; nothing if there is none to be had, and errno
/// says why.
std::optional<Pipe> open_pipe();

}  // namespace manyply::files

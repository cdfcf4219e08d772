// Pipes, for systems that give them file descriptors.
#pragma once

#include <optional>

namespace manyply::files {

/// The two ends of a pipe, as descriptors for files.h. The owner closes both.
struct Pipe {
  int read = -1;
  int write = -1;
};

/// Creates a pipe that started programs do not inherit. Returns nullopt on failure; errno says why.
std::optional<Pipe> open_pipe();

}  // namespace manyply::files

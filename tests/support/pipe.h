// Pipes on every system.
#pragma once

#include <array>

namespace manyply {

/// Returns the reading end and the writing end of a new pipe. Writing to a pipe without a reader
/// returns an error and does not end the process. Throws std::runtime_error.
std::array<int, 2> open_pipe();

}  // namespace manyply

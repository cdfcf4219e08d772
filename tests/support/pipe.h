// A pipe as any system has one.
#pragma once

#include <array>

namespace manyply {

/// Its end to read from, and its end to write to, where a write that nobody can read is an error
/// and ends nothing. Throws std::runtime_error.
std::array<int, 2> open_pipe();

}  // namespace manyply

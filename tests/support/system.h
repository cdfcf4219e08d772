// Pipes on every system, and threads with the smallest stack that a supported system gives.
#pragma once

#include <array>
#include <cstddef>
#include <functional>

#include "tests/support/budget.h"

namespace manyply {

/// Returns the reading end and the writing end of a new pipe. Writing to a pipe without a reader
/// returns an error and does not end the process. Throws std::runtime_error.
std::array<int, 2> open_pipe();

/// The size of a thread's stack on a Mac. Slow builds get four times as much, because sanitizers
/// put guards around variables on the stack.
inline constexpr std::size_t kSmallStackBytes = (kIsFastBuild ? 512 : 2048) * kKiB;

/// Runs `body`, which must not throw, on a thread with a stack of kSmallStackBytes. Throws
/// std::runtime_error if such a thread cannot be created.
void on_small_stack(const std::function<void()>& body);

}  // namespace manyply

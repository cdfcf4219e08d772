// A thread with as much stack as the least that a system gives.
#pragma once

#include <cstddef>
#include <functional>

#include "tests/support/budget.h"
#include "tests/support/sizes.h"

namespace manyply {

/// As a Mac gives threads; four times that where a sanitizer lays guards around what is on the
/// stack.
inline constexpr std::size_t kSmallStackBytes = (kIsFastBuild ? 512 : 2048) * kKiB;

/// Runs `body`, which may not throw, on a thread with kSmallStackBytes of stack. Throws
/// std::runtime_error where there is none to be had.
void on_small_stack(const std::function<void()>& body);

}  // namespace manyply

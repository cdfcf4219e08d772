// A thread with as much stack as the least that a system gives.
#pragma once

#include <functional>

namespace manyply {

/// Runs `body`, which may not throw, on a thread with 512 KiB of stack, as a Mac gives threads.
/// Throws std::runtime_error where there is none to be had.
void on_small_stack(const std::function<void()>& body);

}  // namespace manyply

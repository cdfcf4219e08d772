// Sleeping until a number changes, as each operating system does it best. ThreadsArena waits with
// it.
#pragma once

#include <atomic>

namespace manyply {

/// Blocks until `number` differs from `value`; may wake up in between. A thread that changes
/// `number` must call wake_sleepers() afterwards. Any thread; hold no lock.
void sleep_while(const std::atomic<int>& number, int value);
/// Wakes every thread that sleeps on `number`.
void wake_sleepers(std::atomic<int>& number);

}  // namespace manyply

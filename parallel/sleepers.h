// Threads that sleep until a number changes: the part of an arena's waiting that a system does.
#pragma once

#include <atomic>

namespace manyply {

/// Returns once `number` is no longer `value`; may wake in vain. Whoever changes it calls
/// wake_sleepers afterwards. Any thread; hold no lock.
void sleep_while(const std::atomic<int>& number, int value);
void wake_sleepers(std::atomic<int>& number);

}  // namespace manyply

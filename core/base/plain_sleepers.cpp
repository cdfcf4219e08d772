// Sleeping on a number with std::atomic::wait.
#include "core/base/sleepers.h"

namespace manyply {

void sleep_while(const std::atomic<int>& number, int value) { number.wait(value); }
void wake_sleepers(std::atomic<int>& number) { number.notify_all(); }

}  // namespace manyply

// The number of processors according to the C++ library.
#include <thread>

#include "core/base/processors.h"

namespace manyply {

int usable_processors() { return static_cast<int>(std::thread::hardware_concurrency()); }

void spread_thread(int /*thread*/) {}

void sleep_while(const std::atomic<int>& number, int value) { number.wait(value); }
void wake_sleepers(std::atomic<int>& number) { number.notify_all(); }

}  // namespace manyply

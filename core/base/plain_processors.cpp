// The number of processors according to the C++ library.
#include <thread>

#include "core/base/processors.h"

namespace manyply {

int usable_processors() { return static_cast<int>(std::thread::hardware_concurrency()); }

void spread_thread(int /*thread*/) {}

}  // namespace manyply

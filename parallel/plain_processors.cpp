#include <thread>

#include "parallel/processors.h"

namespace manyply {

int usable_processors() { return static_cast<int>(std::thread::hardware_concurrency()); }

}  // namespace manyply

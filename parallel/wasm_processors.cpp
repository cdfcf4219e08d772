#include "parallel/processors.h"

namespace manyply {

/// A module has one thread; who wants more has more modules.
int usable_processors() { return 1; }

void spread_thread(int /*thread*/) {}

}  // namespace manyply

#include "core/base/processors.h"

namespace manyply {

/// A WebAssembly module has one thread. Callers that want more start more modules.
int usable_processors() { return 1; }

void spread_thread(int /*thread*/) {}

}  // namespace manyply

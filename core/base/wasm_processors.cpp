#include "core/base/processors.h"

namespace manyply {

/// A WebAssembly module has one thread. A caller that wants more threads starts more modules.
int usable_processors() { return 1; }

void spread_thread(int /*thread*/) {}

}  // namespace manyply

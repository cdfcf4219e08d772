// The reference kernel. Tests compare the other kernels with it.
#pragma once

#include "core/kernel.h"

namespace manyply {

/// Returns the scalar code as a kernel. It makes every child and counts the child's moves, one
/// position at a time. It runs on every machine.
///
/// Jobs do not count with this kernel, because every other kernel is several times faster. The
/// other kernels share one method, so they may share errors, and a comparison among them would
/// prove little. find_kernel() does not return this kernel.
const Kernel& scalar_kernel();

}  // namespace manyply

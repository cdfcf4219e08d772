// The reference kernel, which tests and verification compare the other kernels with.
#pragma once

#include "core/kernel.h"

namespace manyply {

/// Returns the scalar code as a kernel: it makes every child and counts its moves, one position at
/// a time. Every other kernel is several times faster, so no job counts with this one. All other
/// kernels use one method, so a comparison among them would prove little. Runs on every machine.
/// find_kernel() does not return it.
const Kernel& scalar_kernel();

}  // namespace manyply

// The kernel that others are checked against.
#pragma once

#include "core/kernel.h"

namespace manyply {

/// The scalar code as a kernel: it makes every child and counts its moves, one position at a time.
/// Nobody counts with it, since every other kernel is several times faster; but those share one
/// method, so that they prove little about each other. Runs here. find_kernel() does not know it.
const Kernel& scalar_kernel();

}  // namespace manyply

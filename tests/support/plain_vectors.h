// The portable kernels compiled without intrinsics, as on a processor that
// core/kernels/lanes_pair.inc does not support.
#pragma once

#include "core/configurations/leaf_kernel.h"
#include "core/kernel.h"

namespace manyply {

const Kernel& plain_vector_kernel();

/// Returns the kernel for the last two plies by configurations, also without intrinsics.
const LeafKernel& plain_vector_leaves();

}  // namespace manyply

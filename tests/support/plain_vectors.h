// The portable kernels without any intrinsics, as processors have them that
// core/kernels/lanes_pair.inc does not name.
#pragma once

#include "core/configurations/leaf_kernel.h"
#include "core/kernel.h"

namespace manyply {

const Kernel& plain_vector_kernel();

/// The same of the last two plies by configurations.
const LeafKernel& plain_vector_leaves();

}  // namespace manyply

// The last two plies of a count by configurations, 64 columns in four registers, wherever every
// processor of the kind has SSE2.
#include "core/configurations/leaf_kernel_registry.h"

#if defined(__SSE2__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/castling.h"
#include "core/kernels/target_region.h"

namespace manyply::portable {

namespace {

#include "core/configurations/byte_lanes_sse2.inc"
#include "core/configurations/leaf_kernel.inc"

}  // namespace

const LeafKernel kLeafKernel = kLeafFunctions;

}  // namespace manyply::portable

#endif  // __SSE2__

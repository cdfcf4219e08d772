// Configuration kernels for any 64-bit machine, in the compiler's vectors of 16 bytes: a register
// holds two columns of a row or two words of pairs, and four hold 64 columns of leaves.
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/castling.h"
#include "core/configurations/configuration_kernels.h"
#include "core/configurations/rays.h"
#include "core/kernels/target_region.h"
#include "core/kernels/two_ply.h"

namespace manyply::portable {
namespace {

#include "core/kernels/lanes_pair.inc"
// Built on them:
#include "core/configurations/row_paths.inc"
// Built on all of these:
#include "core/configurations/byte_lanes_portable.inc"
#include "core/configurations/leaf_kernel.inc"
#include "core/configurations/pair_kernel.inc"
#include "core/configurations/row_kernel.inc"

}  // namespace

const RowKernel kRowKernel = kRowFunctions;
const PairKernel kPairKernel = kPairFunctions;
const LeafKernel kLeafKernel = kLeafFunctions;

}  // namespace manyply::portable

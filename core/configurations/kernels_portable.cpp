// Configuration kernels for any 64-bit machine, in the compiler's vectors of 16 bytes. A register
// contains two columns in the row kernel, and two words of 64 columns each in the pair kernel. In
// the leaf kernel, four registers contain one byte for each of 64 columns.
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
#include "core/kernels/kernel_constants.h"
#include "core/kernels/target_region.h"

namespace manyply::portable {
namespace {

#include "core/kernels/lanes_pair.inc"
// This file needs the file above:
#include "core/configurations/row_paths.inc"
// These files need the files above:
#include "core/configurations/byte_lanes_portable.inc"
#include "core/configurations/leaf_kernel.inc"
#include "core/configurations/pair_kernel.inc"
#include "core/configurations/row_kernel.inc"

}  // namespace

const RowKernel kRowKernel = kRowFunctions;
const PairKernel kPairKernel = kPairFunctions;
const LeafKernel kLeafKernel = kLeafFunctions;

}  // namespace manyply::portable

// Configuration kernels for any 64-bit machine. If every processor of the architecture has 16-byte
// vectors, a register holds two columns of a row or two words of pairs, otherwise one. Leaf kernels
// exist only with SSE2: four registers hold 64 columns.
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

#if defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__)
#include "core/kernels/lanes_pair.inc"
#else
#include "core/kernels/lanes_word.inc"
#endif

#include "core/configurations/row_paths.inc"
// Built on all of these:
#include "core/configurations/pair_kernel.inc"
#include "core/configurations/row_kernel.inc"
#if defined(__SSE2__)
#include "core/configurations/byte_lanes_sse2.inc"
#include "core/configurations/leaf_kernel.inc"
#endif

}  // namespace

const RowKernel kRowKernel = kRowFunctions;
const PairKernel kPairKernel = kPairFunctions;
#if defined(__SSE2__)
const LeafKernel kLeafKernel = kLeafFunctions;
#endif

}  // namespace manyply::portable

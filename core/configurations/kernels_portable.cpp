// Counts by configurations on any 64-bit machine: two columns of rows or words of pairs in a
// register where every processor of the kind has 16-byte vectors, else one; leaves where it has
// SSE2, 64 columns in four registers.
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
// Over all of these:
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

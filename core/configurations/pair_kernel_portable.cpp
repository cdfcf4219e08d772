// Rows of pairs for any 64-bit machine: two words of columns at a time where every processor of the
// kind has 16-byte vectors, else one.
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/castling.h"
#include "core/configurations/pair_kernel_registry.h"
#include "core/kernels/two_ply.h"

namespace manyply::portable {
namespace {

#if defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__)
#include "core/kernels/lanes_pair.inc"
#else
#include "core/kernels/lanes_word.inc"
#endif

using Planes = PairPlanes;

#include "core/configurations/pair_kernel.inc"

}  // namespace

const PairKernel kPairKernel = kPairFunctions;

}  // namespace manyply::portable

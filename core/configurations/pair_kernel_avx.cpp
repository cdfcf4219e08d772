// Rows of pairs, two words of columns in a register (AVX).
#include "core/configurations/pair_kernel_registry.h"

#if MANYPLY_X86

#include <immintrin.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/castling.h"
#include "core/kernels/target_region.h"
#include "core/kernels/two_ply.h"

namespace manyply::avx {

#define MANYPLY_TARGET "avx,popcnt"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#define MANYPLY_SSE41 1

#include "core/kernels/lanes_pair.inc"

using Planes = PairPlanes;

#include "core/configurations/pair_kernel.inc"

}  // namespace
MANYPLY_TARGET_END

const PairKernel kPairKernel = kPairFunctions;

}  // namespace manyply::avx

#endif  // MANYPLY_X86

// Rows of pairs, eight words of columns in a register (AVX-512).
#include "core/configurations/pair_kernel_registry.h"

#if MANYPLY_X86

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of the undefined registers in its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/castling.h"
#include "core/kernels/target_region.h"
#include "core/kernels/two_ply.h"

namespace manyply::avx512 {

#define MANYPLY_TARGET                                                                         \
  "bmi,bmi2,lzcnt,popcnt,gfni,avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2," \
  "avx512bitalg,avx512vpopcntdq"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/kernels/lanes_avx512.inc"

using Planes = PairPlanes;

#include "core/configurations/pair_kernel.inc"

}  // namespace
MANYPLY_TARGET_END

const PairKernel kPairKernel = kPairFunctions;

}  // namespace manyply::avx512

#endif  // MANYPLY_X86

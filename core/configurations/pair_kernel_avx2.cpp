// Rows of pairs, four words of columns in a register (AVX2).
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

namespace manyply::avx2 {

#define MANYPLY_TARGET "bmi,bmi2,lzcnt,popcnt,avx2"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/kernels/lanes_avx2.inc"

using Planes = PairPlanes;

#include "core/configurations/pair_kernel.inc"

}  // namespace
MANYPLY_TARGET_END

const PairKernel kPairKernel = kPairFunctions;

}  // namespace manyply::avx2

#endif  // MANYPLY_X86

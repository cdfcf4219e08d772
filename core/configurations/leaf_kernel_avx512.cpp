// The last two plies of a count by configurations, 64 columns in a register (AVX-512).
#include "core/configurations/leaf_kernel_registry.h"

#if MANYPLY_X86

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of the undefined registers in its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
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

namespace manyply::avx512 {

#define MANYPLY_TARGET "bmi,bmi2,lzcnt,popcnt,avx2,avx512f,avx512bw,avx512dq,avx512vl"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/configurations/byte_lanes_avx512.inc"
#include "core/configurations/leaf_kernel.inc"

}  // namespace
MANYPLY_TARGET_END

const LeafKernel kLeafKernel = kLeafFunctions;

}  // namespace manyply::avx512

#endif  // MANYPLY_X86

// The last two plies of a count by configurations, 64 columns in two registers (AVX2).
#include "core/configurations/leaf_kernel_registry.h"

#if MANYPLY_X86

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

namespace manyply::avx2 {

#define MANYPLY_TARGET "bmi,bmi2,lzcnt,popcnt,avx2"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/configurations/byte_lanes_avx2.inc"
#include "core/configurations/leaf_kernel.inc"

}  // namespace
MANYPLY_TARGET_END

const LeafKernel kLeafKernel = kLeafFunctions;

}  // namespace manyply::avx2

#endif  // MANYPLY_X86

// Configuration kernels for AVX: a register holds two columns of a row, or two words of pairs; four
// registers hold 64 columns of leaves.
#include "core/configurations/configuration_kernels.h"

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
#include "core/configurations/rays.h"
#include "core/kernels/target_region.h"
#include "core/kernels/two_ply.h"

namespace manyply::avx {

#define MANYPLY_TARGET "avx,popcnt"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#define MANYPLY_SSE41 1
#include "core/kernels/lanes_pair.inc"
// Built on these:
#include "core/configurations/row_paths.inc"
// and on both of them:
#include "core/configurations/byte_lanes_sse2.inc"
#include "core/configurations/leaf_kernel.inc"
#include "core/configurations/pair_kernel.inc"
#include "core/configurations/row_kernel.inc"

}  // namespace
MANYPLY_TARGET_END

const RowKernel kRowKernel = kRowFunctions;
const PairKernel kPairKernel = kPairFunctions;
const LeafKernel kLeafKernel = kLeafFunctions;

}  // namespace manyply::avx

#endif  // MANYPLY_X86

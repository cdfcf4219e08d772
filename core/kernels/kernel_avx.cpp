// The sets kernel for AVX (Sandy Bridge, Bulldozer, Jaguar and later): two positions per register.
// AVX instructions have three operands, which saves the register copies that SSE2 needs.
#include "core/kernels/kernel_registry.h"

#if MANYPLY_X86

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/kernels/slider_tables.h"
#include "core/kernels/target_region.h"
#include "core/kernels/two_ply.h"
#include "core/move_statistics.h"
#include "core/stop_view.h"

namespace manyply::avx {

#define MANYPLY_TARGET "avx,popcnt"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/kernels/hyperbola_sliders.inc"
#include "core/kernels/scalar_moves.inc"
// Keep this order: functions that lanes_*.inc overloads must not hide those of scalar_moves.inc.
#define MANYPLY_SSE41 1
#include "core/kernels/lanes_pair.inc"
#include "core/kernels/sets_kernel.inc"
#include "core/kernels/sets_statistics.inc"

}  // namespace
MANYPLY_TARGET_END

const Kernel kKernel{
    .name = "avx",
    .description = "two positions at a time, x86-64 with AVX",
    .needs = Extensions::of(MANYPLY_TARGET),
    .hashed = HashedPartner::kAvx,
    .statistics = kSetsStatistics,
    .count = kernel_count,
    .count_two_plies = kernel_count_two_plies,
    .count_two_plies_in_lanes = kernel_count_two_plies_in_lanes,
    .generate = kernel_generate,
    .make_unchecked = kernel_make_unchecked,
};

}  // namespace manyply::avx

#endif  // MANYPLY_X86

// The sets kernel for AVX2 (Haswell, Zen and later): four positions per register.
#include "core/kernels/kernel_registry.h"

#if MANYPLY_X86

#include <immintrin.h>

#include "core/kernels/kernel_constants.h"

namespace manyply::avx2 {

#define MANYPLY_TARGET "bmi,bmi2,lzcnt,popcnt,avx2"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/kernels/legal_moves.inc"
// Keep this order: lanes_*.inc hides functions that legal_moves.inc calls (pawn_attacks()).
#include "core/kernels/lanes_avx2.inc"
#include "core/kernels/sets_kernel.inc"
#include "core/kernels/sets_statistics.inc"

}  // namespace
MANYPLY_TARGET_END

const Kernel kKernel{
    .name = "avx2",
    .description = "four positions at a time, x86-64 with AVX2",
    .needs = Extensions::of(MANYPLY_TARGET),
    .hashed = HashedPartner::kAvx2,
    .statistics = kSetsStatistics,
    .count = kernel_count,
    .count_two_plies = kernel_count_two_plies,
    .count_two_plies_in_lanes = kernel_count_two_plies_in_lanes,
    .generate = kernel_generate,
    .make_unchecked = kernel_make_unchecked,
};

}  // namespace manyply::avx2

#endif  // MANYPLY_X86

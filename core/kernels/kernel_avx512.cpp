// The sets kernel for AVX-512 with GFNI (Ice Lake, Zen 4 and later): eight positions per register.
#include "core/kernels/kernel_registry.h"

#if MANYPLY_X86

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns about undefined registers in its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "core/kernels/kernel_constants.h"

namespace manyply::avx512 {

#define MANYPLY_TARGET                                                                         \
  "bmi,bmi2,lzcnt,popcnt,gfni,avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2," \
  "avx512bitalg,avx512vpopcntdq"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/kernels/legal_moves.inc"
// Keep this order: lanes_*.inc hides functions that legal_moves.inc calls (pawn_attacks()).
#include "core/kernels/lanes_avx512.inc"
#include "core/kernels/sets_kernel.inc"
#include "core/kernels/sets_statistics.inc"

}  // namespace
MANYPLY_TARGET_END

const Kernel kKernel{
    .name = "avx512",
    .description = "eight positions at a time, x86-64 with AVX-512 and GFNI",
    .needs = Extensions::of(MANYPLY_TARGET),
    .hashed = HashedPartner::kAvx512,
    .statistics = kSetsStatistics,
    .count = kernel_count,
    .count_two_plies = kernel_count_two_plies,
    .count_two_plies_in_lanes = kernel_count_two_plies_in_lanes,
    .generate = kernel_generate,
    .make_unchecked = kernel_make_unchecked,
};

}  // namespace manyply::avx512

#endif  // MANYPLY_X86

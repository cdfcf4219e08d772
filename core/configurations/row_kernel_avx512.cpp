// Rows of a matrix, eight columns in a register (AVX-512).
#include "core/configurations/row_kernel_registry.h"

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

inline Lanes widened(const std::uint32_t* words) {
  return {_mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)))};
}

#include "core/configurations/row_kernel.inc"

}  // namespace
MANYPLY_TARGET_END

const RowKernel kRowKernel = kRowFunctions;

}  // namespace manyply::avx512

#endif  // MANYPLY_X86

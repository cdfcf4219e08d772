// Hashed counting for AVX2.
#include "hash/hashed_kernel.h"

#if MANYPLY_X86

#include <immintrin.h>

#include "core/board.h"
#include "core/geometry.h"
#include "core/kernels/slider_tables.h"
#include "core/kernels/target_region.h"

namespace manyply::avx2 {

#define MANYPLY_TARGET "avx2,bmi,bmi2,lzcnt,popcnt"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/kernels/legal_moves.inc"
#include "hash/hashed_search.inc"

inline unsigned match_five(const std::uint64_t* tags, std::uint64_t tag) {
  const __m256i wanted = _mm256_set1_epi64x(static_cast<long long>(tag));
  const __m256i four = _mm256_load_si256(reinterpret_cast<const __m256i*>(tags));
  const __m256i equal = _mm256_cmpeq_epi64(four, wanted);
  const int mask = _mm256_movemask_pd(_mm256_castsi256_pd(equal));
  return static_cast<unsigned>(mask) | (tags[4] == tag ? 16U : 0U);
}

}  // namespace
MANYPLY_TARGET_END

const HashedKernel kHashedKernel{
    .partner = HashedPartner::kAvx2,
    .needs = Extensions::of(MANYPLY_TARGET),
    .count_private = hashed_count<DeepTable, PrivateWindow>,
    .count_shared = hashed_count<DeepTable, SharedWindow>,
    .children = hashed_children,
};

}  // namespace manyply::avx2

#endif  // MANYPLY_X86

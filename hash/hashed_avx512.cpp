// Hashed counting for AVX-512.
#include "hash/hashed_kernel.h"

#if MANYPLY_X86

#include <immintrin.h>

#include "core/board.h"
#include "core/geometry.h"
#include "core/kernels/slider_tables.h"
#include "core/kernels/target_region.h"

namespace manyply::avx512 {

#define MANYPLY_TARGET "bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/kernels/legal_moves.inc"
#include "hash/hashed_search.inc"

/// Returns a number with one bit for each of five tags. Bit i is set if tags[i] equals `tag`. The
/// tags are at the start of a 64-byte line, so one load reads all tags.
inline unsigned match_five(const std::uint64_t* tags, std::uint64_t tag) {
  const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(tag));
  return _mm512_mask_cmpeq_epi64_mask(0x1F, _mm512_load_si512(tags), wanted);
}

}  // namespace
MANYPLY_TARGET_END

const HashedKernel kHashedKernel{
    .partner = HashedPartner::kAvx512,
    .needs = Extensions::of(MANYPLY_TARGET),
    .count_private = hashed_count<DeepTable, PrivateWindow>,
    .count_shared = hashed_count<DeepTable, SharedWindow>,
    .children = hashed_children,
};

}  // namespace manyply::avx512

#endif  // MANYPLY_X86

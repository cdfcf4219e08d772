// Hashed counting for AVX.
#include "hash/hashed_registry.h"

#if MANYPLY_X86

#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/kernels/slider_tables.h"
#include "core/kernels/target_region.h"

namespace manyply::avx {

#define MANYPLY_TARGET "avx,popcnt"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/kernels/hyperbola_sliders.inc"
#include "core/kernels/scalar_moves.inc"
#include "hash/hashed_search.inc"
#include "hash/match_scalar.inc"

}  // namespace
MANYPLY_TARGET_END

const HashedKernel kHashedKernel{
    .partner = HashedPartner::kAvx,
    .needs = Extensions::of(MANYPLY_TARGET),
    .count_private = hashed_count<DeepTable, PrivateWindow>,
    .count_shared = hashed_count<DeepTable, SharedWindow>,
    .children = hashed_children,
};

}  // namespace manyply::avx

#endif  // MANYPLY_X86

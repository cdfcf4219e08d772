// Hashed counting around the AVX two-ply kernel.
#include "hash/hashed_registry.h"

#if MANYPLY_X86

#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/slider_tables.h"
#include "core/target_region.h"

namespace manyply::avx {

MANYPLY_TARGET_BEGIN("avx,popcnt")
namespace {

#include "core/hyperbola_sliders.inc"
#include "core/scalar_moves.inc"
#include "hash/hashed_search.inc"
#include "hash/match_scalar.inc"

}  // namespace
MANYPLY_TARGET_END

const HashedKernel kHashedKernel{"avx", hashed_count<DeepTable, PrivateWindow>,
                                 hashed_count<DeepTable, SharedWindow>, hashed_children};

}  // namespace manyply::avx

#endif  // MANYPLY_X86

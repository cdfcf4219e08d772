// Hashed counting with PEXT slider look-ups (x86-64 with BMI2).
#include "hash/hashed_registry.h"

#if MANYPLY_X86

#include <immintrin.h>

#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/pext_tables.h"
#include "core/target_region.h"

namespace manyply::bmi2 {

MANYPLY_TARGET_BEGIN("bmi,bmi2,lzcnt,popcnt")
namespace {

#include "core/pext_sliders.inc"
#include "core/scalar_moves.inc"
#include "hash/hashed_search.inc"
#include "hash/match_scalar.inc"

}  // namespace
MANYPLY_TARGET_END

const HashedKernel kHashedKernel{"bmi2", hashed_count<DeepTable, PrivateWindow>,
                                 hashed_count<DeepTable, SharedWindow>, hashed_children};

}  // namespace manyply::bmi2

#endif  // MANYPLY_X86

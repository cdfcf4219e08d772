// Hashed counting in plain 64-bit arithmetic.
#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/slider_tables.h"
#include "hash/hashed_registry.h"

namespace manyply::portable {
namespace {

#include "core/hyperbola_sliders.inc"
#include "core/scalar_moves.inc"
#include "hash/hashed_search.inc"
#include "hash/match_scalar.inc"

}  // namespace

const HashedKernel kHashedKernel{"portable", hashed_count<DeepTable, PrivateWindow>,
                                 hashed_count<DeepTable, SharedWindow>, hashed_children};

}  // namespace manyply::portable

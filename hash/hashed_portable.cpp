// Hashed counting in plain 64-bit arithmetic, for any machine.
#include "core/board.h"
#include "core/geometry.h"
#include "core/kernels/slider_tables.h"
#include "hash/hashed_kernel.h"

namespace manyply::portable {
namespace {

#include "core/kernels/legal_moves.inc"
#include "hash/hashed_search.inc"
#include "hash/match_scalar.inc"

}  // namespace

const HashedKernel kHashedKernel{
    .partner = HashedPartner::kPortable,
    .needs = {},
    .count_private = hashed_count<DeepTable, PrivateWindow>,
    .count_shared = hashed_count<DeepTable, SharedWindow>,
    .children = hashed_children,
};

}  // namespace manyply::portable

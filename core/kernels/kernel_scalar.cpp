// The scalar code in plain 64-bit arithmetic. It runs on any machine. Tests compare the other
// kernels with it.
#include <cstdint>

#include "core/base/stop_view.h"
#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/kernels/kernel_registry.h"
#include "core/kernels/slider_tables.h"

namespace manyply::scalar {
namespace {

#include "core/kernels/hyperbola_sliders.inc"
#include "core/kernels/scalar_moves.inc"
#include "core/kernels/scalar_recursion.inc"

}  // namespace

const Kernel kKernel{
    .name = "scalar",
    .description = "one position at a time, any 64-bit machine",
    .needs = {},
    .hashed = HashedPartner::kPortable,
    .statistics = portable::kStatistics,
    .count = kernel_count,
    .count_two_plies = kernel_count_two_plies,
    .count_two_plies_in_lanes = kernel_count_two_plies_in_lanes,
    .generate = kernel_generate,
    .make_unchecked = kernel_make_unchecked,
};

}  // namespace manyply::scalar

// The scalar code with PEXT slider look-ups and hardware bit counting (x86-64 with BMI2): what
// other kernels are checked against.
#include "core/kernels/kernel_registry.h"

#if MANYPLY_X86

#include <immintrin.h>

#include <cstdint>

#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/kernels/pext_tables.h"
#include "core/kernels/target_region.h"

namespace manyply::bmi2 {

#define MANYPLY_TARGET "bmi,bmi2,lzcnt,popcnt"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/kernels/pext_sliders.inc"
#include "core/kernels/scalar_moves.inc"
#include "core/kernels/scalar_recursion.inc"

}  // namespace
MANYPLY_TARGET_END

const Kernel kKernel{
    .name = "scalar",
    .description = "one position at a time, x86-64 with BMI2",
    .needs = Extensions::of(MANYPLY_TARGET),
    .hashed = HashedPartner::kPortable,
    .statistics = portable::kStatistics,
    .count = kernel_count,
    .count_two_plies = kernel_count_two_plies,
    .generate = kernel_generate,
    .make_unchecked = kernel_make_unchecked,
};

}  // namespace manyply::bmi2

#endif  // MANYPLY_X86

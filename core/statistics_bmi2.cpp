// Move statistics with PEXT slider look-ups and hardware bit counting (x86-64 with BMI2).
#include "core/statistics_registry.h"

#if MANYPLY_X86

#include <immintrin.h>

#include <cstdint>

#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/pext_tables.h"
#include "core/target_region.h"

namespace manyply::bmi2 {

#define MANYPLY_TARGET "bmi,bmi2,lzcnt,popcnt"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/pext_sliders.inc"
#include "core/scalar_moves.inc"
#include "core/statistics_moves.inc"

}  // namespace
MANYPLY_TARGET_END

const StatisticsKernel kStatisticsKernel{
    .name = "bmi2",
    .needs = Extensions::of(MANYPLY_TARGET),
    .add_moves = statistics_add_moves,
    .add_two_plies = statistics_add_two_plies,
};

}  // namespace manyply::bmi2

#endif  // MANYPLY_X86

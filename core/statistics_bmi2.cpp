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

MANYPLY_TARGET_BEGIN("bmi,bmi2,lzcnt,popcnt")
namespace {

#include "core/pext_sliders.inc"
#include "core/scalar_moves.inc"
#include "core/statistics_moves.inc"

}  // namespace
MANYPLY_TARGET_END

const StatisticsKernel kStatisticsKernel{"bmi2", statistics_add_moves, statistics_add_two_plies};

}  // namespace manyply::bmi2

#endif  // MANYPLY_X86

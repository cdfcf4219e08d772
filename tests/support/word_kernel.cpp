#include "tests/support/word_kernel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/kernels/slider_tables.h"
#include "core/kernels/target_region.h"
#include "core/kernels/two_ply.h"
#include "core/move_statistics.h"

namespace manyply {
namespace {

#include "core/kernels/hyperbola_sliders.inc"
#include "core/kernels/scalar_moves.inc"
// In this order, as in core/kernels/kernel_portable.cpp.
#include "core/kernels/lanes_word.inc"
#include "core/kernels/sets_kernel.inc"
#include "core/kernels/sets_statistics.inc"

}  // namespace

const Kernel& word_kernel() {
  static const Kernel kernel{
      .name = "word",
      .description = "the portable kernel without vectors",
      .needs = {},
      .hashed = HashedPartner::kPortable,
      .statistics = kSetsStatistics,
      .count = kernel_count,
      .count_two_plies = kernel_count_two_plies,
      .count_two_plies_in_lanes = kernel_count_two_plies_in_lanes,
      .generate = kernel_generate,
      .make_unchecked = kernel_make_unchecked,
  };
  return kernel;
}

}  // namespace manyply

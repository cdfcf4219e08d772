#include "tests/support/plain_vectors.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/board.h"
#include "core/configurations/rays.h"
#include "core/geometry.h"
#include "core/kernels/kernel_constants.h"
#include "core/kernels/slider_tables.h"
#include "core/kernels/target_region.h"
#include "core/move_statistics.h"

// Undefines the macros of instruction sets for which this compiler has intrinsics.
#undef __SSE2__
#undef __SSE4_1__
#undef __ARM_NEON
#undef __wasm_simd128__

namespace manyply {
namespace {

#include "core/kernels/legal_moves.inc"
// These files are included in the same order as in core/kernels/kernel_portable.cpp.
#include "core/kernels/lanes_pair.inc"
#include "core/kernels/sets_kernel.inc"
#include "core/kernels/sets_statistics.inc"
// The same as in core/configurations/kernels_portable.cpp.
#include "core/configurations/byte_lanes_portable.inc"
#include "core/configurations/leaf_kernel.inc"

}  // namespace

const Kernel& plain_vector_kernel() {
  static const Kernel kernel{
      .name = "plain-vectors",
      .description = "the portable kernel without intrinsics",
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

const LeafKernel& plain_vector_leaves() { return kLeafFunctions; }

}  // namespace manyply

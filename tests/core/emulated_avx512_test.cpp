// The emulation that stands in for AVX-512 in two_ply_test.cpp, against the instructions
// themselves.

#include "tests/support/emulated_avx512.h"

#include <gtest/gtest.h>

#include "core/processor.h"

#if MANYPLY_X86
#if !defined(__clang__)
// GCC 12 warns of the undefined registers in its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

#include <cstdint>

#include "core/target_region.h"
#include "tests/support/random_positions.h"

namespace manyply {
namespace {

#if MANYPLY_X86
MANYPLY_TARGET_BEGIN("avx512f")
#include "tests/support/avx512_results.inc"
MANYPLY_TARGET_END
#endif

TEST(EmulatedAvx512, DoesWhatTheInstructionsDo) {
  if (emulated_avx512() == nullptr)
    GTEST_SKIP() << "built by GCC, or SIMDe (libsimde-dev) was not there";
  if (!find_kernel("avx512").ok()) GTEST_SKIP() << "this processor has no AVX-512";
#if MANYPLY_X86
  const Chooser choose = choose_by_seed(512);
  for (int i = 0; i < 10'000; ++i) {
    Avx512Sample sample{};
    for (std::uint64_t& word : sample) {
      for (int byte = 0; byte < 8; ++byte) word = word << 8 | choose(256);
    }
    ASSERT_EQ(emulated_avx512_results(sample), avx512_results(sample)) << i;
  }
#endif
}

}  // namespace
}  // namespace manyply

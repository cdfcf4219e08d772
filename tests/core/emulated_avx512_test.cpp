// Compares the emulation that replaces AVX-512 in movegen_test.cpp with the real instructions.

#include "tests/support/emulated_avx512.h"

#include <gtest/gtest.h>

#include "core/processor.h"

#if MANYPLY_X86
#if !defined(__clang__)
// GCC 12 warns about undefined registers in its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

#include "core/kernels/target_region.h"
#include "tests/support/positions.h"

namespace manyply {
namespace {

#if MANYPLY_X86
MANYPLY_TARGET_BEGIN("avx512f,avx512bw,avx512vbmi2")
#include "tests/support/avx512_results.inc"
MANYPLY_TARGET_END
#endif

// The largest known number of moves of fifteen queens is 243, found by a search. It is not proved
// that every position's number fits into a byte.
TEST(EmulatedAvx512, AddsUpMoreThanAnyPositionShows) {
  if (emulated_avx512() == nullptr) GTEST_SKIP() << "SIMDe (libsimde-dev) was not there";
  const Chooser choose = choose_by_seed(8);
  constexpr std::uint8_t kNobody = 8;
  for (int i = 0; i < 1'000; ++i) {
    EightWords counts{};
    std::array<std::uint8_t, 8> parents{};
    EightWords expected{};
    for (std::size_t lane = 0; lane < counts.size(); ++lane) {
      counts[lane] = choose(i % 2 == 0 ? 256 : 65'536);
      parents[lane] = static_cast<std::uint8_t>(choose(kNobody + 1));
      if (parents[lane] < kNobody) expected[parents[lane]] += counts[lane];
    }
    ASSERT_EQ(emulated_avx512_totals(counts, parents), expected) << i;
  }
}

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

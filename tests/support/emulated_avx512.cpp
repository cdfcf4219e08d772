#include "tests/support/emulated_avx512.h"

// GCC needs two minutes to compile this, and the result would test GCC's vectors more than the
// kernel.
#if __has_include(<simde/x86/avx512.h>) && defined(__SSE2__) && defined(__clang__)

#include <emmintrin.h>
// SIMDe names a type that clang's <emmintrin.h> has already named.
#define __m128bh simde_m128bh
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/gfni.h>
#undef __m128bh
#undef _mm512_madd_epi16  // SIMDe's macro has the arguments of another function
using __mmask8 = simde__mmask8;
using __mmask32 = simde__mmask32;
using __mmask64 = simde__mmask64;
#define _mm512_shuffle_i64x2 simde_mm512_shuffle_i64x2

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/board.h"
#include "core/configurations/leaf_kernel.h"
#include "core/configurations/rays.h"
#include "core/geometry.h"
#include "core/kernels/kernel_constants.h"
#include "core/kernels/slider_tables.h"
#include "core/kernels/target_region.h"
#include "core/move_statistics.h"

namespace manyply {
namespace {

// --- what SIMDe 0.7.4 lacks --------------------------------------------------------------------

/// Returns the first elements of `vector`, zero-extended to 64 bits each.
template <typename Element>
__m512i widened(__m128i vector) {
  const auto from = std::bit_cast<std::array<Element, 16 / sizeof(Element)>>(vector);
  std::array<std::uint64_t, 8> to{};
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i];
  return std::bit_cast<__m512i>(to);
}

inline __m512i _mm512_cvtepu8_epi64(__m128i a) { return widened<std::uint8_t>(a); }
inline __m512i _mm512_cvtepu16_epi64(__m128i a) { return widened<std::uint16_t>(a); }

inline __m512i _mm512_cvtepu8_epi16(__m256i a) {
  const auto from = std::bit_cast<std::array<std::uint8_t, 32>>(a);
  std::array<std::uint16_t, 32> to{};
  std::ranges::copy(from, to.begin());
  return std::bit_cast<__m512i>(to);
}

/// Returns the elements that are in a set, one after the other, followed by zeros.
template <typename Element, typename Vector>
Vector compressed(std::uint64_t set, Vector vector) {
  const auto from = std::bit_cast<std::array<Element, sizeof vector / sizeof(Element)>>(vector);
  std::array<Element, from.size()> to{};
  std::size_t size = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if ((set >> i & 1) != 0) to[size++] = from[i];
  }
  return std::bit_cast<Vector>(to);
}

inline __m512i _mm512_maskz_compress_epi8(__mmask64 mask, __m512i a) {
  return compressed<std::uint8_t>(mask, a);
}
inline __m128i _mm_maskz_compress_epi8(__mmask8 mask, __m128i a) {
  return compressed<std::uint8_t>(mask, a);
}
inline __m128i _mm_maskz_compress_epi16(__mmask8 mask, __m128i a) {
  return compressed<std::uint16_t>(mask, a);
}

inline __m128i _mm512_cvtepi64_epi16(__m512i a) {
  const auto from = std::bit_cast<std::array<std::uint64_t, 8>>(a);
  std::array<std::uint16_t, 8> to{};
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::uint16_t>(from[i]);
  return std::bit_cast<__m128i>(to);
}

inline std::int64_t _mm512_reduce_or_epi64(__m512i a) {
  std::int64_t all = 0;
  for (const std::int64_t word : std::bit_cast<std::array<std::int64_t, 8>>(a)) all |= word;
  return all;
}

inline __m512i _mm512_cvtepu32_epi64(__m256i a) {
  const auto from = std::bit_cast<std::array<std::uint32_t, 8>>(a);
  std::array<std::uint64_t, 8> to{};
  std::ranges::copy(from, to.begin());
  return std::bit_cast<__m512i>(to);
}

inline std::int64_t _mm512_reduce_add_epi64(__m512i a) {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : std::bit_cast<std::array<std::uint64_t, 8>>(a)) sum += word;
  return static_cast<std::int64_t>(sum);
}

inline __m512i _mm512_madd_epi16(__m512i a, __m512i b) { return simde_mm512_madd_epi16(a, b); }

#include "tests/support/avx512_results.inc"

// --- the kernel --------------------------------------------------------------------------------

#include "core/kernels/legal_moves.inc"
// These files are included in the same order as in core/kernels/kernel_avx512.cpp.
#include "core/configurations/byte_lanes_avx512.inc"
#include "core/configurations/leaf_kernel.inc"
#include "core/kernels/lanes_avx512.inc"
#include "core/kernels/sets_kernel.inc"
#include "core/kernels/sets_statistics.inc"

}  // namespace

const Kernel* emulated_avx512() {
  static const Kernel kernel{
      .name = "avx512-emulated",
      .description = "the AVX-512 kernel over SIMDe",
      .needs = {},
      .hashed = HashedPartner::kPortable,
      .statistics = kSetsStatistics,
      .count = kernel_count,
      .count_two_plies = kernel_count_two_plies,
      .count_two_plies_in_lanes = kernel_count_two_plies_in_lanes,
      .generate = kernel_generate,
      .make_unchecked = kernel_make_unchecked,
  };
  return &kernel;
}

const LeafKernel* emulated_avx512_leaves() { return &kLeafFunctions; }

Avx512Results emulated_avx512_results(const Avx512Sample& sample) { return avx512_results(sample); }

EightWords emulated_avx512_totals(const EightWords& counts,
                                  const std::array<std::uint8_t, 8>& parents) {
  Totals totals;
  totals.add(load(counts.data()), parents.data());
  EightWords sums{};
  store(sums.data(), totals.sums());
  return sums;
}

}  // namespace manyply

#else

namespace manyply {

const Kernel* emulated_avx512() { return nullptr; }
const LeafKernel* emulated_avx512_leaves() { return nullptr; }
Avx512Results emulated_avx512_results(const Avx512Sample&) { return {}; }
EightWords emulated_avx512_totals(const EightWords&, const std::array<std::uint8_t, 8>&) {
  return {};
}

}  // namespace manyply

#endif

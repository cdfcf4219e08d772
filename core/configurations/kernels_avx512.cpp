// Configuration kernels for AVX-512. A register contains eight columns in the row kernel, eight
// words of 64 columns each in the pair kernel, and one byte for each of 64 columns in the leaf
// kernel.
#include "core/configurations/configuration_kernels.h"

#if MANYPLY_X86

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns about undefined registers in its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

namespace manyply::avx512 {

#define MANYPLY_TARGET                                                                         \
  "bmi,bmi2,lzcnt,popcnt,gfni,avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2," \
  "avx512bitalg,avx512vpopcntdq"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/kernels/lanes_avx512.inc"

struct Paths {
  __m256i v;
};

inline Paths no_paths() { return {_mm256_setzero_si256()}; }
inline Paths load_paths(const std::uint32_t* words) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words))};
}
inline void store_paths(std::uint32_t* words, Paths paths) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), paths.v);
}
inline Paths unpacked(unsigned lanes, const std::uint16_t* numbers) {
  const __m128i dense = _mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers));
  return {_mm256_cvtepu16_epi32(_mm_maskz_expand_epi16(static_cast<__mmask8>(lanes), dense))};
}
inline Paths added(LaneMask m, Paths a, Paths b) {
  return {_mm256_mask_add_epi32(a.v, m.bits, a.v, b.v)};
}
inline Paths either(Paths a, Paths b) { return {_mm256_or_si256(a.v, b.v)}; }
inline std::uint32_t all_bits(Paths a) {
  const __m128i four = _mm_or_si128(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
  const __m128i two = _mm_or_si128(four, _mm_unpackhi_epi64(four, four));
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(two));
  return static_cast<std::uint32_t>(both | both >> 32);
}
inline unsigned nonzero_lanes(Paths a) { return _mm256_test_epi32_mask(a.v, a.v); }
inline unsigned lanes_in(LaneMask m) { return m.bits; }
inline void put_lanes(Bitboard* to, unsigned lanes, Lanes a) {
  store(to, {_mm512_maskz_compress_epi64(static_cast<__mmask8>(lanes), a.v)});
}

#include "core/configurations/pair_kernel.inc"
#include "core/configurations/row_kernel.inc"

}  // namespace
MANYPLY_TARGET_END

#undef MANYPLY_TARGET
#define MANYPLY_TARGET "bmi,bmi2,lzcnt,popcnt,avx2,avx512f,avx512bw,avx512dq,avx512vl"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/configurations/byte_lanes_avx512.inc"
#include "core/configurations/leaf_kernel.inc"

}  // namespace
MANYPLY_TARGET_END

const RowKernel kRowKernel = kRowFunctions;
const PairKernel kPairKernel = kPairFunctions;
const LeafKernel kLeafKernel = kLeafFunctions;

}  // namespace manyply::avx512

#endif  // MANYPLY_X86

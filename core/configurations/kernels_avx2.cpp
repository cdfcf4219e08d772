// Configuration kernels for AVX2. A register contains four columns in the row kernel, and four
// words of 64 columns each in the pair kernel. In the leaf kernel, two registers contain one byte
// for each of 64 columns.
#include "core/configurations/configuration_kernels.h"

#if MANYPLY_X86

#include <immintrin.h>

namespace manyply::avx2 {

#define MANYPLY_TARGET "bmi,bmi2,lzcnt,popcnt,avx2"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
namespace {

#include "core/kernels/lanes_avx2.inc"

struct Paths {
  __m128i v;
};

inline Paths no_paths() { return {_mm_setzero_si128()}; }
inline Paths load_paths(const std::uint32_t* words) {
  return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(words))};
}
inline void store_paths(std::uint32_t* words, Paths paths) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(words), paths.v);
}
inline Paths unpacked(unsigned lanes, const std::uint16_t* numbers) {
  struct Orders {
    alignas(16) std::array<std::array<std::uint8_t, 16>, 16> of{};  // orders of bytes
  };
  static constexpr Orders kOrders = [] {
    constexpr std::uint8_t kZero = 0x80;
    Orders orders;
    for (unsigned set = 0; set < orders.of.size(); ++set) {
      orders.of[set].fill(kZero);
      std::uint8_t at = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if ((set >> lane & 1) == 0) continue;
        orders.of[set][4 * lane] = at++;
        orders.of[set][4 * lane + 1] = at++;
      }
    }
    return orders;
  }();
  const auto* order = reinterpret_cast<const __m128i*>(kOrders.of[lanes].data());
  const __m128i dense = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(numbers));
  return {_mm_shuffle_epi8(dense, _mm_load_si128(order))};
}
inline Paths added(LaneMask m, Paths a, Paths b) {
  constexpr int kEven = 0x88;  // one half of each mask lane; both halves are equal
  const __m128i here =
      _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(_mm256_castsi256_si128(m.v)),
                                      _mm_castsi128_ps(_mm256_extracti128_si256(m.v, 1)), kEven));
  return {_mm_add_epi32(a.v, _mm_and_si128(here, b.v))};
}
inline Paths either(Paths a, Paths b) { return {_mm_or_si128(a.v, b.v)}; }
inline std::uint32_t all_bits(Paths a) {
  const __m128i two = _mm_or_si128(a.v, _mm_unpackhi_epi64(a.v, a.v));
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(two));
  return static_cast<std::uint32_t>(both | both >> 32);
}
inline unsigned nonzero_lanes(Paths a) {
  const __m128i zero = _mm_cmpeq_epi32(a.v, _mm_setzero_si128());
  return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(zero))) ^ 15;
}
inline unsigned lanes_in(LaneMask m) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(m.v)));
}
inline void put_lanes(Bitboard* to, unsigned lanes, Lanes a) {
  struct Orders {
    alignas(32) std::array<std::array<std::uint32_t, 8>, 16> of{};  // orders of 32-bit halves
  };
  static constexpr Orders kOrders = [] {
    Orders orders;
    for (unsigned set = 0; set < orders.of.size(); ++set) {
      std::size_t at = 0;
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if ((set >> lane & 1) == 0) continue;
        orders.of[set][at++] = 2 * lane;
        orders.of[set][at++] = 2 * lane + 1;
      }
    }
    return orders;
  }();
  const auto* order = reinterpret_cast<const __m256i*>(kOrders.of[lanes].data());
  store(to, {_mm256_permutevar8x32_epi32(a.v, _mm256_load_si256(order))});
}

#include "core/configurations/byte_lanes_avx2.inc"
#include "core/configurations/leaf_kernel.inc"
#include "core/configurations/pair_kernel.inc"
#include "core/configurations/row_kernel.inc"

}  // namespace
MANYPLY_TARGET_END

const RowKernel kRowKernel = kRowFunctions;
const PairKernel kPairKernel = kPairFunctions;
const LeafKernel kLeafKernel = kLeafFunctions;

}  // namespace manyply::avx2

#endif  // MANYPLY_X86

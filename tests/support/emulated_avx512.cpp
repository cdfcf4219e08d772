#include "tests/support/emulated_avx512.h"

#if __has_include(<simde/x86/avx512.h>) && defined(__SSE2__)

#include <emmintrin.h>
// SIMDe names a type that clang's <emmintrin.h> has already named.
#define __m128bh simde_m128bh
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/gfni.h>
#undef __m128bh
using __mmask8 = simde__mmask8;
using __mmask32 = simde__mmask32;
using __mmask64 = simde__mmask64;
#define _mm512_shuffle_i64x2 simde_mm512_shuffle_i64x2

#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <stop_token>

#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/slider_tables.h"
#include "core/two_ply.h"

namespace manyply {
namespace {

// --- what SIMDe 0.7.4 lacks --------------------------------------------------------------------

template <typename Element, typename Vector>
auto elements_of(const Vector& vector) {
  return std::bit_cast<std::array<Element, sizeof(Vector) / sizeof(Element)>>(vector);
}

/// Each of the first elements of `vector` as an element of the result, zero-extended.
template <typename To, typename From, typename Vector>
__m512i widened(const Vector& vector) {
  const auto from = elements_of<From>(vector);
  std::array<To, 64 / sizeof(To)> to{};
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i];
  return std::bit_cast<__m512i>(to);
}

/// The elements that `mask` chooses, packed to the front.
template <typename Element>
__m512i packed(std::uint64_t mask, const __m512i& vector) {
  const auto from = elements_of<Element>(vector);
  std::array<Element, 64 / sizeof(Element)> to{};
  std::size_t size = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if ((mask >> i & 1) != 0) to[size++] = from[i];
  }
  return std::bit_cast<__m512i>(to);
}

inline __m512i _mm512_cvtepu8_epi64(__m128i a) { return widened<std::uint64_t, std::uint8_t>(a); }
inline __m512i _mm512_cvtepu16_epi64(__m128i a) { return widened<std::uint64_t, std::uint16_t>(a); }
inline __m512i _mm512_cvtepu8_epi16(__m256i a) { return widened<std::uint16_t, std::uint8_t>(a); }
inline __m512i _mm512_maskz_compress_epi8(__mmask64 mask, __m512i a) {
  return packed<std::uint8_t>(mask, a);
}
inline __m512i _mm512_maskz_compress_epi16(__mmask32 mask, __m512i a) {
  return packed<std::uint16_t>(mask, a);
}
inline __m128i _mm512_cvtepi64_epi8(__m512i a) {
  const auto from = elements_of<std::uint64_t>(a);
  std::array<std::uint8_t, 16> to{};
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<std::uint8_t>(from[i]);
  return std::bit_cast<__m128i>(to);
}

#include "tests/support/avx512_results.inc"

// --- what the kernel uses besides
// -----------------------------------------------------------------

inline unsigned _bzhi_u32(unsigned value, unsigned index) {
  return (index & 0xFF) < 32 ? value & ((1U << (index & 0xFF)) - 1) : value;
}
inline Bitboard rook_attacks(int square, Bitboard occupied) {
  return rook_attacks_by_hyperbola(square, occupied);
}
inline Bitboard bishop_attacks(int square, Bitboard occupied) {
  return bishop_attacks_by_hyperbola(square, occupied);
}

#include "core/scalar_moves.inc"
// In this order, as in core/kernel_avx512.cpp.
#include "core/lanes_avx512.inc"
#include "core/two_ply.inc"

}  // namespace

const Kernel* emulated_avx512() {
  static const Kernel kernel{"avx512-emulated", "the AVX-512 kernel over SIMDe",
                             kernel_count,      kernel_count_two_plies,
                             kernel_generate,   kernel_make_unchecked};
  return &kernel;
}

Avx512Results emulated_avx512_results(const Avx512Sample& sample) { return avx512_results(sample); }

}  // namespace manyply

#else

namespace manyply {

const Kernel* emulated_avx512() { return nullptr; }
Avx512Results emulated_avx512_results(const Avx512Sample&) { return {}; }

}  // namespace manyply

#endif

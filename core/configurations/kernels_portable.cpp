// Configuration kernels for any 64-bit machine, in the compiler's vectors of 16 bytes. A register
// contains two columns in the row kernel, and two words of 64 columns each in the pair kernel. In
// the leaf kernel, four registers contain one byte for each of 64 columns.
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#include "core/configurations/configuration_kernels.h"

namespace manyply::portable {
namespace {

#include "core/kernels/lanes_pair.inc"

struct Paths {
  std::array<std::uint32_t, kLanes> v;
};

inline Paths no_paths() { return {}; }
inline Paths load_paths(const std::uint32_t* words) {
  Paths paths;
  __builtin_memcpy(paths.v.data(), words, sizeof paths.v);
  return paths;
}
inline void store_paths(std::uint32_t* words, const Paths& paths) {
  __builtin_memcpy(words, paths.v.data(), sizeof paths.v);
}
inline Paths unpacked(unsigned lanes, const std::uint16_t* numbers) {
  Paths paths;
  for (std::size_t i = 0; i < paths.v.size(); ++i) {
    const unsigned is_set = lanes >> i & 1;
    paths.v[i] = is_set * *numbers;
    numbers += is_set;
  }
  return paths;
}
inline Paths added(LaneMask m, Paths a, const Paths& b) {
  alignas(sizeof(Lanes)) std::array<Bitboard, kLanes> mask;
  store(mask.data(), keep(m, all_lanes(~Bitboard{0})));
  for (std::size_t i = 0; i < a.v.size(); ++i)
    a.v[i] += b.v[i] & static_cast<std::uint32_t>(mask[i]);
  return a;
}
inline Paths either(Paths a, const Paths& b) {
  for (std::size_t i = 0; i < a.v.size(); ++i) a.v[i] |= b.v[i];
  return a;
}
inline std::uint32_t all_bits(const Paths& a) {
  std::uint32_t bits = 0;
  for (const std::uint32_t word : a.v) bits |= word;
  return bits;
}
inline unsigned nonzero_lanes(const Paths& a) {
  unsigned lanes = 0;
  for (std::size_t i = 0; i < a.v.size(); ++i) lanes |= (a.v[i] != 0 ? 1U : 0U) << i;
  return lanes;
}
inline unsigned lanes_in(LaneMask m) { return nonzero_lanes(keep(m, all_lanes(1))); }
inline void put_lanes(Bitboard* to, unsigned lanes, Lanes a) {
  alignas(sizeof(Lanes)) std::array<Bitboard, kLanes> words;
  store(words.data(), a);
  for (std::size_t i = 0; i < words.size(); ++i) {
    *to = words[i];
    to += lanes >> i & 1;
  }
}

#include "core/configurations/byte_lanes_portable.inc"
#include "core/configurations/leaf_kernel.inc"
#include "core/configurations/pair_kernel.inc"
#include "core/configurations/row_kernel.inc"

}  // namespace

const RowKernel kRowKernel = kRowFunctions;
const PairKernel kPairKernel = kPairFunctions;
const LeafKernel kLeafKernel = kLeafFunctions;

}  // namespace manyply::portable

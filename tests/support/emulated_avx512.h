// Runs the AVX-512 kernel on machines without AVX-512: the same source, compiled with SIMDe's
// functions instead of the processor's instructions. Checks results, not speed.
#pragma once

#include <array>
#include <cstdint>

#include "core/configurations/leaf_kernel.h"
#include "core/kernel.h"

namespace manyply {

/// Returns the emulated kernel. Returns null if this code was not compiled by clang for x86, or if
/// SIMDe was missing (Debian: libsimde-dev).
const Kernel* emulated_avx512();

/// Returns the emulated kernel for the last two plies by configurations; null if emulated_avx512()
/// is null.
const LeafKernel* emulated_avx512_leaves();

/// Results of some instructions for one Avx512Sample. SIMDe 0.7.4 lacks these instructions, so
/// emulated_avx512.cpp implements them.
struct Avx512Results {
  std::array<std::uint64_t, 8> bytes;   ///< the first eight bytes of the sample, zero-extended
  std::array<std::uint64_t, 8> words;   ///< the eight 16-bit words of the sample, zero-extended
  std::array<std::uint8_t, 64> chosen;  ///< numbers of the bits set in sample[0], then zeros
  std::array<std::uint16_t, 32> wide_bytes;  ///< the first half of `chosen`, zero-extended

  bool operator==(const Avx512Results&) const = default;
};
using Avx512Sample = std::array<std::uint64_t, 2>;
/// Returns the results of the emulation. Must not be called if emulated_avx512() is null.
Avx512Results emulated_avx512_results(const Avx512Sample& sample);

using EightWords = std::array<std::uint64_t, 8>;
/// Returns the sums that the kernel computes: element p is the sum of all counts[i] for which
/// parents[i] is p. Counts of parents above 7 are dropped. Precondition: counts are below 2^16.
/// Must not be called if emulated_avx512() is null.
EightWords emulated_avx512_totals(const EightWords& counts,
                                  const std::array<std::uint8_t, 8>& parents);

}  // namespace manyply

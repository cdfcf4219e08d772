// Runs the AVX-512 kernel on machines without AVX-512: the same source, compiled with SIMDe's
// functions instead of the processor's instructions. Checks results, not speed.
#pragma once

#include <array>
#include <cstdint>

#include "core/configurations/leaf_kernel.h"
#include "core/kernel.h"

namespace manyply {

/// Returns the emulated kernel; null if GCC compiled the program or SIMDe is missing (Debian:
/// libsimde-dev).
const Kernel* emulated_avx512();

/// Returns the emulated kernel for the last two plies by configurations; null in the same cases.
const LeafKernel* emulated_avx512_leaves();

/// Results of the instructions that SIMDe 0.7.4 lacks. emulated_avx512.cpp implements them.
struct Avx512Results {
  std::array<std::uint64_t, 8> bytes;  ///< the first eight, to 64 bits each
  std::array<std::uint64_t, 8> words;
  std::array<std::uint8_t, 64> chosen;       ///< numbers, those in the set of the first word
  std::array<std::uint16_t, 32> wide_bytes;  ///< the first half of these

  bool operator==(const Avx512Results&) const = default;
};
using Avx512Sample = std::array<std::uint64_t, 2>;
/// Returns the results of the emulation. Must not be called if emulated_avx512() is null.
Avx512Results emulated_avx512_results(const Avx512Sample& sample);

using EightWords = std::array<std::uint64_t, 8>;
/// Returns the kernel's sums of counts below 2^16 for the parents 0 to 7; it drops counts of other
/// parents. Must not be called if emulated_avx512() is null.
EightWords emulated_avx512_totals(const EightWords& counts,
                                  const std::array<std::uint8_t, 8>& parents);

}  // namespace manyply

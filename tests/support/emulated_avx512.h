// The AVX-512 kernel on machines without AVX-512: the same source, over SIMDe's functions in place
// of the processor's instructions. It proves results, not speed.
#pragma once

#include <array>
#include <cstdint>

#include "core/configurations/leaf_kernel.h"
#include "core/kernel.h"

namespace manyply {

/// Null where the program was built by GCC, or without SIMDe (Debian: libsimde-dev).
const Kernel* emulated_avx512();

/// The same of the last two plies by configurations.
const LeafKernel* emulated_avx512_leaves();

/// What the instructions do that SIMDe 0.7.4 lacks and emulated_avx512.cpp therefore supplies.
struct Avx512Results {
  std::array<std::uint64_t, 8> bytes;  ///< the first eight, to 64 bits each
  std::array<std::uint64_t, 8> words;
  std::array<std::uint8_t, 64> chosen;       ///< numbers, those in the set of the first word
  std::array<std::uint16_t, 32> wide_bytes;  ///< the first half of these

  bool operator==(const Avx512Results&) const = default;
};
using Avx512Sample = std::array<std::uint64_t, 2>;
/// By the emulation; must not be called where emulated_avx512() is null.
Avx512Results emulated_avx512_results(const Avx512Sample& sample);

using EightWords = std::array<std::uint64_t, 8>;
/// How the kernel adds up counts below 2^16 by parent, 0 to 7; other parents' are dropped. Must not
/// be called where emulated_avx512() is null.
EightWords emulated_avx512_totals(const EightWords& counts,
                                  const std::array<std::uint8_t, 8>& parents);

}  // namespace manyply

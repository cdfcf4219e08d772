// Slider attack tables indexed by PEXT, for x86-64 with BMI2. The tables need 840 KiB and are
// filled once.
#pragma once

#include <array>
#include <cstddef>

#include "core/bitboard.h"
#include "core/kernels/slider_tables.h"

namespace manyply {

/// The attacks of a slider on one square. The index into `attacks` is the result of PEXT, which
/// extracts the bits of `mask` from the occupied squares.
struct SliderEntry {
  Bitboard mask;
  const Bitboard* attacks;
};

/// The entries of all squares, and whether to use them.
struct SliderTables {
  static constexpr std::size_t kRookEntries = 102400;
  static constexpr std::size_t kBishopEntries = 5248;

  /// False on processors without BMI2, and on AMD processors before Zen 3. The latter execute PEXT
  /// in microcode, which takes up to 300 cycles; hyperbola quintessence is much faster there.
  bool is_fast;
  std::array<SliderEntry, 64> rook;
  std::array<SliderEntry, 64> bishop;
  std::array<Bitboard, kRookEntries + kBishopEntries> attacks;
};

/// Filled by prepare_pext_tables() before any kernel that uses them runs; constant afterwards.
extern SliderTables pext_tables;

/// Fills the tables. all_kernels() calls it once.
void prepare_pext_tables(bool is_fast);

}  // namespace manyply

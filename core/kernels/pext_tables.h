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

  /// False on processors without BMI2, and on AMD processors before Zen 3. On those AMD
  /// processors, PEXT takes up to 300 cycles, so hyperbola quintessence is much faster.
  bool is_fast;
  std::array<SliderEntry, 64> rook;
  std::array<SliderEntry, 64> bishop;
  std::array<Bitboard, kRookEntries + kBishopEntries> attacks;
};

/// prepare_pext_tables() fills these tables before any kernel uses them. They are constant
/// afterwards.
extern SliderTables pext_tables;

/// Fills the tables. all_kernels() calls it once.
void prepare_pext_tables(bool is_fast);

}  // namespace manyply

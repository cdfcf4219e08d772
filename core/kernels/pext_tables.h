// Slider attack tables indexed by PEXT: x86-64 with BMI2. 840 KiB, filled once.
#pragma once

#include <array>
#include <cstddef>

#include "core/bitboard.h"
#include "core/kernels/slider_tables.h"

namespace manyply {

/// Attacks of a slider on one square, indexed by the occupied squares of `mask` packed by PEXT.
struct SliderEntry {
  Bitboard mask;
  const Bitboard* attacks;
};

struct SliderTables {
  static constexpr std::size_t kRookEntries = 102400;
  static constexpr std::size_t kBishopEntries = 5248;

  /// False on AMD processors before Zen 3: they run PEXT in microcode, up to 300 cycles, so that
  /// hyperbola quintessence is far faster.
  bool is_fast;
  std::array<SliderEntry, 64> rook;
  std::array<SliderEntry, 64> bishop;
  std::array<Bitboard, kRookEntries + kBishopEntries> attacks;
};

/// Filled by prepare_pext_tables() before any kernel runs, constant from then on.
extern SliderTables pext_tables;

/// Fills the tables. Called once, by all_kernels().
void prepare_pext_tables(bool is_fast);

}  // namespace manyply

// Slider attacks: hyperbola quintessence for any processor, and tables for processors with PEXT.
#pragma once

#include <array>
#include <cstddef>

#include "core/geometry.h"

namespace manyply {

// Slider attacks without special instructions. Files and diagonals use hyperbola quintessence,
// ranks use a table. The constants need 2 KiB. The code needs no multiplication and no PEXT.

namespace detail {

/// The file and the two diagonals through a square, without the square itself. Attacks along them
/// are computed with byte swaps.
struct Lines {
  Bitboard file;
  Bitboard diagonal;      // a1-h8 direction
  Bitboard antidiagonal;  // a8-h1 direction
};

constexpr std::array<Lines, 64> lines_table() {
  std::array<Lines, 64> table{};
  for (int square = 0; square < 64; ++square) {
    Lines& lines = table[static_cast<std::size_t>(square)];
    lines.file = ray(square, {0, 1}, 0) | ray(square, {0, -1}, 0);
    lines.diagonal = ray(square, {1, 1}, 0) | ray(square, {-1, -1}, 0);
    lines.antidiagonal = ray(square, {-1, 1}, 0) | ray(square, {1, -1}, 0);
  }
  return table;
}

/// Returns the attacks along the first rank, indexed by the slider's file and by the occupancy of
/// the six inner squares.
constexpr std::array<std::array<std::uint8_t, 64>, 8> rank_table() {
  std::array<std::array<std::uint8_t, 64>, 8> table{};
  for (int file = 0; file < 8; ++file) {
    for (unsigned inner = 0; inner < 64; ++inner) {
      const Bitboard occupied = Bitboard{inner} << 1;
      const Bitboard seen = ray(file, {1, 0}, occupied) | ray(file, {-1, 0}, occupied);
      table[static_cast<std::size_t>(file)][inner] = static_cast<std::uint8_t>(seen & 0xFF);
    }
  }
  return table;
}

inline constexpr std::array<Lines, 64> kLines = lines_table();
inline constexpr std::array<std::array<std::uint8_t, 64>, 8> kRankAttacks = rank_table();

/// Returns the attacks of a slider on `square` along `line`, a file or diagonal through `square`. A
/// subtraction of the slider from the occupied squares borrows up to the first blocker. The same
/// subtraction on the byte-swapped board gives the attacks in the opposite direction.
constexpr Bitboard line_attacks(int square, Bitboard line, Bitboard occupied) {
  const Bitboard slider = bit(square);
  const Bitboard up = (occupied & line) - slider;
  const Bitboard down =
      __builtin_bswap64(__builtin_bswap64(occupied & line) - __builtin_bswap64(slider));
  return (up ^ down) & line;
}

}  // namespace detail

/// These functions return the attacked squares, including the first blockers.
constexpr Bitboard rook_attacks_by_hyperbola(int square, Bitboard occupied) {
  const int rank_shift = square & 56;
  const auto inner = static_cast<std::size_t>((occupied >> (rank_shift + 1)) & 63);
  const Bitboard rank = Bitboard{detail::kRankAttacks[static_cast<std::size_t>(square & 7)][inner]}
                        << rank_shift;
  return rank | detail::line_attacks(square, detail::kLines[static_cast<std::size_t>(square)].file,
                                     occupied);
}

constexpr Bitboard bishop_attacks_by_hyperbola(int square, Bitboard occupied) {
  const detail::Lines& lines = detail::kLines[static_cast<std::size_t>(square)];
  return detail::line_attacks(square, lines.diagonal, occupied) |
         detail::line_attacks(square, lines.antidiagonal, occupied);
}

// Slider attack tables indexed by PEXT, for x86-64 with BMI2. The tables need 840 KiB and are
// filled once.

/// The attacks of a slider on one square. The index into `attacks` is the result of PEXT, which
/// extracts the bits of `mask` from the occupied squares.
struct SliderEntry {
  Bitboard mask;
  const Bitboard* attacks;
};

/// The PEXT tables. If `is_fast` is false, the kernels use hyperbola quintessence instead.
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

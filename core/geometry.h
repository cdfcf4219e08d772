// Tables of board geometry, computed at compile time.
#pragma once

#include <array>

#include "core/bitboard.h"

namespace manyply {

namespace detail {

/// The change of file and of rank in one step.
struct Step {
  int file;
  int rank;
};
inline constexpr std::array<Step, 4> kOrthogonalSteps{{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
inline constexpr std::array<Step, 4> kDiagonalSteps{{{1, 1}, {-1, 1}, {1, -1}, {-1, -1}}};
inline constexpr std::array<Step, 8> kKnightSteps{
    {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}};

constexpr bool on_board(int file, int rank) {
  return file >= 0 && file < 8 && rank >= 0 && rank < 8;
}

/// Returns the squares that a slider on `square` sees in direction `step`, including the first
/// occupied one.
constexpr Bitboard ray(int square, Step step, Bitboard occupied) {
  Bitboard seen = 0;
  int file = (square & 7) + step.file;
  int rank = (square >> 3) + step.rank;
  for (; on_board(file, rank); file += step.file, rank += step.rank) {
    seen |= bit(rank * 8 + file);
    if (occupied & bit(rank * 8 + file)) break;
  }
  return seen;
}

/// Returns the union of ray() in all directions of `steps`.
template <std::size_t N>
constexpr Bitboard rays(int square, const std::array<Step, N>& steps, Bitboard occupied) {
  Bitboard seen = 0;
  for (const Step step : steps) seen |= ray(square, step, occupied);
  return seen;
}

template <std::size_t N>
constexpr std::array<Bitboard, 64> leaper_table(const std::array<Step, N>& steps) {
  std::array<Bitboard, 64> table{};
  for (int square = 0; square < 64; ++square) {
    for (const Step step : steps) {
      const int file = (square & 7) + step.file;
      const int rank = (square >> 3) + step.rank;
      if (on_board(file, rank)) table[static_cast<std::size_t>(square)] |= bit(rank * 8 + file);
    }
  }
  return table;
}

constexpr std::array<Step, 8> king_steps() {
  return {{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}}};
}

/// Returns a table. Its element [a][b] has the squares strictly between a and b. The element is
/// empty if a and b are not on the same rank, file or diagonal.
constexpr std::array<std::array<Bitboard, 64>, 64> between_table() {
  std::array<std::array<Bitboard, 64>, 64> table{};
  for (int from = 0; from < 64; ++from) {
    for (const Step step : king_steps()) {
      Bitboard passed = 0;
      int file = (from & 7) + step.file;
      int rank = (from >> 3) + step.rank;
      for (; on_board(file, rank); file += step.file, rank += step.rank) {
        const int to = rank * 8 + file;
        table[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = passed;
        passed |= bit(to);
      }
    }
  }
  return table;
}

}  // namespace detail

inline constexpr std::array<Bitboard, 64> kKnightAttacks =
    detail::leaper_table(detail::kKnightSteps);
inline constexpr std::array<Bitboard, 64> kKingAttacks = detail::leaper_table(detail::king_steps());
inline constexpr std::array<std::array<Bitboard, 64>, 64> kBetween = detail::between_table();

/// These functions find slider attacks by following the rays, which is slow but simple. Do not use
/// them on hot paths. Tests compare the fast functions with them.
constexpr Bitboard rook_attacks_by_walking(int square, Bitboard occupied) {
  return detail::rays(square, detail::kOrthogonalSteps, occupied);
}
constexpr Bitboard bishop_attacks_by_walking(int square, Bitboard occupied) {
  return detail::rays(square, detail::kDiagonalSteps, occupied);
}

}  // namespace manyply

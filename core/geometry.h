// Tables of board geometry, computed at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

// Castling for any king and rook on the back rank, including Chess960.

/// The squares involved in castling with one king and one rook.
struct CastlingPath {
  Bitboard empty;       ///< squares that must be empty, apart from this king and rook
  Bitboard safe;        ///< squares that the king passes or reaches; none may be attacked
  std::int8_t king_to;  ///< target square of the king
  std::int8_t rook_to;  ///< target square of the rook
};

namespace detail {

constexpr CastlingPath castling_path(int king, int rook) {
  const int rank_start = king & 56;
  const bool king_side = rook > king;
  const int king_to = rank_start + (king_side ? 6 : 2);
  const int rook_to = rank_start + (king_side ? 5 : 3);
  const auto span = [](int from, int to) {
    return kBetween[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] | bit(to);
  };
  const Bitboard king_span = span(king, king_to);
  return {.empty = (king_span | span(rook, rook_to)) & ~(bit(king) | bit(rook)),
          .safe = king_span,
          .king_to = static_cast<std::int8_t>(king_to),
          .rook_to = static_cast<std::int8_t>(rook_to)};
}

/// Returns the castling paths on rank 1, indexed by the king's file and then by the rook's file.
constexpr std::array<std::array<CastlingPath, 8>, 8> castling_table() {
  std::array<std::array<CastlingPath, 8>, 8> table{};
  for (int king = 0; king < 8; ++king) {
    for (int rook = 0; rook < 8; ++rook) {
      if (king != rook)
        table[static_cast<std::size_t>(king)][static_cast<std::size_t>(rook)] =
            castling_path(king, rook);
    }
  }
  return table;
}

inline constexpr std::array<std::array<CastlingPath, 8>, 8> kCastlingPaths = castling_table();

}  // namespace detail

/// Returns the squares for castling with `king` and `rook`. Precondition: both squares are on the
/// back rank of `Us`, and king != rook.
template <Color Us>
constexpr CastlingPath castling_path(int king, int rook) {
  CastlingPath path = detail::kCastlingPaths[static_cast<std::size_t>(king & 7)]
                                            [static_cast<std::size_t>(rook & 7)];
  if constexpr (Us == Color::kBlack) {
    path.empty <<= 56;
    path.safe <<= 56;
    path.king_to = static_cast<std::int8_t>(path.king_to + 56);
    path.rook_to = static_cast<std::int8_t>(path.rook_to + 56);
  }
  return path;
}
/// Like castling_path<Us>(king, rook), but with the side as an argument.
constexpr CastlingPath castling_path(Color us, int king, int rook) {
  return us == Color::kWhite ? castling_path<Color::kWhite>(king, rook)
                             : castling_path<Color::kBlack>(king, rook);
}

}  // namespace manyply

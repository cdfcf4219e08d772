// Board: the raw bitboards that kernels work on. Everybody else uses Position (core/position.h).
#pragma once

#include <array>
#include <compare>

#include "core/bitboard.h"

namespace manyply {

/// The men of one side. Queens stand in both slider sets, so that every diagonal (orthogonal)
/// mover is found in one word: bishops = diagonal & ~orthogonal, queens = diagonal & orthogonal.
struct Men {
  Bitboard pawns = 0;
  Bitboard knights = 0;
  Bitboard diagonal = 0;
  Bitboard orthogonal = 0;
  Bitboard king = 0;

  [[nodiscard]] constexpr Bitboard all() const {
    return pawns | knights | diagonal | orthogonal | king;
  }
  friend constexpr auto operator<=>(const Men&, const Men&) = default;
};

/// What identifies a position, and nothing else: no clocks. `en_passant` is the target square's bit
/// if and only if an en passant capture is legal now; `castling` holds the squares of the rooks
/// that may still castle. Equal boards therefore have equal perft at every depth.
struct Board {
  std::array<Men, 2> men;  ///< by Color
  Bitboard castling = 0;
  Bitboard en_passant = 0;
  Color side_to_move = Color::kWhite;

  [[nodiscard]] constexpr const Men& of(Color color) const {
    return men[static_cast<std::size_t>(color)];
  }
  [[nodiscard]] constexpr Men& of(Color color) { return men[static_cast<std::size_t>(color)]; }
  [[nodiscard]] constexpr Bitboard occupied() const { return men[0].all() | men[1].all(); }
  friend constexpr auto operator<=>(const Board&, const Board&) = default;
};

}  // namespace manyply

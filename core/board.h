// Board: the bitboards of a position, for kernels and searches. A Board is not checked. A Position
// (core/position.h) is a Board that is known to be legal.
#pragma once

#include <array>
#include <compare>

#include "core/bitboard.h"

namespace manyply {

/// The pieces of one side. A queen is in both sets of sliders: `bishops_queens` has all pieces that
/// move diagonally, and `rooks_queens` has all pieces that move orthogonally. So the bishops are
/// bishops_queens & ~rooks_queens, and the queens are bishops_queens & rooks_queens.
struct Pieces {
  Bitboard pawns = 0;
  Bitboard knights = 0;
  Bitboard bishops_queens = 0;
  Bitboard rooks_queens = 0;
  Bitboard king = 0;

  [[nodiscard]] constexpr Bitboard all() const {
    return pawns | knights | bishops_queens | rooks_queens | king;
  }
  friend constexpr auto operator<=>(const Pieces&, const Pieces&) = default;
};

/// Everything that determines the legal moves, but no clocks. `castling` has the squares of the
/// rooks that may still castle. If an en passant capture is legal now, `en_passant` has its target
/// square; otherwise `en_passant` is empty. Equal boards have equal perft at every depth.
struct Board {
  std::array<Pieces, 2> pieces;  ///< indexed by Color
  Bitboard castling = 0;
  Bitboard en_passant = 0;
  Color side_to_move = Color::kWhite;

  [[nodiscard]] constexpr const Pieces& of(Color color) const {
    return pieces[static_cast<std::size_t>(color)];
  }
  [[nodiscard]] constexpr Pieces& of(Color color) {
    return pieces[static_cast<std::size_t>(color)];
  }
  [[nodiscard]] constexpr Bitboard occupied() const { return pieces[0].all() | pieces[1].all(); }
  friend constexpr auto operator<=>(const Board&, const Board&) = default;
};

/// Returns `board` upside down (rank 1 becomes rank 8) and with the colours exchanged. The result
/// has the same number of moves of each kind as `board`, and the same perft at every depth.
constexpr Board turned_over(const Board& board) {
  const auto turned = [](Bitboard set) { return __builtin_bswap64(set); };
  const auto pieces = [&](const Pieces& of) {
    return Pieces{turned(of.pawns), turned(of.knights), turned(of.bishops_queens),
                  turned(of.rooks_queens), turned(of.king)};
  };
  return {.pieces = {pieces(board.pieces[1]), pieces(board.pieces[0])},
          .castling = turned(board.castling),
          .en_passant = turned(board.en_passant),
          .side_to_move = ~board.side_to_move};
}

}  // namespace manyply

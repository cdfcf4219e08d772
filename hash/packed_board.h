// A whole board in 32 bytes, without the side to move. Equal if and only if the boards are equal.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "core/board.h"

namespace manyply {

/// Four planes: bit s of plane i is bit i of the code of square s. Code 0 is an empty square.
///   bits 0 to 2   1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king, 7 rook that may castle
///   bit 3         black; without other bits: the pawn that may be captured en passant
struct PackedBoard {
  std::array<Bitboard, 4> planes{};
  friend constexpr auto operator<=>(const PackedBoard&, const PackedBoard&) = default;

  static constexpr PackedBoard of(const Board& board) {
    const auto& [white, black] = board.pieces;
    const Bitboard diagonal = white.bishops_queens | black.bishops_queens;
    const Bitboard orthogonal = white.rooks_queens | black.rooks_queens;
    const Bitboard kings = white.king | black.king;
    const Bitboard passed =
        board.side_to_move == Color::kWhite ? board.en_passant >> 8 : board.en_passant << 8;
    return {{((white.pawns | black.pawns) & ~passed) | diagonal | board.castling,
             white.knights | black.knights | (diagonal & ~orthogonal) | kings | board.castling,
             orthogonal | kings, black.all() | passed}};
  }

  /// Returns the board. Precondition: `side_to_move` is that of the packed board.
  [[nodiscard]] constexpr Board unpack(Color side_to_move) const {
    const auto [p0, p1, p2, p3] = planes;
    const Bitboard passed = p3 & ~(p0 | p1 | p2);
    const Bitboard castling = p0 & p1 & p2;
    const Bitboard queens = p0 & ~p1 & p2;
    const Bitboard rooks = (~p0 & ~p1 & p2) | castling;
    const Bitboard bishops = p0 & p1 & ~p2;
    Board board;
    for (const Color color : {Color::kWhite, Color::kBlack}) {
      const Bitboard own = color == Color::kWhite ? ~p3 : p3;
      Pieces& pieces = board.of(color);
      pieces.pawns = (p0 & ~p1 & ~p2 & own) | (color != side_to_move ? passed : 0);
      pieces.knights = ~p0 & p1 & ~p2 & own;
      pieces.bishops_queens = (bishops | queens) & own;
      pieces.rooks_queens = (rooks | queens) & own;
      pieces.king = ~p0 & p1 & p2 & own;
    }
    board.castling = castling;
    board.en_passant = side_to_move == Color::kWhite ? passed << 8 : passed >> 8;
    board.side_to_move = side_to_move;
    return board;
  }
};
static_assert(sizeof(PackedBoard) == 32);

/// A position of a ply with the number of paths to it.
struct ReachedPosition {
  PackedBoard board;
  std::uint64_t paths = 0;
};
static_assert(sizeof(ReachedPosition) == 40);

}  // namespace manyply

// Board: the bitboards of a position, for kernels and searches. A Board may be illegal. A Position
// (core/position.h) is a Board that is known to be legal.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstring>

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

// Several boards in the layout that vector registers need: word k of one board is next to word k of
// the next board.

/// Number of 64-bit words at the beginning of a Board: five for the pieces of each side, one for
/// castling, and one for en passant.
inline constexpr std::size_t kBoardWords = 12;
static_assert(sizeof(Board) > kBoardWords * sizeof(Bitboard));
static_assert(offsetof(Board, castling) == 10 * sizeof(Bitboard));
static_assert(offsetof(Board, en_passant) == 11 * sizeof(Bitboard));

/// Returns the index of the first word with pieces of `side`. The other words of this side follow
/// in the order of the fields of Pieces.
constexpr std::size_t first_word_of(Color side) { return side == Color::kWhite ? 0 : 5; }
inline constexpr std::size_t kCastlingWord = 10;
inline constexpr std::size_t kEnPassantWord = 11;

/// Up to kRoom boards with the same side to move. Kernels can load them into lanes without a
/// transposition.
struct BoardLanes {
  static constexpr std::size_t kRoom = 80;

  /// words[k][i] is word k of board i.
  alignas(64) std::array<std::array<Bitboard, kRoom>, kBoardWords> words;
  Color side_to_move;

  /// Sets board `i`, and the side to move of all boards.
  void put(std::size_t i, const Board& board) {
    std::array<Bitboard, kBoardWords> from;
    std::memcpy(from.data(), &board, sizeof from);
    for (std::size_t k = 0; k < kBoardWords; ++k) words[k][i] = from[k];
    side_to_move = board.side_to_move;
  }
  /// Returns board `i`. Precondition: put() has set board `i`.
  [[nodiscard]] Board board(std::size_t i) const {
    std::array<Bitboard, kBoardWords> to;
    for (std::size_t k = 0; k < kBoardWords; ++k) to[k] = words[k][i];
    Board board;
    std::memcpy(static_cast<void*>(&board), to.data(), sizeof to);
    board.side_to_move = side_to_move;
    return board;
  }
};

}  // namespace manyply

// Several boards in the layout that vector registers need: word k of one board is next to word k of
// the next board.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "core/board.h"

namespace manyply {

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

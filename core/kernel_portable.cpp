// The scalar kernel in plain 64-bit arithmetic: runs everywhere.
#include <cstdint>

#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/kernel_registry.h"
#include "core/slider_tables.h"

namespace manyply::portable {
namespace {

inline Bitboard rook_attacks(int square, Bitboard occupied) {
  return rook_attacks_by_hyperbola(square, occupied);
}
inline Bitboard bishop_attacks(int square, Bitboard occupied) {
  return bishop_attacks_by_hyperbola(square, occupied);
}

#include "core/scalar_moves.inc"
#include "core/scalar_recursion.inc"

}  // namespace

const Kernel kKernel{"portable",      "scalar, any 64-bit machine",
                     kernel_count,    kernel_count_two_plies,
                     kernel_generate, kernel_make_unchecked};

Bitboard checkers(const Board& board) {
  const int king = lowest(board.of(board.side_to_move).king);
  return board.side_to_move == Color::kWhite
             ? attackers<Color::kBlack>(board.of(Color::kBlack), king, board.occupied())
             : attackers<Color::kWhite>(board.of(Color::kWhite), king, board.occupied());
}

bool en_passant_is_possible(const Board& board, Square target) {
  return (board.side_to_move == Color::kWhite
              ? en_passant_capturers<Color::kWhite>(board, index(target))
              : en_passant_capturers<Color::kBlack>(board, index(target))) != 0;
}

}  // namespace manyply::portable

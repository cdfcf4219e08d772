// Computes the statistics of a single move without the sets kernel.
#include <cstddef>
#include <cstdint>

#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/kernel.h"
#include "core/kernels/slider_tables.h"
#include "core/move_statistics.h"

namespace manyply {
namespace {

#include "core/kernels/hyperbola_sliders.inc"
#include "core/kernels/scalar_moves.inc"
#include "core/kernels/statistics_checks.inc"

/// Returns the statistics of one move of White. This function shares only two pieces of code with
/// the kernels: the scalar code that makes moves, and the test for check and mate.
MoveStatistics statistics_of_move(const Board& board, Move move) {
  MoveStatistics one;
  const Bitboard to = bit(move.to());
  one[Statistic::kNodes] = 1;
  one[Statistic::kEnPassants] = move.kind() == MoveKind::kEnPassant ? 1 : 0;
  one[Statistic::kCaptures] =
      one[Statistic::kEnPassants] + ((board.of(Color::kBlack).all() & to) != 0 ? 1 : 0);
  one[Statistic::kCastles] = move.kind() == MoveKind::kCastling ? 1 : 0;
  one[Statistic::kPromotions] = move.is_promotion() ? 1 : 0;
  Bitboard arrived = to;
  if (move.kind() == MoveKind::kCastling) {
    const CastlingPath path = castling_path<Color::kWhite>(index(move.from()), index(move.to()));
    arrived = bit(path.king_to) | bit(path.rook_to);
    one[Statistic::kCaptures] = 0;
  }
  add_check<Color::kWhite>(make<Color::kWhite>(board, move), arrived, one);
  return one;
}

}  // namespace

MoveStatistics statistics_of(const Board& board, Move move) {
  if (board.side_to_move == Color::kWhite) return statistics_of_move(board, move);
  const auto turned = [](Square square) { return square_at(index(square) ^ 56); };
  return statistics_of_move(turned_over(board),
                            {turned(move.from()), turned(move.to()), move.kind()});
}

}  // namespace manyply

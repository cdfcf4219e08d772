// Move statistics in plain 64-bit arithmetic, and the statistics of a single move.
#include <cstdint>

#include "core/board.h"
#include "core/castling.h"
#include "core/geometry.h"
#include "core/slider_tables.h"
#include "core/statistics_registry.h"

namespace manyply {
namespace portable {
namespace {

#include "core/hyperbola_sliders.inc"
#include "core/scalar_moves.inc"
#include "core/statistics_moves.inc"

/// By what `move` says, not by sets as add_moves: nothing but the look at the child is shared.
template <Color Us>
MoveStatistics statistics_of_move(const Board& board, Move move) {
  MoveStatistics one;
  const Bitboard to = bit(move.to());
  one[Statistic::kNodes] = 1;
  one[Statistic::kEnPassants] = move.kind() == MoveKind::kEnPassant ? 1 : 0;
  one[Statistic::kCaptures] =
      one[Statistic::kEnPassants] + ((board.of(~Us).all() & to) != 0 ? 1 : 0);
  one[Statistic::kCastles] = move.kind() == MoveKind::kCastling ? 1 : 0;
  one[Statistic::kPromotions] = move.is_promotion() ? 1 : 0;
  Bitboard arrived = to;
  if (move.kind() == MoveKind::kCastling) {
    const CastlingPath path = castling_path<Us>(index(move.from()), index(move.to()));
    arrived = bit(path.king_to) | bit(path.rook_to);
    one[Statistic::kCaptures] = 0;
  }
  add_check<Us>(make<Us>(board, move), arrived, one);
  return one;
}

}  // namespace

const StatisticsKernel kStatisticsKernel{
    .name = "portable",
    .needs = {},
    .add_moves = statistics_add_moves,
    .add_two_plies = statistics_add_two_plies,
};

}  // namespace portable

MoveStatistics statistics_of(const Board& board, Move move) {
  return board.side_to_move == Color::kWhite
             ? portable::statistics_of_move<Color::kWhite>(board, move)
             : portable::statistics_of_move<Color::kBlack>(board, move);
}

}  // namespace manyply

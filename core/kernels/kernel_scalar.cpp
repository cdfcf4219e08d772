// The scalar code in plain 64-bit arithmetic. It runs on any machine. Its kernel is a recursion
// over copied boards, with bulk counting at the last ply. Tests compare the other kernels with it.
// This file also computes the statistics of a single move.
#include <cstddef>
#include <cstdint>

#include "core/base/stop_view.h"
#include "core/board.h"
#include "core/geometry.h"
#include "core/kernels/kernel_registry.h"
#include "core/kernels/slider_tables.h"
#include "core/move_statistics.h"

namespace manyply::scalar {
namespace {

#include "core/kernels/legal_moves.inc"
#include "core/kernels/statistics_checks.inc"

struct CountContext {
  StopView stop;
  CountStats& stats;
};

/// The smallest depth at which `stop` is polled. From the start position, a count of this depth
/// visits 9,322 positions.
inline constexpr int kStopPollDepth = 4;

template <Color Us>
std::uint64_t count_below(const Board& board, int depth, CountContext& context) {
  if (depth == 1) return count_moves<Us>(board);
  if (depth >= kStopPollDepth && context.stop.stop_requested()) return 0;
  std::uint64_t leaves = 0;
  std::uint64_t visited = 0;
  const auto visitor = [&](const auto& make) {
    leaves += count_below<~Us>(make(), depth - 1, context);
    ++visited;
  };
  ChildSink<Us, decltype(visitor)> sink{board, visitor};
  visit_moves<Us>(board, sink);
  context.stats.visited += visited;
  return leaves;
}

// The other functions that struct Kernel points to (see legal_moves.inc).

std::uint64_t kernel_count(const Board& board, int depth, StopView stop, CountStats& stats) {
  CountContext context{stop, stats};
  return board.side_to_move == Color::kWhite ? count_below<Color::kWhite>(board, depth, context)
                                             : count_below<Color::kBlack>(board, depth, context);
}

std::uint64_t kernel_count_two_plies(const Board* boards, std::size_t count,
                                     std::uint32_t* leaves) {
  CountStats stats;
  for (std::size_t i = 0; i < count; ++i)
    leaves[i] = static_cast<std::uint32_t>(kernel_count(boards[i], 2, {}, stats));
  return stats.visited;
}

std::uint64_t kernel_count_two_plies_in_lanes(const BoardLanes& boards, std::size_t count,
                                              std::uint32_t* leaves) {
  std::uint64_t children = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Board board = boards.board(i);
    children += kernel_count_two_plies(&board, 1, leaves + i);
  }
  return children;
}

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

const Kernel kKernel{
    .name = "scalar",
    .description = "one position at a time, any 64-bit machine",
    .needs = {},
    .hashed = HashedPartner::kPortable,
    .statistics = portable::kStatistics,
    .count = kernel_count,
    .count_two_plies = kernel_count_two_plies,
    .count_two_plies_in_lanes = kernel_count_two_plies_in_lanes,
    .generate = kernel_generate,
    .make_unchecked = kernel_make_unchecked,
};

}  // namespace manyply::scalar

namespace manyply {

MoveStatistics statistics_of(const Board& board, Move move) {
  if (board.side_to_move == Color::kWhite) return scalar::statistics_of_move(board, move);
  const auto turned = [](Square square) { return square_at(index(square) ^ 56); };
  return scalar::statistics_of_move(turned_over(board),
                                    {turned(move.from()), turned(move.to()), move.kind()});
}

}  // namespace manyply

#include "core/counting.h"

namespace manyply {

/// Above Kernel::kMaxDepth, counts may exceed 64 bits. So this function adds up the counts of the
/// children as NodeCount.
NodeCount count_board(const Board& board, int depth, const Kernel& kernel, StopView stop,
                      CountStats& stats) {
  if (depth == 0) return 1;
  if (depth <= Kernel::kMaxDepth) return kernel.count(board, depth, stop, stats);
  MoveList moves;
  kernel.generate(board, moves);
  NodeCount total;
  for (const Move move : moves) {
    if (stop.stop_requested()) break;
    ++stats.visited;
    total += count_board(kernel.make_unchecked(board, move), depth - 1, kernel, stop, stats);
  }
  return total;
}

Result<NodeCount> count_nodes(const Position& position, Depth depth, const Kernel& kernel,
                              StopView stop, CountStats& stats) {
  try {
    const NodeCount total = count_board(position.board(), depth.plies(), kernel, stop, stats);
    if (stop.stop_requested()) return cancelled();
    return total;
  } catch (const CountOverflow& overflow) {
    return Error{ErrorCode::kOverflow, "", 0, overflow.what()};
  }
}

Result<NodeCount> count_nodes(const Position& position, Depth depth) {
  CountStats stats;
  return count_nodes(position, depth, best_kernel(), StopView{}, stats);
}

Result<std::vector<DivideEntry>> divide(const Position& position, Depth depth) {
  MANYPLY_CHECK(depth.plies() >= 1);
  std::vector<DivideEntry> entries;
  for (const Move move : legal_moves(position)) {
    const Result<NodeCount> nodes =
        count_nodes(position.after_unchecked(move), Depth(depth.plies() - 1));
    if (!nodes) return nodes.error();
    entries.push_back({move, *nodes});
  }
  return entries;
}

}  // namespace manyply

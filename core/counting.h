// perft and divide on one thread, without a table.
#pragma once

#include <vector>

#include "core/kernel.h"
#include "core/node_count.h"
#include "core/position.h"
#include "core/stop_view.h"

namespace manyply {

/// perft(position, depth): the number of legal move paths of length `depth`; 1 at depth 0.
/// Stops early with ErrorCode::kCancelled when `stop` is requested; ErrorCode::kOverflow above 128
/// bits. Any thread; `stats` belongs to the caller.
Result<NodeCount> count_nodes(const Position& position, Depth depth, const Kernel& kernel,
                              StopView stop, CountStats& stats);

/// The same of a legal board. Throws CountOverflow; when `stop` was requested meanwhile, the answer
/// means nothing.
NodeCount count_board(const Board& board, int depth, const Kernel& kernel, StopView stop,
                      CountStats& stats);

/// Convenience: best kernel, cannot be cancelled.
Result<NodeCount> count_nodes(const Position& position, Depth depth);

struct DivideEntry {
  Move move;
  NodeCount nodes;
  friend constexpr auto operator<=>(const DivideEntry&, const DivideEntry&) = default;
};

/// perft(depth - 1) after each legal move, in legal_moves() order. Precondition: depth >= 1.
Result<std::vector<DivideEntry>> divide(const Position& position, Depth depth);

}  // namespace manyply

// perft and divide on one thread, without a table.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/node_count.h"
#include "core/base/stop_view.h"
#include "core/kernel.h"
#include "core/position.h"

namespace manyply {

/// Returns perft(position, depth): the number of legal move sequences of length `depth`; 1 at depth
/// 0. Errors: kCancelled if `stop` is requested; kOverflow above 128 bits. Any thread; adds to
/// `stats`, which belongs to the caller.
Result<NodeCount> count_nodes(const Position& position, Depth depth, const Kernel& kernel,
                              StopView stop, CountStats& stats);

/// Does the same for a board, which must be legal. Throws CountOverflow. If `stop` was requested
/// during the call, the result is meaningless.
NodeCount count_board(const Board& board, int depth, const Kernel& kernel, StopView stop,
                      CountStats& stats);

/// Does the same with the best kernel; cannot be cancelled.
Result<NodeCount> count_nodes(const Position& position, Depth depth);

/// A root move and the perft below it.
struct DivideEntry {
  Move move;
  NodeCount nodes;
  friend constexpr auto operator<=>(const DivideEntry&, const DivideEntry&) = default;
};

/// Returns perft(depth - 1) after each legal move, in legal_moves() order. Precondition: depth >=
/// 1.
Result<std::vector<DivideEntry>> divide(const Position& position, Depth depth);

// The methods of counting. The answer does not depend on the method.

enum class Method : std::uint8_t {
  kHashed,          ///< unit by unit, with a table of positions if the job has one
  kConfigurations,  ///< as a matrix of both sides' configurations (core/configurations)
  kAuto,            ///< the method that is expected to be faster
};

}  // namespace manyply

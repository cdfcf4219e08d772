// Counts perft and divide on one thread, without a hash table. Also lists the methods of counting.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/node_count.h"
#include "core/base/stop_view.h"
#include "core/kernel.h"
#include "core/position.h"

namespace manyply {

/// Returns perft(position, depth), which is the number of legal move sequences of length `depth`.
/// It is 1 at depth 0. Adds the number of visited positions to `stats`. Errors: kCancelled if
/// `stop` is requested; kOverflow above 128 bits. Any thread may call it, with its own `stats`.
Result<NodeCount> count_nodes(const Position& position, Depth depth, const Kernel& kernel,
                              StopView stop, CountStats& stats);

/// Like count_nodes(), for a board, which must be legal. Throws CountOverflow above 128 bits. If
/// `stop` was requested during the call, the result is meaningless.
NodeCount count_board(const Board& board, int depth, const Kernel& kernel, StopView stop,
                      CountStats& stats);

/// Like count_nodes() above, but uses the best kernel and cannot be cancelled.
Result<NodeCount> count_nodes(const Position& position, Depth depth);

/// A root move and the perft below it.
struct DivideEntry {
  Move move;
  NodeCount nodes;
  friend constexpr auto operator<=>(const DivideEntry&, const DivideEntry&) = default;
};

/// Returns perft(depth - 1) after each legal move, in legal_moves() order. Precondition: depth >=
/// 1. Error: kOverflow above 128 bits. Uses the best kernel and cannot be cancelled.
Result<std::vector<DivideEntry>> divide(const Position& position, Depth depth);

// The methods of counting. The answer does not depend on the method.

enum class Method : std::uint8_t {
  kHashed,          ///< counts each unit separately, with a hash table if the job has one
  kConfigurations,  ///< counts with a matrix of both sides' configurations (core/configurations)
  kAuto,            ///< the method that Manyply expects to be faster
};

/// The number of random walks of an estimate, unless the user chooses another number.
inline constexpr std::uint64_t kUsualSamples = 10'000;

}  // namespace manyply

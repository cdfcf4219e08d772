// Decides which counts are small, so that one worker counts them faster than a job can start.
#pragma once

#include <stop_token>

#include "core/kernel.h"
#include "core/position.h"

namespace manyply {

/// Estimates whether `board` has at most `most_leaves` leaves at `depth` >= 1 plies. Assumes that
/// each further ply multiplies the leaves as the third one does; a depth of 4 or less is always
/// small. This is a guess: if pieces get free late, counts of ten times as many leaves may pass as
/// small. It counts two and three plies exactly, which costs up to a fiftieth of the full count.
/// After `stop` the result is meaningless. Any thread.
[[nodiscard]] bool is_small(const Board& board, int depth, double most_leaves, const Kernel& kernel,
                            const std::stop_token& stop);

}  // namespace manyply

// Which counts are small: those that one worker does in less time than a job takes to begin.
#pragma once

#include <stop_token>

#include "core/kernel.h"
#include "core/position.h"

namespace manyply {

/// Whether `board` has at most `most_leaves` leaves at `depth` >= 1 plies, if each ply goes on to
/// multiply them as the third one does; a depth of 4 is always small. A guess: where pieces get
/// free late, ten times as many may be called small. From exact counts of two and three plies, so
/// it costs up to a fiftieth of the count. After `stop` it means nothing. Any thread.
[[nodiscard]] bool is_small(const Board& board, int depth, double most_leaves, const Kernel& kernel,
                            const std::stop_token& stop);

}  // namespace manyply

// The order in which Stockfish lists the moves of a position: a published behaviour of that program
// which tools rely on when they compare its output line by line.
#pragma once

#include <optional>
#include <vector>

#include "core/position.h"

namespace manyply {

/// The legal moves of `position` as Stockfish 15.1 orders them. `passed` is the square that the
/// last move, a pawn's double step, passed over, whether or not it can be captured there (see
/// Line).
[[nodiscard]] std::vector<Move> stockfish_order(const Position& position,
                                                std::optional<Square> passed);

}  // namespace manyply

// The order in which Stockfish lists the moves of a position. Tools rely on this published
// behaviour when they compare its output line by line.
#pragma once

#include <optional>
#include <vector>

#include "core/position.h"

namespace manyply {

/// Returns the legal moves of `position` in the order of Stockfish 15.1. `passed` is the square
/// that the last move passed if it was a double push, whether or not it can be captured en passant
/// (see Line).
[[nodiscard]] std::vector<Move> stockfish_order(const Position& position,
                                                std::optional<Square> passed);

}  // namespace manyply

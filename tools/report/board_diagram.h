// Draws a board with characters.
#pragma once

#include <string>

#include "core/position.h"

namespace manyply {

/// Returns the board as Stockfish draws it: ranks 8 to 1 from the top, White in capitals, files at
/// the bottom.
[[nodiscard]] std::string board_diagram(const Position& position);

}  // namespace manyply

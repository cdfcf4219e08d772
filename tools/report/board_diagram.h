// A board drawn with characters.
#pragma once

#include <string>

#include "core/position.h"

namespace manyply {

/// As Stockfish draws it: ranks 8 to 1 from the top, White in capitals. Ends with the files' names.
[[nodiscard]] std::string board_diagram(const Position& position);

}  // namespace manyply

// The document of a position, as GET /v1/position returns it and the page reads it.
#pragma once

#include <string>

#include "core/line.h"
#include "core/position_text.h"

namespace manyply {

/// Returns FEN, start position and moves, side to move, keys, legal moves in UCI and SAN, and
/// published counts. `read` adds how the given text was interpreted.
[[nodiscard]] std::string position_document(const Line& line, const PositionText& read);

}  // namespace manyply

// Returns positions by their FEN, for tests that use many.
#pragma once

#include <string_view>

#include "core/fen.h"

namespace manyply {

/// Precondition: parse_position() accepts `fen`.
inline Position position_at(std::string_view fen) { return parse_position(fen).value().position; }
inline Board board_at(std::string_view fen) { return position_at(fen).board(); }

}  // namespace manyply

// A position in a document of its own: what GET /v1/position answers, and the page reads.
#pragma once

#include <string>

#include "core/line.h"
#include "core/position_text.h"

namespace manyply {

/// FEN, the start and the moves that led from it, side to move, keys, legal moves in UCI and in
/// SAN, published counts; and what was made of the text that it was `read` from.
[[nodiscard]] std::string position_document(const Line& line, const PositionText& read);

}  // namespace manyply

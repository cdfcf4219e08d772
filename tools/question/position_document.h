// A position in a document of its own: what GET /v1/position answers, and the page reads.
#pragma once

#include <string>

#include "core/fen.h"

namespace manyply {

/// FEN, side to move, keys, legal moves in UCI and in SAN, published counts.
[[nodiscard]] std::string position_document(const NamedPosition& named);

}  // namespace manyply

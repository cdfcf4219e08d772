// Where a comparison with another program begins: a position and the moves that led there.
#pragma once

#include <optional>
#include <string_view>

#include "tools/bisect/diagnosis.h"
#include "tools/cli/root.h"

namespace manyply {

/// The line that `fen` (as parse_root takes it) and `moves` describe. The FEN is kept as it was
/// written, but for missing clocks: other programs are told that, not what we make of it. Errors
/// are those of parse_root and play_moves.
Result<Line> parse_line(std::string_view fen, std::string_view moves,
                        std::optional<CastlingNotation> notation);

}  // namespace manyply

// Compares the library with the oracle, and the kernels with each other, at one position or along a
// game.
#pragma once

#include <string>
#include <string_view>

#include "core/fen.h"
#include "tests/support/oracle.h"
#include "tests/support/positions.h"

namespace manyply {

/// Returns how the library and the oracle differ at a position; empty if they agree. Compares the
/// FEN, whether the king is in check, the legal moves, and the FEN after each move. For every
/// kernel that runs on this machine, also compares the moves, the boards after them, and the counts
/// and visited positions at depths 1 to `depth`. Precondition: depth >= 2.
[[nodiscard]] std::string disagreement(const NamedPosition& ours, const oracle::Position& theirs,
                                       int depth);

/// Reads `fen` with the library and the oracle, plays up to `plies` moves that `choose` selects,
/// and compares them at every position. Returns the first difference with its FEN; empty if there
/// is none, or if the library and the oracle both refuse `fen`.
[[nodiscard]] std::string first_disagreement(std::string_view fen, const Chooser& choose, int plies,
                                             int depth);

}  // namespace manyply

// The library against the oracle, and every kernel against every other, at one position or along a
// game.
#pragma once

#include <string>
#include <string_view>

#include "core/fen.h"
#include "tests/support/oracle.h"
#include "tests/support/random_positions.h"

namespace manyply {

/// What differs between the library's view of a position and the oracle's, empty if nothing does:
/// the FEN, check, the legal moves and the FEN after each, moves and children by every kernel that
/// runs here, every kernel's counts and visited positions up to `depth` (at least 2).
[[nodiscard]] std::string disagreement(const NamedPosition& ours, const oracle::Position& theirs,
                                       int depth);

/// Reads `fen` with the library and the oracle, plays up to `plies` moves that `choose` picks, and
/// compares at every position. The first disagreement with the FEN it happened at; empty if there
/// is none, also when both refuse `fen`.
[[nodiscard]] std::string first_disagreement(std::string_view fen, const Chooser& choose, int plies,
                                             int depth);

}  // namespace manyply

// How a program may keep castling rights and the en passant square wrong: in its FEN reader, or
// when it plays a move.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "tools/diagnose/comparison.h"
#include "tools/diagnose/diagnosis.h"

namespace manyply {

/// The fault that makes every count of `divide`, one of `depth` plies at `line`, what it is;
/// nullopt if none of the usual ones does, or if there are too many paths to try. Counts can show
/// it where a program is told each position as a FEN: then its moves are right in all of them.
/// Precondition: `divide` has exactly the legal moves, and a wrong count.
[[nodiscard]] std::optional<Finding> state_fault_that_counts(const Line& line, Depth depth,
                                                             const Comparison& divide);

/// `listed` are the moves of `line`'s position if a castling right of its first position belongs to
/// another rook than the FEN means; nullopt if that explains nothing. The finding's moves are those
/// that differ.
[[nodiscard]] std::optional<Finding> misread_right(const Line& line,
                                                   const std::set<std::string>& listed);

}  // namespace manyply

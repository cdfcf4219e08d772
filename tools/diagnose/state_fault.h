// Finds the fault of a program that keeps castling rights or the en passant square wrong, when it
// reads a FEN or plays a move.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "tools/diagnose/comparison.h"
#include "tools/diagnose/diagnosis.h"

namespace manyply {

/// Returns the fault that explains every count of `divide`, which has `depth` plies at `line`;
/// nullopt if no usual fault does, or if the divide has more than a few million paths. For programs
/// that get each position as a FEN: only their counts can show such a fault.
/// Precondition: `divide` has exactly the legal moves and at least one wrong count.
[[nodiscard]] std::optional<Finding> state_fault_that_counts(const Line& line, Depth depth,
                                                             const Comparison& divide);

/// Returns a finding if `listed` are the legal moves at `line`'s end once a castling right of its
/// first position belongs to another rook; nullopt otherwise. The finding's moves are those that
/// differ from the true ones.
[[nodiscard]] std::optional<Finding> misread_right(const Line& line,
                                                   const std::set<std::string>& listed);

}  // namespace manyply

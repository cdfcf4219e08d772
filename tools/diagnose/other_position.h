// Recognises answers about another position.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/diagnose/comparison.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/text/engine_answer.h"

namespace manyply {

/// Returns a finding if the moves are exactly those of another position. Tries the positions that
/// `theirs.lines` mention, the position with the other side to move, those before and one move
/// after the end of `line`, the named positions, and `before`, the position of the previous
/// question. Reads all lines again, including those that were not understood for `line`.
[[nodiscard]] std::optional<Finding> position_answered(const Line& line, const EngineAnswer& theirs,
                                                       const std::optional<Line>& before);

/// Returns the positions that lines of the answer mention: `Fen: …`, `position … moves …`.
[[nodiscard]] std::vector<Line> positions_told(const EngineAnswer& theirs);

/// Returns a finding if a divide, perhaps with lost lines, belongs to another position. Then the
/// rules that its moves break here are not the cause. There are two signs: all its moves are legal
/// in a position that its text mentions but not here; or few counts agree, and moves start from
/// squares that are empty or have an enemy piece here.
[[nodiscard]] std::optional<Finding> looks_like_another_position(const Line& line,
                                                                 const Comparison& compared,
                                                                 const EngineAnswer& theirs);

/// Returns the position at the end of `line` with the other side to move; nullopt if it is illegal.
[[nodiscard]] std::optional<Line> of_other_side(const Line& line);

/// Returns a line that starts at `setup` and has no moves; nullopt if the position is illegal.
[[nodiscard]] std::optional<Line> line_of(const Setup& setup, CastlingNotation notation);

// Finds the fault of a program that has wrong castling rights or a wrong en passant square after it
// reads a FEN or plays a move.

/// Returns the fault that explains every count of `divide`, a divide of `depth` plies at the end of
/// `line`; nullopt if no common fault does, or if the divide has more than a few million paths. Use
/// it for programs that get each position as a FEN, because only their counts can show such a
/// fault. Precondition: `divide` has exactly the legal moves and at least one wrong count.
[[nodiscard]] std::optional<Finding> state_fault_that_counts(const Line& line, Depth depth,
                                                             const Comparison& divide);

/// Returns a finding if `listed` would be the legal moves at the end of `line` if a castling right
/// of its first position belonged to another rook. The finding contains the moves that differ from
/// the true ones.
[[nodiscard]] std::optional<Finding> misread_right(const Line& line,
                                                   const std::set<std::string>& listed);

}  // namespace manyply

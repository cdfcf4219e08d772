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

/// Returns a finding if the moves are exactly those of another position: one that `theirs.lines`
/// name, the other side's, one on the way to `line`'s end or a move behind it, a named position, or
/// `before`, the position of the question before. Reads all lines again, including those that were
/// not understood for `line`.
[[nodiscard]] std::optional<Finding> position_answered(const Line& line, const EngineAnswer& theirs,
                                                       const std::optional<Line>& before);

/// Returns the positions that the answer's lines name: `Fen: …`, `position … moves …`.
[[nodiscard]] std::vector<Line> positions_told(const EngineAnswer& theirs);

/// Returns a finding if a divide, perhaps with lost lines, belongs to another position: all its
/// moves are legal in a position that it names, but not here; or few counts agree, and it moves
/// pieces that do not stand here. Then the rules that its moves break here are not the cause.
[[nodiscard]] std::optional<Finding> looks_like_another_position(const Line& line,
                                                                 const Comparison& compared,
                                                                 const EngineAnswer& theirs);

/// Returns `line`'s end with the other side to move; nullopt if that is not a legal position.
[[nodiscard]] std::optional<Line> of_other_side(const Line& line);

/// Returns the position of `setup`, as a FEN; nullopt if it is not legal.
[[nodiscard]] std::optional<Line> line_of(const Setup& setup, CastlingNotation notation);

// Finds the fault of a program that keeps castling rights or the en passant square wrong, when it
// reads a FEN or plays a move.

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

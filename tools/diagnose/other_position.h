// Answers about another position than the one that was asked about.
#pragma once

#include <optional>
#include <vector>

#include "tools/diagnose/comparison.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/text/engine_answer.h"

namespace manyply {

/// Which position's moves these are, if exactly another's: one that is named among `theirs.lines`,
/// the other side's, one on the way to `line`'s end or a move behind it, one that has a name, or
/// `before`, which was asked for before. Of lines that were not understood in the position that was
/// asked about, too.
[[nodiscard]] std::optional<Finding> position_answered(const Line& line, const EngineAnswer& theirs,
                                                       const std::optional<Line>& before);

/// The positions that its lines name: `Fen: …`, `position … moves …`.
[[nodiscard]] std::vector<Line> positions_told(const EngineAnswer& theirs);

/// Of a divide with lines lost in it, perhaps: all its moves are legal in a position that it names
/// itself, and not here; or hardly a row agrees, and moves are among them of pieces that do not
/// stand there. Then it is about some other position, whatever rules its moves seem to break here.
[[nodiscard]] std::optional<Finding> looks_like_another_position(const Line& line,
                                                                 const Comparison& compared,
                                                                 const EngineAnswer& theirs);

/// `line`'s end, were the other side to move; nothing if that is no position.
[[nodiscard]] std::optional<Line> of_other_side(const Line& line);

/// The position of `setup`, as a FEN; nothing if it is none.
[[nodiscard]] std::optional<Line> line_of(const Setup& setup, CastlingNotation notation);

}  // namespace manyply

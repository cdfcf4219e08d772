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

/// Returns a finding if the answer lists exactly the legal moves of another position. These must
/// differ in at least four moves from the legal moves at the end of `line`; if the answer mentions
/// the other position, one move is enough. Reads all lines again for each tried position, including
/// the lines that were not understood for `line`.
///
/// Tries the positions that `theirs.lines` mention, the position with the other side to move, the
/// earlier positions of `line`, the start position, and `before`, the position of the previous
/// question. If the position with the other side to move is illegal, it is enough that all listed
/// moves start from pieces of that side. Finally tries well-known positions (see position_names())
/// and the position after each legal move. This last step needs two things: an answer of at most 32
/// KiB, and a move that is illegal at the end of `line` or a line that was not understood.
[[nodiscard]] std::optional<Finding> position_answered(const Line& line, const EngineAnswer& theirs,
                                                       const std::optional<Line>& before);

/// Returns the positions that lines of the answer mention, such as `Fen: …` or `position … moves
/// …`: at most 8, each once.
[[nodiscard]] std::vector<Line> positions_told(const EngineAnswer& theirs);

/// Returns a finding if a divide seems to belong to another position. Then its illegal moves do not
/// show that the program breaks a rule. The divide may be incomplete. There are two signs, and each
/// is enough. First: all moves are legal in a position that the text mentions, but some are illegal
/// at the end of `line`. Second: at most a quarter of the counts agree, at least two moves are
/// illegal, and at least a quarter of the illegal moves start from squares that are empty or have
/// an enemy piece at the end of `line`.
[[nodiscard]] std::optional<Finding> looks_like_another_position(const Line& line,
                                                                 const Comparison& compared,
                                                                 const EngineAnswer& theirs);

/// Returns the position at the end of `line` with the other side to move; nullopt if this position
/// is illegal.
[[nodiscard]] std::optional<Line> of_other_side(const Line& line);

/// Returns a line that starts at `setup` and has no moves; nullopt if the position is illegal.
[[nodiscard]] std::optional<Line> line_of(const Setup& setup, CastlingNotation notation);

// Finds the fault of a program that has wrong castling rights or a wrong en passant square. The
// fault occurs when the program reads a FEN or plays a move.

/// Returns the fault that explains every count of `divide`, which is a divide of `depth` plies at
/// the end of `line`. Returns nullopt if no common fault explains the counts, if `depth` is 1, if
/// the divide has more than 3 million paths, or if a count may belong to several promotions. The
/// function is for programs that get each position as a FEN, because such a program shows the fault
/// only in its counts. Precondition: `divide` has exactly the legal moves and at least one wrong
/// count.
[[nodiscard]] std::optional<Finding> state_fault_that_counts(const Line& line, Depth depth,
                                                             const Comparison& divide);

/// Returns a finding if a program seems to assign a castling right of the first position of `line`
/// to another rook. The sign: if that rook had the right, the legal moves at the end of `line`
/// would be exactly `listed`. The finding contains the legal moves that are not in `listed`, and
/// the illegal moves that are in `listed`.
[[nodiscard]] std::optional<Finding> misread_right(const Line& line,
                                                   const std::set<std::string>& listed);

}  // namespace manyply

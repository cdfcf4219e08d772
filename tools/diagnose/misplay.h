// Finds out how a program plays a move wrong, and what is then wrong: the board, the castling
// rights, or the en passant square.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/diagnose/diagnosis.h"

namespace manyply {

/// A way in which a program plays a move wrong.
struct Misplay {
  Cause cause = Cause::kMovePlayedWrong;
  std::string detail;  ///< "after e1c1 the rook is still on a1"
  /// The program's board at the end of the line. Only misplay_that_lists() sets it.
  Board board{};
};

/// The program lists the moves `listed` at the end of `line`. Tries the misplays of move `ply` (its
/// index in `line`, from 0) and compares `listed` with the legal moves on each misplay's board.
/// Returns the misplay with the fewest differences. Returns nullopt if these are not fewer than a
/// third of the differences between `listed` and the legal moves on the true board.
[[nodiscard]] std::optional<Misplay> misplay_that_lists(const Line& line, std::size_t ply,
                                                        const std::set<std::string>& listed);

/// Finds a misplay of the move of `row` that explains all counts of `divide_here`, the divide of
/// `depth` plies at the end of `line`. Assumes that the program plays all moves of the same kind in
/// the same wrong way. Returns nullopt if no misplay explains the counts, if `depth` is not between
/// 2 and 4, or if the engine does not name the promotion piece of `row`. If only one count is
/// wrong, ignores misplays that apply to many kinds of moves, such as kCapturedStays: such a
/// misplay may explain a single count by chance.
[[nodiscard]] std::optional<Misplay> misplay_that_counts(const Line& line, Depth depth,
                                                         const Comparison::Row& row,
                                                         const Comparison& divide_here);

/// Returns whether `cause` is about castling rights, the en passant square or draws. Such a cause
/// already names what is wrong after an earlier move.
[[nodiscard]] bool names_state(Cause cause);

// Finds the fault of a program that has wrong castling rights or a wrong en passant square. The
// fault occurs when the program reads a FEN or plays a move.

/// Returns the fault that explains every count of `divide`, the divide of `depth` plies at the end
/// of `line`. Returns nullopt if no common fault explains the counts, if `depth` is 1, if the
/// divide has more than 3 million paths, or if a count may belong to several promotions. Call it
/// for programs that get each position as a FEN: only their counts show the fault. Precondition:
/// `divide` has exactly the legal moves and at least one wrong count.
[[nodiscard]] std::optional<Finding> state_fault_that_counts(const Line& line, Depth depth,
                                                             const Comparison& divide);

/// A program may misread a castling right in the first position of `line` as the right of another
/// rook. Returns a finding if this explains `listed`: if the other rook had the right, the legal
/// moves at the end of `line` would be exactly `listed`. The finding contains the legal moves that
/// are not in `listed`, and the illegal moves that are in `listed`.
[[nodiscard]] std::optional<Finding> misread_right(const Line& line,
                                                   const std::set<std::string>& listed);

}  // namespace manyply

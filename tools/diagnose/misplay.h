// Finds the way in which a program plays a move wrong, and the wrong board that results.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/diagnose/comparison.h"
#include "tools/diagnose/diagnosis.h"

namespace manyply {

struct Misplay {
  Cause cause = Cause::kMovePlayedWrong;
  std::string detail;  ///< "after e1c1 the rook is still on a1"
  Board board;         ///< at the end of the line
};

/// Returns the misplay of move `ply` that makes the moves `listed` legal; nullopt if no misplay
/// fits. A misplay fits if its legal moves differ from `listed` in less than a third as many moves
/// as those of the true position.
[[nodiscard]] std::optional<Misplay> misplay_that_lists(const Line& line, std::size_t ply,
                                                        const std::set<std::string>& listed);

/// Returns the misplay of the move of `row` that explains all counts of `divide_here`, a divide of
/// `depth` plies at the end of `line`, if all moves of its kind are played in the same wrong way.
/// Returns nullopt if no misplay does.
[[nodiscard]] std::optional<Misplay> misplay_that_counts(const Line& line, Depth depth,
                                                         const Comparison::Row& row,
                                                         const Comparison& divide_here);

/// Moves the pieces of `move` on `board`, and changes the side to move. Does not change castling
/// rights and the en passant square.
void play_pieces(Board& board, Move move);

/// Returns whether `cause` says by itself which castling right or en passant square an earlier move
/// left wrong.
[[nodiscard]] bool names_state(Cause cause);

}  // namespace manyply

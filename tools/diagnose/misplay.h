// How a program may play one move wrong: the board that it then has, and what is wrong with it.
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

/// The ways in which a program can play move `ply` of `line` wrong, all later moves right.
[[nodiscard]] std::vector<Misplay> misplays(const Line& line, std::size_t ply);

/// The misplay of move `ply` after which exactly the moves `listed` are legal, or nearly so: fewer
/// than a third as many differences as with the true position. nullopt if no misplay fits.
[[nodiscard]] std::optional<Misplay> misplay_that_lists(const Line& line, std::size_t ply,
                                                        const std::set<std::string>& listed);

/// Returns the misplay of the move of `row` that makes its count, if misplays of the same kind make
/// all wrong counts of `divide_here`, which has `depth` plies at `line`.
[[nodiscard]] std::optional<Misplay> misplay_that_counts(const Line& line, Depth depth,
                                                         const Comparison::Row& row,
                                                         const Comparison& divide_here);

/// Plays the pieces of `move` on `board`, and changes the side to move. Leaves castling rights and
/// the en passant square as they are.
void play_pieces(Board& board, Move move);

/// Whether a finding says itself which right or en passant square a move before left wrong.
[[nodiscard]] bool names_state(Cause cause);

}  // namespace manyply

// The moves that a printed line mentions, in one word or in several.
#pragma once

#include <cstddef>
#include <vector>

#include "core/fen.h"
#include "tools/text/move_meaning.h"
#include "tools/text/printed_line.h"

namespace manyply {

struct MentionedMove {
  MoveMeaning meaning;
  bool is_long;  ///< both squares are told
  Square to;
  std::size_t first;  ///< of the tokens that tell it
  std::size_t last;
};

/// In the order in which they stand there, each once though it may be told twice in a row, as in
/// `Nf3 (g1f3): 20` and `"uci": "e2e4", "san": "e4"`.
///
/// A move is one word (`e2e4`, `Nf3`, `O-O`) or two squares in a row, small or capital, with
/// nothing but marks and words like `to` between them: `e2 -> e4`, `{"from":"e2","to":"e4"}`, `Move
/// { from: E2, to: E4 }`. On the first of them stands a piece of the side to move: two squares of
/// SAN never look so. A pair that is not legal is a move only if more than a space joins it.
///
/// The piece of a promotion stands behind the move (`e7e8 = Q`, `(e7, e8, queen)`), or, in a line
/// of one move, behind a word for promotions: `promotion: Some(Queen)`.
[[nodiscard]] std::vector<MentionedMove> moves_in(const std::vector<Token>& tokens,
                                                  const NamedPosition& where);

/// Whether something like a move is there: one, two squares in a row, or what has the shape of a
/// move and is none, "e2e9", "i2-i4".
[[nodiscard]] bool resembles_move(const std::vector<Token>& tokens);

}  // namespace manyply

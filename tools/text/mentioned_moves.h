// Finds the moves that a printed line mentions, in one word or in several.
#pragma once

#include <cstddef>
#include <vector>

#include "core/fen.h"
#include "tools/text/move_meaning.h"
#include "tools/text/printed_line.h"

namespace manyply {

/// A move in a line.
struct MentionedMove {
  MoveMeaning meaning;
  bool is_long;  ///< the text names both squares
  Square to;
  std::size_t first;  ///< index of the move's first token
  std::size_t last;   ///< index of its last token
};

/// Returns the moves of a line in their order. A move that the line repeats at once is listed once:
/// `Nf3 (g1f3): 20`, `"uci": "e2e4", "san": "e4"`.
///
/// A move is one word (`e2e4`, `Nf3`, `O-O`), or two successive squares, in small or capital
/// letters, with only marks and words like `to` between them: `e2 -> e4`,
/// `{"from":"e2","to":"e4"}`, `Move { from: E2, to: E4 }`. The first square must hold a piece of
/// the side to move, so two squares of SAN are not taken for one move. An illegal pair counts as a
/// move only if more than a space joins it.
///
/// The piece of a promotion follows the move (`e7e8 = Q`, `(e7, e8, queen)`). If the line has only
/// one move, the piece may also follow a word for promotions: `promotion: Some(Queen)`.
[[nodiscard]] std::vector<MentionedMove> moves_in(const std::vector<Token>& tokens,
                                                  const NamedPosition& where);

/// Returns whether a line has something like a move: a move, two successive squares, or a word in
/// the shape of a move ("e2e9", "i2-i4").
[[nodiscard]] bool resembles_move(const std::vector<Token>& tokens);

}  // namespace manyply

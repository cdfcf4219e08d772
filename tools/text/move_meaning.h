// Finds the move that a written move means in a position. The writer may be wrong about which moves
// are legal.
#pragma once

#include <string>

#include "core/fen.h"
#include "core/san.h"

namespace manyply {

/// The move that a text means.
struct MoveMeaning {
  /// The move as to_uci() writes it. For an illegal move: its two squares, as far as they are
  /// certain. Empty if the text means no move or several moves.
  std::string move;
  std::string why_not;  ///< the reason if `move` is empty: "may be d2f3 or g1f3"
  bool legal = false;
  /// The text may also mean another legal move that is written in the same way.
  bool doubtful = false;
};

/// Returns the meaning of `written` in `where`. A text with both squares means that move, legal or
/// not. Any other text means the only legal move that fits it. If no legal move fits, it means the
/// only piece that could go there if its king's safety is ignored, or the castling of the king on
/// its home square.
[[nodiscard]] MoveMeaning meaning_of(const WrittenMove& written, const NamedPosition& where);

}  // namespace manyply

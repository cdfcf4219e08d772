// What a move means in a position, as somebody wrote it who may be wrong about what is legal.
#pragma once

#include <string>

#include "core/fen.h"
#include "core/san.h"

namespace manyply {

struct MoveMeaning {
  /// As to_uci() writes it; of a move that is not legal: both squares, as far as they are certain.
  /// Empty if the text means no move, or several.
  std::string move;
  std::string why_not;  ///< then: "may be d2f3 or g1f3"
  bool legal = false;
  /// May as well be another legal move, which is written alike.
  bool doubtful = false;
};

/// A text that names both squares means that move, legal or not. One that does not means the only
/// legal move that it fits; if there is none, the only piece that could go there if nobody cared
/// for the king, or the castling that the king on its home square would make.
[[nodiscard]] MoveMeaning meaning_of(const WrittenMove& written, const NamedPosition& where);

}  // namespace manyply

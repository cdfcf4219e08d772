// Separates the sides of a pasted text with two mixed divides: a diff, a merge conflict, or lists
// beside each other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/fen.h"

namespace manyply {

struct PastedLine {
  std::string text;
  std::size_t number;  ///< line number in the paste, from 1
};

struct PastedSide {
  std::string name;  ///< "'-' side", "left side"; empty: all of the text
  std::vector<PastedLine> lines;
};

/// Returns the sides of `lines`, a text about the position `asked`; the whole text, without a name,
/// if it has no sides. Recognizes the output of `diff` (plain, unified, by words, and `-y`), the
/// marks of a merge conflict, and lists beside each other, as `paste` prints them.
[[nodiscard]] std::vector<PastedSide> sides_of(const std::vector<std::string>& lines,
                                               const NamedPosition& asked);

}  // namespace manyply

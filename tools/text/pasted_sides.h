// The sides of a pasted text that shows two divides beside or inside each other: a diff, a merge
// conflict, two lists in one line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/fen.h"

namespace manyply {

struct PastedLine {
  std::string text;
  std::size_t number;  ///< in what was pasted, from 1
};

struct PastedSide {
  std::string name;  ///< "'-' side", "left side"; empty: all of the text
  std::vector<PastedLine> lines;
};

/// The sides of `lines`, a text about the position `asked`; one without a name if it has none. It
/// knows unified diffs, those of words and those of `diff` alone, the marks of a merge conflict,
/// and lists beside each other, as `diff -y` and `paste` print them.
[[nodiscard]] std::vector<PastedSide> sides_of(const std::vector<std::string>& lines,
                                               const NamedPosition& asked);

}  // namespace manyply

// Splits pasted text, or the text of a file, into the lines of a divide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fen.h"

namespace manyply {

/// Returns the lines of `bytes`. The bytes are UTF-8, or UTF-16 with a byte order mark. Lines end
/// with LF, CR, CR LF, or with a backslash and the letter n, as in a string literal. In JSON, each
/// object or array that describes a move becomes one line, and each other string or number becomes
/// one line. Returns an error if `bytes` contain control characters that do not occur in texts,
/// such as DEL.
Result<std::vector<std::string>> pasted_lines(std::string_view bytes);

// Splits divides whose rows stand on one line. People copy such lines from terminals, chats and
// JSON strings.

/// Splits `line` into the lines from which it was joined. `a2a3: 380 b2b3: 420 … Nodes searched:
/// 8902` becomes the text before the first row, one line per row, and the text after the last row.
/// Each count may also stand before its move. A line with fewer than four rows is returned
/// unchanged.
[[nodiscard]] std::vector<std::string> lines_apart(std::string_view line);

// Separates the divides of several programs that stand in one paste: in a diff, in a merge
// conflict, or as lists beside each other.

struct PastedLine {
  std::string text;
  std::size_t number;  ///< line number in the paste, from 1
};

struct PastedSide {
  std::string name;  ///< "'-' side", "left side"; empty for the whole text
  std::vector<PastedLine> lines;
};

/// Splits `lines` into the divides of two to four programs, one side for each program. `asked` is
/// the position of the divides. If the text has no sides, returns the whole text as one side with
/// an empty name. Recognizes the output of `diff` (plain, unified, by words, and `-y`), the marks
/// of a merge conflict, and lists beside each other, as `paste` prints them.
[[nodiscard]] std::vector<PastedSide> sides_of(const std::vector<std::string>& lines,
                                               const NamedPosition& asked);

}  // namespace manyply

// The moves of a game as people and programs write them: PGN and similar text.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

/// Returns `text` with everything except its moves replaced by blanks, so that moves keep their
/// columns. Removes move numbers, commas between moves, comments `{…}` and `; …`, lines that begin
/// with `%`, variations `(…)`, glyphs such as `$1`, and the result at the end. Unclosed comments
/// and variations remain.
[[nodiscard]] std::string mainline(std::string_view text);

/// Returns whether `text` consists of one or more words that look like moves, and nothing else.
/// Does not check whether they are legal.
[[nodiscard]] bool is_movetext(std::string_view text);

}  // namespace manyply

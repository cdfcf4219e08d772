// The moves of a game as people and programs write them down.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

/// `text` with nothing but its moves, each where it stood: blanks for move numbers, commas between
/// moves, and what PGN has besides the game: comments `{…}` and `; …`, lines that begin with `%`,
/// variations `(…)`, glyphs such as `$1`, and the result at the end. Unclosed parts stay.
[[nodiscard]] std::string mainline(std::string_view text);

/// Whether `text` is nothing but words that look like moves, at least one. Whether they can be
/// played, the position decides.
[[nodiscard]] bool is_movetext(std::string_view text);

}  // namespace manyply

// Questions as templates: texts in which {fen}, {moves} and {depth} stand for the values of a
// question.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

inline constexpr std::string_view kFenPlace = "{fen}";
inline constexpr std::string_view kMovesPlace = "{moves}";
inline constexpr std::string_view kDepthPlace = "{depth}";

/// Returns whether `text` contains `place`.
[[nodiscard]] inline bool has_place(std::string_view text, std::string_view place) {
  return text.find(place) != std::string_view::npos;
}

/// Returns `text` with every `place` replaced by `value`.
[[nodiscard]] std::string with_value(std::string text, std::string_view place,
                                     const std::string& value);

/// Returns a shell command with every `place` replaced by `value` as one shell word, whether or not
/// the user has put quotes around `place`. FENs and moves contain no characters that are special in
/// a shell.
[[nodiscard]] std::string with_word(std::string command, std::string_view place,
                                    const std::string& value);

/// Returns the lines that ask a running program. If `ask` has no {fen}, a UCI position command
/// precedes it. The two characters \n in `ask` become a line end.
[[nodiscard]] std::string asked_in_words(const std::string& ask, const std::string& fen,
                                         const std::string& moves, int depth);

}  // namespace manyply

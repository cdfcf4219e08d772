// How a program is asked, as a text in which {fen}, {moves} and {depth} stand where they go.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

inline constexpr std::string_view kFenPlace = "{fen}";
inline constexpr std::string_view kMovesPlace = "{moves}";
inline constexpr std::string_view kDepthPlace = "{depth}";

[[nodiscard]] inline bool has_place(std::string_view text, std::string_view place) {
  return text.find(place) != std::string_view::npos;
}

/// `text` with `value` wherever `place` stands.
[[nodiscard]] std::string with_value(std::string text, std::string_view place,
                                     const std::string& value);

/// The same of a command for the shell: `value` is one word of it, whether somebody has put `place`
/// between quotes or not. FENs and moves have nothing in them that the shell reads otherwise.
[[nodiscard]] std::string with_word(std::string command, std::string_view place,
                                    const std::string& value);

/// Lines for a program that is talked to. Without {fen} in `ask` a UCI position command goes before
/// it; \n ends a line.
[[nodiscard]] std::string asked_in_words(const std::string& ask, const std::string& fen,
                                         const std::string& moves, int depth);

}  // namespace manyply

// Reads UTF-8 characters, and quotes user text for error messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace manyply {

/// One character of a UTF-8 text.
struct Utf8Character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 1 to 4; 0 if the text does not begin with well-formed UTF-8

  /// Returns whether a terminal displays the character. The result is false for control characters,
  /// for blanks other than the ASCII space, for characters without width, and for characters that
  /// change the direction of writing.
  [[nodiscard]] bool is_visible() const;
};
/// Returns the first character of `text`. `text` must not be empty. Overlong forms, surrogates and
/// codes above U+10FFFF are treated as not well-formed.
[[nodiscard]] Utf8Character first_character(std::string_view text);
/// Returns the number of bytes of the first character; 0 if it is not well-formed UTF-8.
[[nodiscard]] inline std::size_t utf8_length(std::string_view text) {
  return first_character(text).bytes;
}

/// Returns `text` in quotes, so that it is safe to print on one line of any terminal or log. An
/// ASCII control character, or a byte that is not UTF-8, appears as \xNN. Any other invisible
/// character appears as its code, for example U+200B. If more than about 40 characters would be
/// printed, the text is cut and "..." is added.
[[nodiscard]] std::string quote(std::string_view text);
[[nodiscard]] inline std::string quote(char c) { return quote(std::string_view(&c, 1)); }

/// Returns the first character of `text` in quotes. For a character outside ASCII, adds its code:
/// "'К' (U+041A)". If such a character is invisible, returns only its code. A control character of
/// ASCII, or a byte that is not UTF-8, appears as '\xNN', without a code. `text` must not be empty.
[[nodiscard]] std::string quote_character(std::string_view text);

}  // namespace manyply

// Characters of UTF-8, and the text of users inside error messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace manyply {

struct Utf8Character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 1 to 4; 0: the text does not begin with well-formed UTF-8

  /// Whether a terminal shows it and obeys no command: neither a control character nor one without
  /// width nor one that turns the direction of writing.
  [[nodiscard]] bool is_visible() const;
};
/// The first character of `text`. Overlong forms, surrogates and codes above U+10FFFF are not
/// well-formed. `text` must not be empty.
[[nodiscard]] Utf8Character first_character(std::string_view text);
/// Its number of bytes, or 0.
[[nodiscard]] inline std::size_t utf8_length(std::string_view text) {
  return first_character(text).bytes;
}

/// `text` in quotes, for one line of any terminal or log. Characters that are not visible appear as
/// U+200B, bytes that are not UTF-8 as \xNN. Text beyond 40 characters is replaced by "...".
[[nodiscard]] std::string quote(std::string_view text);
[[nodiscard]] inline std::string quote(char c) { return quote(std::string_view(&c, 1)); }

/// The first character of `text` in quotes; one beyond ASCII with its code: "'К' (U+041A)".
[[nodiscard]] std::string quote_character(std::string_view text);

}  // namespace manyply

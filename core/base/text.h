// Functions for text. They classify ASCII characters independently of the locale, split text into
// words and lines, keep the columns of pieces of text, decode UTF-8, replace typographic characters
// by ASCII characters, and quote user text for error messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace manyply {

/// The characters that separate words, including line ends.
inline constexpr std::string_view kSpace = " \t\r\n";

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_small(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(char c) { return is_capital(c) || is_small(c); }

/// Returns the value of a hexadecimal digit, 0 to 15; -1 for any other character.
constexpr int hex_digit(char c) {
  return is_digit(c)            ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/// Returns the small letter for an ASCII capital; any other byte unchanged.
constexpr char to_lower(char c) { return is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c; }

[[nodiscard]] inline std::string to_lower(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = to_lower(c);
  return low;
}

[[nodiscard]] inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return to_lower(x) == to_lower(y); });
}

// Pieces of a text, each with its column in the whole text. Error messages show this column.

/// A piece of a text, and its column in the whole text.
struct TextSpan {
  std::string_view text;
  int column = 1;  ///< position of the piece's first byte in the whole text, counted from 1

  /// Returns the piece that starts at byte `begin` of `text` (from 0) and has at most `length`
  /// bytes.
  [[nodiscard]] TextSpan from(std::size_t begin,
                              std::size_t length = std::string_view::npos) const {
    return {text.substr(begin, length), column + static_cast<int>(begin)};
  }

  /// Returns this piece without surrounding white space.
  [[nodiscard]] TextSpan trimmed() const {
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return from(text.size());
    return from(begin, text.find_last_not_of(kSpace) + 1 - begin);
  }

  /// Cuts this piece at the first `mark`. Returns the text before the mark, trimmed. This object
  /// becomes the text after the mark. If there is no mark, returns the whole piece, trimmed, and
  /// this object becomes empty.
  TextSpan cut(char mark) {
    const std::size_t end = std::min(text.find(mark), text.size());
    const TextSpan part = from(0, end).trimmed();
    *this = from(std::min(end + 1, text.size()));
    return part;
  }

  /// Takes an error whose column is counted from the beginning of this piece. Returns the error
  /// with its column counted from the beginning of the whole text. Column 0 (none) becomes the
  /// first column of this piece.
  [[nodiscard]] Error located(Error error) const {
    error.column = column + std::max(error.column, 1) - 1;
    return error;
  }
};

/// Returns the words of `text`. The characters in `blanks` separate words.
[[nodiscard]] inline std::vector<TextSpan> words_in(TextSpan text,
                                                    std::string_view blanks = kSpace) {
  std::vector<TextSpan> words;
  for (std::size_t at = text.text.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.text.find_first_of(blanks, at), text.text.size());
    words.push_back(text.from(at, end - at));
    at = text.text.find_first_not_of(blanks, end);
  }
  return words;
}

/// Returns the text before the first `mark` in `rest`; all of `rest` if there is no mark.
/// Afterwards, `rest` is the text after the mark, or empty if there is no mark.
constexpr std::string_view cut_until(std::string_view& rest, char mark) {
  const std::string_view part = rest.substr(0, rest.find(mark));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

/// Removes the first line from `rest` and returns it without its line end.
constexpr std::string_view cut_line(std::string_view& rest) { return cut_until(rest, '\n'); }

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

// Undoes typographic changes that word processors, web pages and chat programs make to text.

/// Returns `text` with typographic quotes, dashes, apostrophes and blanks replaced by their ASCII
/// equivalents, and without byte order marks and zero-width spaces. All other bytes stay unchanged.
[[nodiscard]] std::string typewritten(std::string_view text);

/// Returns `text` with only typographic blanks replaced, and without byte order marks and
/// zero-width spaces. Quotes, dashes and apostrophes stay unchanged.
[[nodiscard]] std::string with_plain_blanks(std::string_view text);

}  // namespace manyply

// A piece of a text that knows its column, so that error messages can show the column. Also splits
// texts into lines and words.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/base/ascii.h"
#include "core/base/result.h"

namespace manyply {

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

}  // namespace manyply

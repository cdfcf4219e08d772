// One line of another program's output, taken apart into moves, numbers and words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "core/san.h"

namespace manyply {

/// The text as it would look on paper, in ASCII: without colours and control characters; figurines,
/// dashes and the signs of other alphabets as the letters they stand for, or as spaces.
[[nodiscard]] std::string plain(std::string_view text);

struct Token {
  enum class Kind { kMove, kNumber, kWord, kMark };

  Kind kind;
  std::string_view text;              ///< as it stands in the line
  std::optional<WrittenMove> move{};  ///< of a kMove
  std::optional<NodeCount> number{};  ///< of a kNumber that may be a count
  std::string_view fault{};           ///< why it may not: "is negative: …"
  bool measure = false;  ///< a kNumber with a unit that is none of paths, "34 ms", or of a time
  bool index = false;    ///< a kNumber as in "1." or "(12)", which numbers lines
  std::optional<Square> square{};  ///< if it is the name of one and no more, "e2" or "E2"

  [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
  [[nodiscard]] bool is_mark(char c) const { return kind == Kind::kMark && text[0] == c; }
  /// Whether this is one of the words, given in small letters between spaces: " nodes leaf ".
  [[nodiscard]] bool is_word(std::string_view words) const;
};

/// A number is decimal, possibly in groups of three (1,234,567 or 1'234'567 or 1.234.567). A minus
/// sign belongs to it unless it stands between it and something else. "e.p." and the like belong to
/// the move before. Views point into `line`, which must live on.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view line);

}  // namespace manyply

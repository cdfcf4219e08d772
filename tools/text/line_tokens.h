// Splits a printed line into moves, numbers and words. Decides whether a number is a count, a
// depth, a line number or a measure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "core/move_text.h"
#include "core/types.h"

namespace manyply {

/// Returns the text in printable ASCII, without terminal control sequences such as colours.
/// Figurines, dashes, arrows and typographic spaces between digits become ASCII characters that
/// tokens_of() understands. All other characters, such as tabs and letters with accents, become
/// spaces.
[[nodiscard]] std::string plain(std::string_view text);

/// Returns whether `words` contains `word`; ignores the case of `word`. `words` has small letters,
/// and a space before and after each word: " nodes leaf ".
[[nodiscard]] bool is_among(std::string_view word, std::string_view words);

struct Token {
  enum class Kind { kNone, kMove, kNumber, kWord, kMark };

  Kind kind = Kind::kNone;
  std::string_view text{};            ///< the text as it is in the line
  std::optional<WrittenMove> move{};  ///< kMove only
  std::optional<NodeCount> number{};  ///< kNumber only: its value, if it may be a count
  std::string_view fault{};           ///< kNumber only: why it is no count; empty if it may be one
  /// Whether a kNumber has a unit of time, memory, speed or score ("34 ms", "5%"), or belongs to a
  /// clock time or a fraction ("3/20").
  bool measure = false;
  bool index = false;              ///< a kNumber that is a line number: "1.", "(12)", "#3"
  std::optional<Square> square{};  ///< the square, if the token is only a square: "e2" or "E2"

  [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
  /// Returns whether the token is one of the characters in `marks`.
  [[nodiscard]] bool is_mark(std::string_view marks) const {
    return kind == Kind::kMark && marks.find(text[0]) != std::string_view::npos;
  }
  /// Returns whether the token is one of the words in `words`; see is_among().
  [[nodiscard]] bool is_word(std::string_view words) const {
    return kind == Kind::kWord && is_among(text, words);
  }
};
using Tokens = std::vector<Token>;

/// Splits `line` into tokens. Numbers are decimal, possibly in groups of three (1,234,567 or
/// 1'234'567 or 1.234.567). A minus sign belongs to the number that follows, unless the sign joins
/// this number to the preceding text. "e.p." and similar texts belong to the preceding move. The
/// tokens refer to `line`, so `line` must outlive them.
[[nodiscard]] Tokens tokens_of(std::string_view line);

/// Returns the token at index `at`; a token of kind kNone if the index is out of range, as -1 is.
[[nodiscard]] const Token& token_at(const Tokens& tokens, std::size_t at);
/// Returns whether one of the tokens from index `first` to `last` - 1 has this kind.
[[nodiscard]] bool has_kind(const Tokens& tokens, std::size_t first, std::size_t last,
                            Token::Kind kind);

// Decides whether a number in a printed line is a count, a depth, or something else. Only the
// tokens beside the number are used.

/// Words for counts.
inline constexpr std::string_view kCountWords =
    " n node nodes leaf leaves leafs count counts cnt path paths positions subnodes subtree "
    "children "
    "replies ";
/// Names of numbers that are not counts, such as statistics and times.
inline constexpr std::string_view kOtherCounts =
    " time elapsed took ms seconds nps speed rate hash hashfull tt table hits depth seldepth ply "
    "captures "
    "capture checks checkmates mates stalemates promotions promos ep passant moves legal threads "
    "thread key version perft divide searching search start info per ";
/// Words that may stand between a move and its count. They do not change the meaning of the count.
inline constexpr std::string_view kCommentWords =
    " ep en passant check ch mate checkmate capture castle castling kingside queenside short long "
    "side promotion promotes promoting double push quiet pawn knight bishop rook queen king to "
    "move from and is has gives q r b k promote none null nil true false ";
/// Names of a depth.
inline constexpr std::string_view kDepthWords = " depth seldepth ply plies level iteration ";
/// Words that stand in place of a move in the row of the total.
inline constexpr std::string_view kTotalRows = " total totals sum all ";
/// Units that follow the number of a depth.
inline constexpr std::string_view kDepthUnits = " ply plies halfmove halfmoves ";
/// Marks between a name and its value.
inline constexpr std::string_view kAssigns = "=:";

/// Returns whether a number is a rate, as in "20 nodes/s" or "20 nodes per second". `behind` is the
/// index of the first token after the number's unit or name. The number is a rate if this token is
/// "/" or "per".
[[nodiscard]] bool is_per_second(const Tokens& tokens, std::size_t behind);

/// Returns whether one of `units` follows the number at `at`: "20 nodes", "20 leaf nodes". Returns
/// false for the 2 in "depth=2 nodes=20" and "perft 2 leaf nodes: 20", because "nodes" belongs to
/// the 20.
[[nodiscard]] bool has_unit(const Tokens& tokens, std::size_t at, std::string_view units);

/// Whether a number is the depth of a count.
enum class Deepness { kNo, kMaybe, kYes };

/// Returns kYes for the number at `at` in "depth 3", "ply=3", "perft(3)", "3 plies: ", "for 3
/// plies". Returns kMaybe if the number may be a depth or a count: "positions 1 plies: 20".
[[nodiscard]] Deepness deepness_of(const Tokens& tokens, std::size_t at);

/// Returns the first number of the line that is a depth, as in "perft(3) = 8902" and "depth 3:
/// 8902"; nullopt if there is no depth.
[[nodiscard]] std::optional<NodeCount> depth_told(const Tokens& tokens);

/// Returns the number at `at` joined with the groups of three digits after it. Each group follows a
/// single space ("1 234 567"), or there is only one group, which follows a point ("1.234"). Returns
/// nullopt if there are no such groups.
[[nodiscard]] std::optional<NodeCount> grouped(const Tokens& tokens, std::size_t at);

/// Returns the text of a number and why this number is no count: "-20 is negative: …".
/// Precondition: the token has a fault.
[[nodiscard]] std::string why_no_count(const Token& number);

}  // namespace manyply

// The rows of a divide that one printed line holds: moves, and the numbers beside them that may
// count the paths behind them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/text/mentioned_moves.h"

namespace manyply {

/// A number of a row that may be its count, told by where it stands.
struct PrintedCount {
  int place;
  std::optional<NodeCount> number;
  std::string why_not;   ///< if it is none
  bool pointed = false;  ///< it is written with a decimal point
};

/// Where a count may stand, the likeliest first: at each such place, and at those behind it until
/// the next, in the order in which they come.
namespace place {
inline constexpr int kLabelled = -50;   ///< behind or before a word for counts
inline constexpr int kOutside = 1;      ///< behind the brackets in which the move and numbers stand
inline constexpr int kFirstBehind = 2;  ///< the move
inline constexpr int kGrouped = 50;  ///< the first, with the groups of three digits in it or behind
inline constexpr int kOfMoves = 55;  ///< "moves = 20": replies to it, or its count
inline constexpr int kPerft = 60;    ///< "perft 20": a depth if another count is there
inline constexpr int kFarBehind = 80;      ///< words that mean nothing to us stand between
inline constexpr int kFirstBefore = 100;   ///< and on, away from the move
inline constexpr int kIndexBefore = 1000;  ///< "12." before the move
}  // namespace place
[[nodiscard]] constexpr bool is_labelled(int at) { return at < place::kOutside; }

struct PrintedRow {
  std::string line;
  MoveMeaning meaning;
  std::vector<PrintedCount> counts;  ///< the likeliest first; not empty
  bool is_info = false;
  std::size_t at = 0;  ///< number of the line

  /// Which of its numbers is the count only a total can tell: it numbers lines, or stands before
  /// the move while another stands behind it among words that mean nothing to us.
  [[nodiscard]] bool is_doubtful() const;
};

/// What a table's heading, `| Move | Captures | Nodes |`, says of its rows.
class Heading {
 public:
  /// A line of words alone, one field of it for moves and one for their counts.
  static std::optional<Heading> read(std::string_view line);

  /// The number under the word for counts, in a row of a move or of the total; or null.
  [[nodiscard]] const Token* count_in(std::string_view line,
                                      const std::vector<Token>& tokens) const;

 private:
  char separator_ = ' ';
  std::size_t fields_ = 0;
  std::size_t move_ = 0;   ///< the field of the moves
  std::size_t count_ = 0;  ///< and of their counts
};

/// One row for each of `moves`, which are those of `tokens`; none if one of them has no number that
/// may be its count. `in_column` is the number that a heading names, or null.
[[nodiscard]] std::vector<PrintedRow> rows_of(const std::vector<Token>& tokens,
                                              const std::vector<MentionedMove>& moves,
                                              const Token* in_column);

}  // namespace manyply

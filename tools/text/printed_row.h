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
  std::string head{};    ///< the head of its column, or the word before it; empty: nothing names it
  std::size_t offset = 0;  ///< in the line
  std::size_t field = 0;   ///< of the line's fields
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
  /// Numbers behind the move that are counts only if they are like those of `counts`: in brackets,
  /// "20 (21)", or behind a word that means nothing to us, "20 expected 21".
  std::vector<PrintedCount> asides{};
  std::size_t fields = 0;  ///< into which separators divide the line; of several moves 0
  bool is_info = false;
  std::size_t at = 0;      ///< number of the line
  std::size_t source = 0;  ///< number of the text in which it stood, maybe with other lines

  /// Which of its numbers is the count only a total can tell: it numbers lines, or stands before
  /// the move while another stands behind it among words that mean nothing to us.
  [[nodiscard]] bool is_doubtful() const;
};

/// A table's heading, `| Move | Captures | Nodes |`: what its columns are called.
class Heading {
 public:
  /// A line of words alone in at least two fields, apart from numbers in names: "Stockfish 16".
  static std::optional<Heading> read(std::string_view line);

  /// Whether a field of it is called that of the moves, and one that of the counts. Any other line
  /// of words is a heading only if the next line is a row that it binds.
  [[nodiscard]] bool is_sure() const { return move_ && count_; }
  [[nodiscard]] bool names_moves() const { return move_.has_value(); }
  /// Whether the line has as many fields, and a move or a word for the total in that for moves.
  [[nodiscard]] bool binds(std::string_view line, const std::vector<Token>& tokens) const;
  /// The number under the word for counts in a line that it binds; or null.
  [[nodiscard]] const Token* count_in(std::string_view line,
                                      const std::vector<Token>& tokens) const;
  /// What stands above a token of a line that it binds.
  [[nodiscard]] std::string name_above(std::string_view line, const Token& token) const;

 private:
  char separator_ = ' ';
  std::vector<std::string> names_;
  bool begins_behind_moves_ = false;  ///< the moves have no name
  std::optional<std::size_t> move_;   ///< the field of the moves
  std::optional<std::size_t> count_;  ///< the only one of counts
};

/// A printed line.
struct RowLine {
  std::string_view line;
  const std::vector<Token>& tokens;  ///< of it
  const Heading* heading = nullptr;  ///< that binds it, or null
};

/// One row for each of `moves`, which are those of `line`; none if one of them has no number that
/// may be its count.
[[nodiscard]] std::vector<PrintedRow> rows_of(const RowLine& line,
                                              const std::vector<MentionedMove>& moves);

}  // namespace manyply

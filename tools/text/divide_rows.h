// Finds the rows of a divide in a printed line. A row is a move and the numbers beside the move
// that may be its count.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/text/written_moves.h"

namespace manyply {

/// A number of a row that may be its count.
struct PrintedCount {
  int place;  ///< see namespace place
  std::optional<NodeCount> number;
  std::string why_not;   ///< why the number is no count; empty if it may be one
  bool pointed = false;  ///< the number is written with a decimal point
  std::string
      head{};  ///< head of its column, or the word beside the number; empty if there is no name
  std::size_t offset = 0;  ///< offset in the line
  std::size_t field = 0;   ///< index among the line's fields
};

/// Places of counts, the likeliest first. kLabelled, kFirstBehind and kFirstBefore are the places
/// of the first number of their kind. If a row has more numbers of this kind, their places are the
/// constant plus 1, the constant plus 2, and so on.
namespace place {
inline constexpr int kLabelled = -50;  ///< number after or before a word for counts
/// Number after brackets that contain the move and other numbers.
inline constexpr int kOutside = 1;
inline constexpr int kFirstBehind = 2;     ///< number after the move
inline constexpr int kGrouped = 50;        ///< the first number, joined with its groups of digits
inline constexpr int kOfMoves = 55;        ///< "moves = 20": number of replies, or the count
inline constexpr int kPerft = 60;          ///< "perft 20": a depth if there is another number
inline constexpr int kFarBehind = 80;      ///< number after unknown words
inline constexpr int kFirstBefore = 100;   ///< number before the move; the nearest comes first
inline constexpr int kIndexBefore = 1000;  ///< "12." before the move
}  // namespace place
[[nodiscard]] constexpr bool is_labelled(int at) { return at < place::kOutside; }

struct PrintedRow {
  std::string line;
  MoveMeaning meaning;
  std::vector<PrintedCount> counts;  ///< the likeliest first; not empty
  /// Numbers after the move that are in brackets, "20 (21)", or follow an unknown word, "20
  /// expected 21". Such numbers are counts only if they are near the numbers in `counts`.
  std::vector<PrintedCount> asides{};
  std::size_t fields = 0;  ///< number of fields of the line; 0 if the line has several moves
  bool is_info = false;
  std::size_t at = 0;      ///< number of the line, after joined lines were split
  std::size_t source = 0;  ///< number of the text in which the line was fed to the parser

  /// Returns whether only a total can show which number is the count. There are two cases. First:
  /// each number is written before the move like a line number, "12.". Second: one number in
  /// `counts` follows the move after unknown words, and all others precede the move.
  [[nodiscard]] bool is_doubtful() const;
};

/// A table's heading with the names of its columns: `| Move | Captures | Nodes |`.
class Heading {
 public:
  /// Returns the heading in a line. The line must have names in at least two fields, and no moves.
  /// If the fields are separated by marks, a name may have a number after its first word:
  /// "Stockfish 16". The line must have no other numbers.
  static std::optional<Heading> read(std::string_view line);

  /// Returns whether the heading has a name for the column of moves and a name for the column of
  /// counts. Any other heading is valid only if it applies to the line directly below it.
  [[nodiscard]] bool is_sure() const { return move_ && count_; }
  [[nodiscard]] bool names_moves() const { return move_.has_value(); }
  /// Returns whether the heading applies to the line. The line must have the same number of fields,
  /// and a move or a word for the total in the field for moves. If it is unknown which field has
  /// the moves, any field may have the move or the word.
  [[nodiscard]] bool binds(std::string_view line, const Tokens& tokens) const;
  /// Returns the number in the line's field for counts. Returns null if is_sure() is false, if the
  /// heading does not apply to the line, or if the field does not have exactly one number.
  [[nodiscard]] const Token* count_in(std::string_view line, const Tokens& tokens) const;
  /// Returns the name of the column in which the token stands; empty if the column has no name. The
  /// heading must apply to the line.
  [[nodiscard]] std::string name_above(std::string_view line, const Token& token) const;

 private:
  char separator_ = ' ';
  std::vector<std::string> names_;
  bool begins_behind_moves_ = false;  ///< the column of moves has no name
  std::optional<std::size_t> move_;   ///< the field of moves
  std::optional<std::size_t> count_;  ///< the field of counts, if there is exactly one
};

/// A printed line.
struct RowLine {
  std::string_view line;
  const Tokens& tokens;              ///< the tokens of `line`
  const Heading* heading = nullptr;  ///< the heading that applies to the line, or null
};

/// Returns one row for each of `moves`, which are the moves of `line`. Returns no rows if one of
/// the moves has no number that may be its count.
[[nodiscard]] std::vector<PrintedRow> rows_of(const RowLine& line,
                                              const std::vector<MentionedMove>& moves);

}  // namespace manyply

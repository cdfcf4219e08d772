// Reads a divide that a program prints: finds rows in lines, decides which column has the counts,
// and combines the lines into an answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "tools/text/engine_answer.h"
#include "tools/text/moves_in_line.h"
#include "tools/text/printed_totals.h"

namespace manyply {

// Finds the rows of a divide in a printed line. A row is a move and the numbers beside the move
// that may be its count.

/// A number of a row that may be its count.
struct PrintedCount {
  int place;  ///< see namespace place
  std::optional<NodeCount> number;
  std::string why_not;   ///< why the number is no count; empty if it may be one
  bool pointed = false;  ///< the number is written with a decimal point
  /// The name of the number: the head of the number's column, or the word beside the number. Empty
  /// if there is no name.
  std::string head{};
  std::size_t offset = 0;  ///< offset in the line
  std::size_t field = 0;   ///< index among the line's fields
};

/// Places of counts, the likeliest first. The first number after the move has the place
/// kFirstBehind, the second one kFirstBehind + 1, and so on. Places also count up from kLabelled
/// and from kFirstBefore.
namespace place {
inline constexpr int kLabelled = -50;  ///< number after or before a word for counts
/// Number that follows the brackets around the move and another number: 20 in `(e2e4, 3): 20`.
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
  /// Numbers after the move, either in brackets ("20 (21)") or after an unknown word ("20 expected
  /// 21"). Such numbers are counts only if they are near the numbers in `counts`.
  std::vector<PrintedCount> asides{};
  std::size_t fields = 0;  ///< number of fields of the line; 0 if the line has several moves
  bool is_info = false;
  std::size_t at = 0;      ///< number of the line, after joined lines were split
  std::size_t source = 0;  ///< number of the text in which the line was fed to the parser

  /// Returns whether only a total can show which number is the count. There are two cases:
  /// - All numbers look like line numbers before the move ("12. e2e4").
  /// - Unknown words stand between the move and a later number, and all other numbers precede the
  ///   move ("20 e2e4 expected 21").
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

// Finds the columns of a printed table that may be its counts. A table that compares two programs
// has two columns of counts. Each of these columns gives one possible reading of the table.

/// A column of a table: the numbers at one place beside the moves.
struct CountColumn {
  /// The PrintedCount::place of the numbers in this column. Exception: for a column in
  /// CountColumns::asides, `place` is the index of the column's numbers in PrintedRow::asides.
  int place = 0;
  std::string head{};      ///< the column's name; empty if it has none
  std::size_t offset = 0;  ///< offset of the column's first number in its line
  bool is_filled = false;  ///< missing numbers were taken from another column
  /// One number for each row; nullopt if the row has no number in this column.
  std::vector<std::optional<NodeCount>> numbers{};

  [[nodiscard]] bool is_complete() const;
  /// Returns the numbers of the rows that have a number in this column.
  [[nodiscard]] std::vector<NodeCount> counts() const;
};

/// The columns of a table. They are found only from the printed text; the counts that Manyply
/// computes are not used.
struct CountColumns {
  /// The columns that may be the counts, the likeliest first. A column is left out if its head or
  /// numbers show another meaning: times, depths, row numbers, running totals, percentages, or
  /// statistics such as captures.
  std::vector<CountColumn> all{};
  /// Columns of the numbers in PrintedRow::asides, which may be counts. If a row lacks such a
  /// number, the column contains the row's number from the likeliest column.
  std::vector<CountColumn> asides{};
  /// Rows with fewer numbers than the other rows. It is unclear to which columns the numbers of
  /// such rows belong.
  std::vector<const PrintedRow*> torn{};
  /// Whether a column was left out because its numbers do not look like counts, although its head
  /// does not show another meaning.
  bool has_other_numbers = false;
};

/// Returns whether the numbers add up to a total that is `sure` and `alone`; see PrintedTotal.
using FitsTotal = std::function<bool(const std::vector<NodeCount>&)>;

/// Returns the columns of `rows`, which are the rows of a divide. `depth` is the depth of the
/// divide, if known. The places in `pointed` have numbers with a decimal point, which are not
/// counts. If only one column adds up to a total, this column is normally kept. Exceptions: its
/// head shows another meaning, or most of its numbers are 0, as in a column of captures.
[[nodiscard]] CountColumns columns_of(const std::vector<const PrintedRow*>& rows,
                                      const std::set<int>& pointed, std::optional<Depth> depth,
                                      const FitsTotal& fits_total);

/// Returns the number that is most likely the row's count: the first number in `row.counts`. Skips
/// a number such as "1.234", which may be a time, and numbers whose PrintedCount::place is in
/// `pointed`. If no number remains, returns the first one.
[[nodiscard]] const PrintedCount& likeliest_count(const PrintedRow& row,
                                                  const std::set<int>& pointed);

/// Returns whether the head is neither a word for counts nor a word for other numbers. Such a head
/// may be the name of a program whose counts are below it, such as "stockfish".
[[nodiscard]] bool may_name_counts(std::string_view head);

/// Returns the depth in a head: "depth 3", "perft(3)"; nullopt if there is no depth.
[[nodiscard]] std::optional<int> depth_in_head(std::string_view head);

/// Returns whether both columns may be counts of the same moves. Their numbers must be alike (see
/// engine_answer.h). Ignores rows in which one of the columns has no number.
[[nodiscard]] bool are_alike(const CountColumn& one, const CountColumn& other);

/// Returns whether the number in `part` is at most the number in `whole` in each row that has both
/// numbers. Returns false if no row has both.
[[nodiscard]] bool is_part_of(const CountColumn& part, const CountColumn& whole);

/// Returns a name for `column` that no other column in `all` has. If `column` has a head that no
/// other column has, the name contains this head: "column 'stockfish'". Otherwise, the name is the
/// place of `column`, counted from the left: "second column". If a column in `all` is filled (see
/// is_filled), each name is a place, with the word "number": "second number".
[[nodiscard]] std::string name_among(const CountColumn& column,
                                     const std::vector<CountColumn>& all);

// Combines printed lines into an answer. Decides which number of a row is its count, and which
// number is the total. Finds lines that were not understood although the answer depends on them.

/// A line that contains no row.
struct OtherLine {
  std::string line;
  std::string why;
  std::vector<std::string> moves{};   ///< the moves in the line
  std::optional<NodeCount> number{};  ///< the number in the line, if there is exactly one
  bool has_move = false;
  bool has_number = false;
  bool is_list = false;  ///< the line has only moves, perhaps with move numbers
  bool is_info = false;
  bool matters = false;  ///< the answer depends on the line even if all other lines are consistent
  std::size_t at = 0;    ///< number of the line, as in PrintedRow
};

/// The lines of an answer, read one by one.
struct PrintedLines {
  NamedPosition asked;           ///< the position of the answer
  std::optional<Depth> depth{};  ///< the requested depth, if known
  std::vector<PrintedRow> rows{};
  std::vector<PrintedTotal> totals{};
  std::vector<OtherLine> others{};
  DepthTable depths{};
};

/// Returns the answer that the lines contain. Leaves `lines` and `remarks` of the answer empty. A
/// list of moves without counts is a divide of depth 1.
[[nodiscard]] EngineAnswer read_together(const PrintedLines& printed);

// Splits a printed text into tables. The tables are divides of several depths, or several divides
// of one depth.

/// Splits `printed` into its tables, in their order. Returns at least one table. A table ends at a
/// total to which its rows add up, or where its moves begin to repeat. A single row that repeats a
/// move is a new table only if its count differs from the earlier count, and if unusually many
/// lines separate it from the row above. If all rows together add up to a total, they are one
/// table.
[[nodiscard]] std::vector<PrintedLines> tables_of(const PrintedLines& printed);

/// Returns whether the lines have a total that is certain, and the rows add up to this total.
[[nodiscard]] bool is_whole(const PrintedLines& table);

/// Returns the lines of `printed` from line number `first` to line number `last` - 1.
[[nodiscard]] PrintedLines lines_of(const PrintedLines& printed, std::size_t first,
                                    std::size_t last = SIZE_MAX);

}  // namespace manyply

// Reads what an engine prints for a perft with divide. The moves may be in any notation. The text
// may be pasted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fen.h"
#include "tools/text/divide_reading.h"

namespace manyply {

/// Reads these lines:
/// * *rows*: a move (see moves_in_line.h) and its count. The count follows the move, precedes it,
///   or is marked by a word such as `nodes`: `e2e4: 20`, `1. e2-e4 = 20 nodes`, `20 e2e4`,
///   `move=e2e4 nodes=20`. A line may have several rows;
/// * *headings*: lines of words. A heading has words for moves and for counts
///   (`| Move | Captures | Nodes |`, `move,nodes`), or is directly above a row
///   (`move,mine,stockfish`). A heading applies to a line below it under two conditions: the line
///   has the same number of fields between the same separators, and its field for moves has a move
///   or a word for the total. If a heading has exactly one word for counts, the numbers below this
///   word are the likeliest counts;
/// * *totals*: `Nodes searched: 400`, `perft(2) = 400`, only a number, or a table of totals by
///   depth;
/// * *lists*, at depth 1: only moves.
///
/// If each depth up to the requested one has a table, the answer is the last table.
///
/// A *column* is the numbers at one place beside the move (see CountColumns). If there are
/// several columns, their headings, their values and the total show which columns are counts. The
/// counts that Manyply computes itself never take part in this decision.
///
/// A line that was not understood *matters* in three cases. First: it looks like a row. Second: the
/// rows do not add up to the total. Third: there are too few or too many moves, and no total proves
/// that the rows are complete. Only a total above or below all rows can be a proof; a total between
/// rows is a running total.
///
/// An `info` line is a row only as `info string …` or `info currmove e2e4 perft 20`. `bestmove …`,
/// FENs and other UCI lines are never rows.
///
/// Stores a bounded number of lines. Not thread-safe.
class EngineOutputParser {
 public:
  /// `asked` is the position of the output, and `depth` the requested depth, if known.
  explicit EngineOutputParser(NamedPosition asked, std::optional<Depth> depth = {});

  /// Reads a printed line. The line may have been joined from several lines, but has no line ends.
  /// Returns whether the line belongs to a divide.
  bool feed(std::string_view line);

  [[nodiscard]] bool has_rows() const { return rows() > 0; }
  [[nodiscard]] std::size_t rows() const { return printed_.rows.size(); }
  /// Returns whether one of the lines read so far has a number that is certainly a total. The
  /// number of nodes in an `info` line of a search is never certain.
  [[nodiscard]] bool has_total() const { return has_total_; }
  /// Returns whether the rows of the last table add up to a total.
  [[nodiscard]] bool is_complete() const { return complete_; }
  /// Returns the number of tables read so far. Ignores tables with fewer than half the rows of the
  /// largest table: such tables usually repeat a few of its rows. If there are no rows, returns the
  /// number of certain totals.
  [[nodiscard]] std::size_t tables() const;

  /// Returns the answer for the requested depth. If the last table has a certain total, the answer
  /// is the last table; otherwise, it is the table with the largest sum. The answer has no other
  /// columns (see settle_columns()).
  [[nodiscard]] EngineAnswer answer() const;
  /// Returns one answer for each table, and at least one answer. Each answer has all columns that
  /// may contain its counts.
  [[nodiscard]] std::vector<EngineAnswer> answers() const;

 private:
  bool feed_line(std::string_view line);
  /// Returns the heading that applies to the line, or null.
  const Heading* heading_of(std::string_view line, const Tokens& tokens);
  bool feed_rows(const RowLine& line, OtherLine& other);
  bool feed_total(const Tokens& tokens, const Token* in_column, bool is_search, OtherLine& other);
  void keep_totals(const std::vector<PrintedTotal>& totals);

  PrintedLines printed_;
  std::optional<Heading> heading_;        ///< the last valid heading
  std::optional<Heading> maybe_heading_;  ///< the previous line, if it may be a heading
  std::vector<std::string> lines_;
  std::vector<UnreadLine> remarks_;
  bool has_total_ = false;
  bool complete_ = false;
  std::size_t texts_ = 0;        ///< number of texts read
  std::size_t fed_ = 0;          ///< number of lines in these texts
  std::size_t table_begin_ = 0;  ///< line number where the current table begins
  int readings_ = 0;             ///< number of times that a total was compared with the rows
};

// Splits pasted text, or the text of a file, into the lines of a divide.

/// Returns the lines of `bytes`. The bytes are UTF-8, or UTF-16 with a byte order mark. Lines end
/// with LF, CR, CR LF, or with a backslash and the letter n, as in a string literal. In JSON, each
/// object or array that describes a move becomes one line, and each other string or number becomes
/// one line. Returns an error if `bytes` contain control characters that do not occur in texts,
/// such as DEL.
Result<std::vector<std::string>> pasted_lines(std::string_view bytes);

// Splits divides whose rows stand on one line. People copy such lines from terminals, chats and
// JSON strings.

/// Splits `line` into the lines from which it was joined. `a2a3: 380 b2b3: 420 … Nodes searched:
/// 8902` becomes the text before the first row, one line per row, and the text after the last row.
/// Each count may also stand before its move. A line with fewer than four rows is returned
/// unchanged.
[[nodiscard]] std::vector<std::string> lines_apart(std::string_view line);

// Separates the divides of several programs that stand in one paste: in a diff, in a merge
// conflict, or as lists beside each other.

struct PastedLine {
  std::string text;
  std::size_t number;  ///< line number in the paste, from 1
};

struct PastedSide {
  std::string name;  ///< "'-' side", "left side"; empty for the whole text
  std::vector<PastedLine> lines;
};

/// Splits `lines` into the divides of two to four programs, one side for each program. `asked` is
/// the position of the divides. If the text has no sides, returns the whole text as one side with
/// an empty name. Recognizes the output of `diff` (plain, unified, by words, and `-y`), the marks
/// of a merge conflict, and lists beside each other, as `paste` prints them.
[[nodiscard]] std::vector<PastedSide> sides_of(const std::vector<std::string>& lines,
                                               const NamedPosition& asked);

}  // namespace manyply

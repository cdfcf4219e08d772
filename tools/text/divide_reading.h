// Combines printed lines into an answer. Decides which number of a row is its count, and which
// number is the total. Finds lines that were not understood although the answer depends on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/text/divide_rows.h"
#include "tools/text/engine_answer.h"
#include "tools/text/line_tokens.h"

namespace manyply {

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
/// total to which its rows add up, or where its moves begin to repeat. A single repeated row is a
/// new table only if it follows a gap and has another count than the same move in the table. If all
/// rows together add up to a total, they are one table.
[[nodiscard]] std::vector<PrintedLines> tables_of(const PrintedLines& printed);

/// Returns whether the rows of the lines add up to a certain total.
[[nodiscard]] bool is_whole(const PrintedLines& table);

/// Returns the lines of `printed` from line number `first` to line number `last` - 1.
[[nodiscard]] PrintedLines lines_of(const PrintedLines& printed, std::size_t first,
                                    std::size_t last = SIZE_MAX);

}  // namespace manyply

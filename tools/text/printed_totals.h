// Finds the total of a divide, or of a perft without divide, in a printed line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "core/types.h"
#include "tools/text/line_tokens.h"

namespace manyply {

/// A total, and the lines that contain it.
struct PrintedTotal {
  NodeCount nodes;
  bool sure = false;  ///< the line calls the number a total, or contains nothing else
  bool alone = true;  ///< no other number of the line can be the total
  std::optional<NodeCount> depth{};  ///< the depth in the line, if any: "perft(3) = 8902"
  std::string line{};
  std::size_t first = 0;  ///< number of the first line with this total
  std::size_t last = 0;   ///< number of the last line with this total
};

/// The total in a line.
struct TotalsOfLine {
  /// Possible values of the total, the likeliest first. Empty if there is no total, or if it is
  /// unclear which number is the total.
  std::vector<PrintedTotal> readings{};
  /// A number such as "-20" that stands where the total should be, but cannot be a count; null if
  /// there is no such number.
  const Token* refused = nullptr;
};

/// Returns the total in a line: `Nodes searched: 400`, `perft(2) = 400`, or only a number. If a
/// heading names a column as counts, `in_column` is the token of this line in that column;
/// otherwise, `in_column` is null. If `is_search`, the line is an engine's `info` line, and its
/// total is never `sure`.
[[nodiscard]] TotalsOfLine totals_of(const Tokens& tokens, const Token* in_column, bool is_search);

// Reads tables of totals by depth: `1 20 0.001`, `2 400 0.002`, …. Programs print such a table if
// they count every depth up to the requested one.

/// Collects the rows of the last table in a text, line by line. Not thread-safe.
class DepthTable {
 public:
  /// The row of one depth.
  struct Row {
    std::string line;
    std::size_t at;  ///< line number of the row
    /// Numbers after the depth; nullopt for a number that cannot be a count.
    std::vector<std::optional<NodeCount>> numbers;
    /// Index of the row's count in `numbers`; nullopt if no heading shows which column has the
    /// counts.
    std::optional<std::size_t> column;
  };

  /// Reads the next line, whose number is `at`. The line must contain no moves. Ignores lines that
  /// are neither a row nor a heading of a table.
  void take(std::string_view line, const Tokens& tokens, std::size_t at);

  /// Returns the row of `depth`. Returns nullopt if the table has no such row, or if the count of
  /// the row cannot be read. The rows of a table have successive depths, from 0 or 1.
  [[nodiscard]] std::optional<Row> row_of(Depth depth) const;
  /// Returns whether the line with number `at` is a row of the table.
  [[nodiscard]] bool has_line(std::size_t at) const;

 private:
  std::vector<Row> rows_;
  int first_ = 0;                      ///< depth of the first row, 0 or 1
  std::optional<std::size_t> column_;  ///< column of counts in the last heading
};

}  // namespace manyply

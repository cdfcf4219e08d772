// Reads tables of totals by depth. Programs print one if they count every depth up to the requested
// one: `1 20 0.001`, `2 400 0.002`, …
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "tools/text/printed_line.h"

namespace manyply {

/// Collects the rows of the last table in a text, line by line. Not thread-safe.
class DepthTable {
 public:
  /// The row of one depth.
  struct Row {
    std::string line;
    std::size_t at;  ///< line number of the row
    std::vector<std::optional<NodeCount>>
        numbers;  ///< numbers after the depth; nullopt: not a whole number
    std::optional<std::size_t>
        column;  ///< index into `numbers` of the count, if a heading names it
  };

  /// Reads the next line, whose number is `at`. The line must contain no moves. Lines that are
  /// neither a row nor a heading of a table change nothing.
  void take(std::string_view line, const std::vector<Token>& tokens, std::size_t at);

  /// Returns the row of `depth`; nullopt if its count is no whole number, or if the rows of all
  /// smaller depths, from 0 or 1 on, do not precede it.
  [[nodiscard]] std::optional<Row> row_of(Depth depth) const;
  /// Returns whether the line with number `at` is a row of the table.
  [[nodiscard]] bool has_line(std::size_t at) const;

 private:
  std::vector<Row> rows_;
  int first_ = 0;                      ///< depth of the first row, 0 or 1
  std::optional<std::size_t> column_;  ///< column of counts in the last heading
};

}  // namespace manyply

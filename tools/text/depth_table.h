// A table of totals by depth, as programs print it that count every depth up to the one they are
// asked for: `1 20 0.001`, `2 400 0.002`, …
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "tools/text/printed_line.h"

namespace manyply {

class DepthTable {
 public:
  /// The row of one depth.
  struct Row {
    std::string line;
    std::size_t at;                                 ///< number of the line
    std::vector<std::optional<NodeCount>> numbers;  ///< behind the depth; nothing: no whole number
    std::optional<std::size_t> column;              ///< of `numbers` that a heading calls the count
  };

  /// A line without moves. What is no row of a table and no heading of one changes nothing.
  /// `at` is its number.
  void take(std::string_view line, const std::vector<Token>& tokens, std::size_t at);

  /// The row of `depth`, if rows of all depths from 0 or 1 on stand before it.
  [[nodiscard]] std::optional<Row> row_of(Depth depth) const;
  [[nodiscard]] bool has_line(std::size_t at) const;

 private:
  std::vector<Row> rows_;
  int first_ = 0;                      ///< depth
  std::optional<std::size_t> column_;  ///< of the last heading
};

}  // namespace manyply

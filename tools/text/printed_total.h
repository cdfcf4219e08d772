// Finds the total of a divide, or of a perft without divide, in a printed line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/text/printed_line.h"

namespace manyply {

/// A total, and where it stands.
struct PrintedTotal {
  NodeCount nodes;
  bool sure = false;                 ///< the line calls it a total, or has nothing else
  bool alone = true;                 ///< no other number of the line can be the total
  std::optional<NodeCount> depth{};  ///< if the line names it: "perft(3) = 8902"
  std::string line{};
  std::size_t first = 0;  ///< first line number with this total
  std::size_t last = 0;   ///< last line number with it
};

/// The total that a line states.
struct TotalsOfLine {
  std::vector<PrintedTotal>
      readings{};  ///< possible values of one total; empty: no total, or an unclear one
  const Token* refused =
      nullptr;  ///< a token in the total's place that is no count; otherwise null
};

/// Returns the total in a line: `Nodes searched: 400`, `perft(2) = 400`, or only a number.
/// `in_column` is the number in the column that a heading names, or null. If `is_search`, the line
/// is an engine's `info` line, whose numbers are never sure.
[[nodiscard]] TotalsOfLine totals_of(const std::vector<Token>& tokens, const Token* in_column,
                                     bool is_search);

}  // namespace manyply

// The total of a divide, or of a perft without one, as a printed line tells it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/text/printed_line.h"

namespace manyply {

struct PrintedTotal {
  NodeCount nodes;
  bool sure = false;                 ///< it is called so, or stands there alone
  bool alone = true;                 ///< no other number of the line may be it
  std::optional<NodeCount> depth{};  ///< if it is told: "perft(3) = 8902"
  std::string line{};
  std::size_t first = 0;  ///< number of the line where it stands for the first time
  std::size_t last = 0;
};

/// The total that a line states.
struct TotalsOfLine {
  std::vector<PrintedTotal> readings{};  ///< of one total; not one where it cannot be told which
  const Token* refused = nullptr;        ///< stands where it should stand, and is no count
};

/// `Nodes searched: 400`, `perft(2) = 400`, or a number alone. `in_column` is the number that a
/// heading names, or null; a search's `info` line is never sure.
[[nodiscard]] TotalsOfLine totals_of(const std::vector<Token>& tokens, const Token* in_column,
                                     bool is_search);

}  // namespace manyply

// A pasted divide against our own: which rows differ.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/node_count.h"
#include "core/result.h"

namespace manyply {

struct MoveCount {
  std::string move;  ///< UCI text
  NodeCount nodes;
};

/// Lines that start with a move and then have a count: `e2e4: 20`, `e2e4 20`, `e2e4,20`, `1. e2e4 =
/// 20`. Other lines are skipped. The error says that there is no such line, or that a move comes
/// twice.
Result<std::vector<MoveCount>> parse_pasted_divide(std::string_view text);

struct DiffRow {
  std::string move;
  std::optional<NodeCount> ours;    ///< absent: the move is not legal
  std::optional<NodeCount> theirs;  ///< absent: the move is missing there
  [[nodiscard]] bool same() const { return ours == theirs; }
};

/// One row for each move of either side, ascending by move.
[[nodiscard]] std::vector<DiffRow> diff_of(const std::vector<MoveCount>& ours,
                                           const std::vector<MoveCount>& theirs);

}  // namespace manyply

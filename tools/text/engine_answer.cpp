#include "tools/text/engine_answer.h"

#include <algorithm>

#include "core/base/quote.h"

namespace manyply {

std::string to_string(const UnreadLine& line) {
  if (line.text.empty()) return line.why;
  return quote(line.text) + (line.why.empty() ? "" : ", " + line.why);
}

std::optional<NodeCount> sum_of(const std::vector<NodeCount>& counts) {
  NodeCount sum;
  try {
    for (const NodeCount count : counts) sum += count;
  } catch (const CountOverflow&) {
    return std::nullopt;
  }
  return sum;
}

std::optional<NodeCount> EngineAnswer::sum() const {
  std::vector<NodeCount> counts;
  for (const EngineRow& row : rows) counts.push_back(row.nodes);
  return sum_of(counts);
}

bool EngineAnswer::contradicts_itself() const { return total && !rows.empty() && total != sum(); }

bool EngineAnswer::may_count(NodeCount nodes) const {
  if (total == nodes || (!rows.empty() && sum() == nodes)) return true;
  return std::ranges::count(other_totals, nodes, &OtherTotal::nodes) != 0 ||
         std::ranges::any_of(other_columns,
                             [&](const auto& column) { return sum_of(column) == nodes; });
}

}  // namespace manyply

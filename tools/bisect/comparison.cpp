#include "tools/bisect/comparison.h"

#include <algorithm>
#include <map>
#include <utility>

namespace manyply {

EngineAnswer settled(EngineAnswer theirs, const Line& line, const std::vector<DivideEntry>& ours) {
  if (theirs.other_columns.empty()) return theirs;
  std::map<std::string, NodeCount> right;
  for (const auto& [move, nodes] : ours) right[to_uci(move, line.notation())] = nodes;
  std::vector<NodeCount> likeliest;
  for (const EngineRow& row : theirs.rows) likeliest.push_back(row.nodes);
  const auto agreeing = [&](const std::vector<NodeCount>& column) {
    std::size_t same = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      const auto of_move = right.find(theirs.rows[i].move);
      same += of_move != right.end() && of_move->second == column[i] ? 1 : 0;
    }
    return same;
  };
  for (const std::vector<NodeCount>& column : theirs.other_columns) {
    if (agreeing(column) > agreeing(likeliest)) likeliest = column;
  }
  const bool fitted = !theirs.contradicts_itself();
  bool is_other = false;
  for (std::size_t i = 0; i < likeliest.size(); ++i)
    is_other |= std::exchange(theirs.rows[i].nodes, likeliest[i]) != likeliest[i];
  if (is_other && fitted) theirs.total.reset();  // that was the other column's
  theirs.other_columns.clear();
  return theirs;
}

bool Comparison::same_moves() const {
  return invented.empty() && repeated.empty() &&
         std::ranges::all_of(rows, [](const Row& row) { return row.engine.has_value(); });
}

bool Comparison::agrees() const {
  return same_moves() &&
         std::ranges::all_of(rows, [](const Row& row) { return row.engine == row.ours; });
}

bool Comparison::has_dead_end() const {
  return std::ranges::any_of(rows, [](const Row& row) {
    return row.ours == NodeCount(0) && row.engine && *row.engine != row.ours;
  });
}

std::vector<Comparison::Row> Comparison::wrong_below() const {
  std::vector<Row> wrong;
  for (const Row& row : rows) {
    if (row.engine && *row.engine != row.ours && row.ours != NodeCount(0)) wrong.push_back(row);
  }
  std::ranges::sort(wrong, {}, &Row::ours);
  return wrong;
}

Comparison compare(const Line& line, const std::vector<DivideEntry>& ours,
                   const EngineAnswer& theirs) {
  Comparison comparison;
  for (const auto& [move, nodes] : ours) comparison.rows.push_back({move, nodes, std::nullopt});
  comparison.lists_nothing = theirs.rows.empty();
  for (const auto& [text, nodes] : settled(theirs, line, ours).rows) {
    const auto found = std::ranges::find_if(comparison.rows, [&](const Comparison::Row& row) {
      return to_uci(row.move, line.notation()) == text;
    });
    if (found == comparison.rows.end()) {
      if (std::ranges::count(comparison.invented, text) == 0) comparison.invented.push_back(text);
    } else if (found->engine) {
      comparison.repeated.push_back(text);
    } else {
      found->engine = nodes;
    }
  }
  std::ranges::sort(comparison.invented);
  return comparison;
}

std::optional<Observation> observe(const Line& line, Depth depth, const Comparison& compared) {
  const bool deepest = depth.plies() == 1;
  const bool shows =
      !compared.same_moves() || compared.has_dead_end() || (deepest && !compared.agrees());
  if (!shows) return std::nullopt;
  Observation observation;
  observation.invented = compared.invented;
  observation.repeated = compared.repeated;
  observation.lists_nothing = compared.lists_nothing;
  for (const Comparison::Row& row : compared.rows) {
    if (!row.engine) {
      observation.missed.push_back(row.move);
    } else if (*row.engine != row.ours && (deepest || row.ours == NodeCount(0))) {
      observation.counts.push_back({to_uci(row.move, line.notation()), row.ours, *row.engine});
    }
  }
  return observation;
}

}  // namespace manyply

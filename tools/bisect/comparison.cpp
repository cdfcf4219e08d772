#include "tools/bisect/comparison.h"

#include <algorithm>

namespace manyply {

namespace {

/// Their counts: of the columns that may hold them, the one that agrees with ours most often. A
/// wrong generator is right about most moves, a column of something else about none.
std::vector<NodeCount> likeliest_column(const EngineAnswer& theirs,
                                        const std::vector<DivideEntry>& ours,
                                        const std::vector<std::size_t>& places) {
  std::vector<NodeCount> best;
  for (const EngineRow& row : theirs.rows) best.push_back(row.nodes);
  const auto agreeing = [&](const std::vector<NodeCount>& column) {
    std::size_t same = 0;
    for (std::size_t i = 0; i < places.size(); ++i)
      same += places[i] < ours.size() && column[i] == ours[places[i]].nodes ? 1 : 0;
    return same;
  };
  for (const std::vector<NodeCount>& column : theirs.other_columns) {
    if (agreeing(column) > agreeing(best)) best = column;
  }
  return best;
}

}  // namespace

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
  const auto find = [&](const std::string& text) {
    return std::ranges::find_if(comparison.rows, [&](const Comparison::Row& row) {
      return to_uci(row.move, line.notation()) == text;
    });
  };
  std::vector<std::size_t> places;  // of their rows among ours
  for (const EngineRow& row : theirs.rows)
    places.push_back(static_cast<std::size_t>(find(row.move) - comparison.rows.begin()));
  const std::vector<NodeCount> counts = likeliest_column(theirs, ours, places);
  for (std::size_t i = 0; i < theirs.rows.size(); ++i) {
    const EngineRow& row = theirs.rows[i];
    const auto found = comparison.rows.begin() + static_cast<std::ptrdiff_t>(places[i]);
    if (found == comparison.rows.end()) {
      if (std::ranges::count(comparison.invented, row.move) == 0)
        comparison.invented.push_back(row.move);
    } else if (found->engine) {
      comparison.repeated.push_back(row.move);
    } else {
      found->engine = counts[i];
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

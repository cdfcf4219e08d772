#include "tools/text/engine_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/text.h"

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
  return std::ranges::count(other_totals, nodes, &OtherTotal::nodes) != 0;
}

namespace {

/// Returns whether the numbers differ by less than a factor of 2. A wrong generator's counts are
/// near the right counts. Counts of other depths, and other numbers, are farther from the right
/// counts.
bool are_near(NodeCount one, NodeCount other) {
  const double first = one.approximate();
  const double second = other.approximate();
  return one == other || (first < 2 * second && second < 2 * first);
}

}  // namespace

bool are_alike(const std::vector<std::pair<NodeCount, NodeCount>>& counts) {
  const auto says_nothing = [](const auto& pair) {
    return pair.first == NodeCount(0) && pair.second == NodeCount(0);
  };
  const auto is_near = [&](const auto& pair) {
    return !says_nothing(pair) && are_near(pair.first, pair.second);
  };
  const auto telling = std::ssize(counts) - std::ranges::count_if(counts, says_nothing);
  return !counts.empty() && 2 * std::ranges::count_if(counts, is_near) >= telling;
}

bool are_alike(const std::vector<EngineRow>& one, const std::vector<EngineRow>& other) {
  std::map<std::string_view, NodeCount> counts;
  for (const EngineRow& row : one) counts[row.move] = row.nodes;
  std::vector<std::pair<NodeCount, NodeCount>> pairs;
  for (const EngineRow& row : other) {
    if (const auto same = counts.find(row.move); same != counts.end())
      pairs.emplace_back(row.nodes, same->second);
  }
  return are_alike(pairs);
}

std::vector<EngineAnswer> without_remarks(std::vector<EngineAnswer> tables) {
  const auto repeats = [](const EngineAnswer& few, const EngineAnswer& all) {
    return 2 * few.rows.size() < all.rows.size() &&
           std::ranges::all_of(
               few.rows,
               [&](const EngineRow& row) { return std::ranges::count(all.rows, row) != 0; });
  };
  std::vector<EngineAnswer> left;
  for (const EngineAnswer& table : tables) {
    if (std::ranges::none_of(tables, [&](const auto& all) { return repeats(table, all); }))
      left.push_back(table);
  }
  return left;
}

void settle_columns(EngineAnswer& answer) {
  const bool total_tells = answer.total_is_certain && !answer.contradicts_itself();
  const auto count_of = [](const std::vector<EngineRow>& rows, const EngineRow& row) {
    const auto same = std::ranges::find(rows, row.move, &EngineRow::move);
    return same == rows.end() ? "none" : same->nodes.to_string();
  };
  for (const auto& other : std::exchange(answer.other_columns, {})) {
    if (total_tells && !other.fits_total) continue;
    const std::vector<EngineRow>& rows = other.rows;
    std::vector<EngineRow> all = answer.rows;
    std::ranges::copy_if(rows, std::back_inserter(all), [&](const EngineRow& row) {
      return std::ranges::count(answer.rows, row.move, &EngineRow::move) == 0;
    });
    for (const EngineRow& row : all) {
      const std::string one = count_of(answer.rows, row);
      const std::string another = count_of(rows, row);
      if (one == another) continue;
      answer.unread.push_back(
          {row.line,
           fmt::format("it is ambiguous which number is the count: {} or {}", one, another)});
    }
  }
}

}  // namespace manyply

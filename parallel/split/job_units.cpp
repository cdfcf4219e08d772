#include "parallel/split/job_units.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace manyply {

JobUnits::JobUnits(RootSplit split, UnitOrder order)
    : split_(std::move(split)), order_(std::move(order)) {
  MANYPLY_CHECK(order_.units.size() == split_.size());
}

std::size_t JobUnits::group_of(std::size_t unit) const {
  const std::vector<std::size_t>& begins = order_.group_begin;
  return static_cast<std::size_t>(std::ranges::upper_bound(begins, unit) - begins.begin()) - 1;
}

void JobUnits::add_paths(std::size_t unit, NodeCount count, std::span<NodeCount> sums) const {
  for (const auto& [root_move, paths] : split_.shares_of(order_.units[unit]))
    sums[root_move] += paths * count;
}

void JobUnits::append_to(UnitOrder& order, const UnitSpan& units) const {
  MANYPLY_CHECK(units.begin <= units.end && units.end <= size());
  if (units.begin == units.end) return;
  const std::size_t before = order.units.size();
  order.units.reserve(before + units.size());
  for (std::size_t unit = units.begin; unit < units.end; ++unit)
    order.units.push_back(static_cast<std::uint32_t>(unit));
  order.group_begin.push_back(before);
  for (std::size_t group = group_of(units.begin) + 1;
       group < groups() && group_begin(group) < units.end; ++group)
    order.group_begin.push_back(before + (group_begin(group) - units.begin));
}

}  // namespace manyply

#include "parallel/units/unit_order.h"

#include <algorithm>
#include <numeric>

namespace manyply {

UnitOrder biggest_first(const RootSplit& split, const Kernel& kernel) {
  // A counting sort. Sorting with comparisons takes three times as long while all threads wait.
  std::vector<std::size_t> rank(split.size());  // 0 = as many moves as possible
  std::vector<std::size_t> place(MoveList::kCapacity + 1);
  CountStats unused;
  for (std::size_t unit = 0; unit < split.size(); ++unit) {
    rank[unit] = MoveList::kCapacity -
                 static_cast<std::size_t>(kernel.count(split.boards[unit], 1, {}, unused));
    ++place.at(rank[unit]);
  }
  std::exclusive_scan(place.begin(), place.end(), place.begin(), std::size_t{0});
  UnitOrder order = ascending_order(split.size());
  for (std::uint32_t unit = 0; unit < split.size(); ++unit) order.units[place[rank[unit]]++] = unit;
  return order;
}

UnitOrder grouped_for_window(const RootSplit& split, int unit_depth) {
  UnitOrder order = ascending_order(split.size());
  if (split.size() == 0) return order;
  const Color unit_side = split.boards.front().side_to_move;
  const Color side_at_three = (unit_depth - 3) % 2 == 0 ? unit_side : ~unit_side;
  const auto common_pieces = [&](std::uint32_t unit) -> const Pieces& {
    return split.boards[unit].of(~side_at_three);
  };
  std::ranges::sort(order.units, [&](std::uint32_t a, std::uint32_t b) {
    const auto by_pieces = common_pieces(a) <=> common_pieces(b);
    return by_pieces != 0 ? by_pieces < 0 : a < b;
  });
  for (std::size_t i = 1; i < order.units.size(); ++i) {
    if (common_pieces(order.units[i]) != common_pieces(order.units[i - 1]))
      order.group_begin.push_back(i);
  }
  return order;
}

UnitOrder order_for(const RootSplit& split, int unit_depth, bool has_table, const Kernel& kernel) {
  return has_table ? grouped_for_window(split, unit_depth) : biggest_first(split, kernel);
}

}  // namespace manyply

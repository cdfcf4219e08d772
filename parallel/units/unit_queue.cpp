#include "parallel/units/unit_queue.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/check.h"

namespace manyply {

UnitOrder ascending_order(std::size_t units) {
  UnitOrder order;
  order.units.resize(units);
  std::iota(order.units.begin(), order.units.end(), 0U);
  if (units > 0) order.group_begin.push_back(0);
  return order;
}

UnitOrder range_of(const UnitOrder& order, std::size_t begin, std::size_t end) {
  MANYPLY_CHECK(begin <= end && end <= order.units.size());
  UnitOrder range;
  range.units.assign(order.units.begin() + static_cast<std::ptrdiff_t>(begin),
                     order.units.begin() + static_cast<std::ptrdiff_t>(end));
  if (begin == end) return range;
  range.group_begin.push_back(0);
  auto next = std::ranges::upper_bound(order.group_begin, begin);
  for (; next != order.group_begin.end() && *next < end; ++next) {
    range.group_begin.push_back(*next - begin);
  }
  return range;
}

UnitQueue::UnitQueue(UnitOrder order) : order_(std::move(order)), next_(order_.groups()) {
  for (std::size_t group = 0; group < order_.groups(); ++group)
    next_[group].store(order_.group_begin[group], std::memory_order_relaxed);
}

std::optional<UnitQueue::Portion> UnitQueue::take(std::size_t team) {
  const MutexLock lock(mutex_);
  if (at_.size() <= team) at_.resize(team + 1);
  std::optional<std::size_t>& at = at_[team];
  if (!at || exhausted(*at)) {
    at.reset();
    if (next_whole_ < order_.groups()) at = next_whole_++;
  }
  if (at) return Portion(*this, *at);
  while (next_shared_ < order_.groups() && exhausted(next_shared_)) ++next_shared_;
  if (next_shared_ == order_.groups()) return std::nullopt;
  return Portion(*this, next_shared_);
}

UnitOrder biggest_first(const RootSplit& split, const Kernel& kernel) {
  // This is a counting sort. A sort by comparisons would take three times as long, and all threads
  // wait for the result.
  std::vector<std::size_t> rank(split.size());  // rank 0 has the most moves
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

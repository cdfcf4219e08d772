#include "parallel/units/unit_source.h"

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

UnitSource::Range::Range(UnitOrder the_order, OnDone the_on_done)
    : order(std::move(the_order)),
      on_done(std::move(the_on_done)),
      next(order.groups()),
      left(order.units.size()) {
  for (std::size_t group = 0; group < order.groups(); ++group)
    next[group].store(order.group_begin[group], std::memory_order_relaxed);
}

void UnitSource::add(UnitOrder order, OnDone on_done) {
  if (order.units.empty()) {
    if (on_done) on_done();
    return;
  }
  auto range = std::make_shared<Range>(std::move(order), std::move(on_done));
  {
    const MutexLock lock(mutex_);
    MANYPLY_CHECK(!closed_);
    whole_.push_back(std::move(range));
  }
  more_.notify_all();
}

void UnitSource::close() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
  }
  more_.notify_all();
}

void UnitSource::halt() {
  {
    const MutexLock lock(mutex_);
    halted_ = true;
  }
  more_.notify_all();
}

Result<std::optional<UnitSource::Portion>> UnitSource::take(std::size_t team) {
  const MutexLock lock(mutex_);
  if (at_.size() <= team) at_.resize(team + 1);
  for (;;) {
    if (at_[team]) {
      if (!at_[team]->exhausted()) return at_[team];
      at_[team].reset();  // and releases its range
    }
    if (!whole_.empty()) {
      const std::shared_ptr<Range> range = whole_.front();
      const std::size_t group = range->next_whole++;
      if (range->next_whole == range->order.groups()) {
        whole_.pop_front();
        drop_exhausted();
        shared_.push_back(range);
      }
      return at_[team] = Portion(range, group);
    }
    drop_exhausted();
    if (!shared_.empty()) {
      return std::optional(Portion(shared_.front(), shared_.front()->next_shared));
    }
    if (closed_) return std::optional<Portion>();
    if (halted_) return cancelled();
    more_.wait(mutex_);
  }
}

void UnitSource::drop_exhausted() {
  while (!shared_.empty()) {
    Range& range = *shared_.front();
    while (range.next_shared < range.order.groups() && range.exhausted(range.next_shared)) {
      ++range.next_shared;
    }
    if (range.next_shared < range.order.groups()) return;
    shared_.pop_front();
  }
}

void UnitSource::Portion::counted() {
  if (taken_ == 0) return;
  const std::size_t before = range_->left.fetch_sub(taken_, std::memory_order_acq_rel);
  const bool last = before == taken_;
  taken_ = 0;
  if (last && range_->on_done) range_->on_done();
}

UnitOrder biggest_first(const RootSplit& split, const Kernel& kernel) {
  // A counting sort. A sort by comparisons would take three times as long, and all threads wait for
  // it.
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

#include "parallel/unit_source.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/check.h"

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
  for (std::size_t group = 0; group < order.groups(); ++group) {
    next[group].store(order.group_begin[group], std::memory_order_relaxed);
  }
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

Result<std::optional<UnitSource::Portion>> UnitSource::take() {
  const MutexLock lock(mutex_);
  for (;;) {
    if (!whole_.empty()) {
      const std::shared_ptr<Range> range = whole_.front();
      const std::size_t group = range->next_whole++;
      if (range->next_whole == range->order.groups()) {
        whole_.pop_front();
        drop_exhausted();
        shared_.push_back(range);
      }
      return std::optional(Portion(range, group));
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
    const auto exhausted = [&range](std::size_t group) {
      return range.next[group].load(std::memory_order_relaxed) >= range.order.group_end(group);
    };
    while (range.next_shared < range.order.groups() && exhausted(range.next_shared)) {
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

}  // namespace manyply

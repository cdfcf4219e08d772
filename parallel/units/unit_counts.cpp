#include "parallel/units/unit_counts.h"

#include <algorithm>

#include "core/base/check.h"

namespace manyply {

UnitCounts::UnitCounts(std::size_t units)
    : pages_((units + kPageUnits - 1) / kPageUnits), held_(pages_.size()) {}

UnitCounts::PageUse UnitCounts::take_page(UnitSpan& units) {
  const std::size_t page = units.begin / kPageUnits;
  const std::size_t end = std::min(units.end, (page + 1) * kPageUnits);
  const PageUse use{page, end - units.begin};
  units.begin = end;
  return use;
}

void UnitCounts::hold(UnitSpan units) {
  const MutexLock lock(mutex_);
  while (units.begin < units.end) {
    const auto [page, uses] = take_page(units);
    if (held_.at(page) == 0) pages_[page] = std::make_unique<NodeCount[]>(kPageUnits);
    held_[page] += uses;
  }
}

void UnitCounts::release(UnitSpan units) {
  const MutexLock lock(mutex_);
  while (units.begin < units.end) {
    const auto [page, uses] = take_page(units);
    MANYPLY_CHECK(held_.at(page) >= uses);
    held_[page] -= uses;
    if (held_[page] == 0) pages_[page].reset();
  }
}

std::size_t UnitCounts::pages_held() const {
  const MutexLock lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(held_, [](std::uint64_t uses) { return uses > 0; }));
}

}  // namespace manyply

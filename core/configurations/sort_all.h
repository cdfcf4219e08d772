// Sorts large arrays with several threads. A stop request ends the sorting early.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "core/base/stop_view.h"

namespace manyply {

/// Calls body(i) for each i from 0 to count - 1, on any number of threads. Returns after all calls
/// have returned.
using ForEach =
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& body)>;

/// The largest number of items that a thread sorts or merges between two tests for a stop request.
inline constexpr std::size_t kSortedAtOnce = 8192;

/// Sorts `items` on the threads of `for_each`. The order of equal items does not depend on the
/// number of threads. If a stop was requested, the result may be unsorted, with some items
/// duplicated and others lost.
template <typename T, typename Less>
void sort_all(std::vector<T>& items, const Less& less, const ForEach& for_each, StopView stop) {
  const std::size_t size = items.size();
  const auto at = [](std::vector<T>& of, std::size_t place) {
    return of.begin() + static_cast<std::ptrdiff_t>(place);
  };
  for_each((size + kSortedAtOnce - 1) / kSortedAtOnce, [&](std::size_t part) {
    if (stop.stop_requested()) return;
    const std::size_t begin = part * kSortedAtOnce;
    std::sort(at(items, begin), at(items, std::min(size, begin + kSortedAtOnce)), less);
  });
  std::vector<T> merged(size > kSortedAtOnce ? size : 0);
  for (std::size_t width = kSortedAtOnce; width < size; width *= 2) {
    for_each((size + 2 * width - 1) / (2 * width), [&](std::size_t pair) {
      auto first = at(items, pair * 2 * width);
      auto second = at(items, std::min(size, pair * 2 * width + width));
      const auto first_end = second;
      const auto second_end = at(items, std::min(size, (pair + 1) * 2 * width));
      auto to = at(merged, pair * 2 * width);
      for (std::size_t done = 0; first != first_end && second != second_end; ++done) {
        if (done % kSortedAtOnce == 0 && stop.stop_requested()) return;
        const bool takes_second = less(*second, *first);
        *to++ = takes_second ? *second++ : *first++;
      }
      std::copy(second, second_end, std::copy(first, first_end, to));
    });
    if (stop.stop_requested()) return;
    items.swap(merged);
  }
}

}  // namespace manyply

// A sort that compiles to one short function per type. libc++'s sort compiles to 4 to 9 KB per type
// (7 % of the library), because it uses sorting networks and looks for patterns.
#pragma once

#include <__iterator/concepts.h>

#include <__config>

_LIBCPP_BEGIN_NAMESPACE_STD

/// All sorts call this function. Overload resolution prefers it to libc++'s function, which has no
/// constraint.
template <class Policy, class Iterator, class Compare>
  requires contiguous_iterator<Iterator>
void __sort_impl(Iterator first, Iterator last, Compare& less);

_LIBCPP_END_NAMESPACE_STD

#include_next <__algorithm/sort.h>

_LIBCPP_BEGIN_NAMESPACE_STD

/// Quicksort. The pivot is the median of three elements. One of them is at a pseudo-random place,
/// because with fixed places some common orders of the input would take quadratic time.
template <class Element, class Compare>
void __quicksort(Element* first, Element* last, Compare& less) {
  constexpr ptrdiff_t few = 12;
  size_t anywhere = static_cast<size_t>(last - first);
  while (last - first > few) {
    anywhere = anywhere * 1'664'525 + 1'013'904'223;
    Element* const back = last - 1;
    swap(*first, first[1 + (anywhere >> 4) % static_cast<size_t>(last - first - 2)]);
    // Move the median to the front, and an element that is not less than the median to the back.
    if (less(*back, *first)) swap(*first, *back);
    Element* const middle = first + (last - first) / 2;
    if (less(*first, *middle)) {
      swap(*first, *middle);
      if (less(*back, *first)) swap(*first, *back);
    }
    Element* from = first;
    Element* to = last;
    for (;;) {
      do ++from;
      while (less(*from, *first));
      do --to;
      while (less(*first, *to));
      if (from >= to) break;
      swap(*from, *to);
    }
    swap(*first, *to);
    // Recurse only into the smaller part, to bound the depth of the recursion.
    if (to - first < last - to) {
      std::__quicksort(first, to, less);
      first = to + 1;
    } else {
      std::__quicksort(to + 1, last, less);
      last = to;
    }
  }
  for (Element* next = first; next != last; ++next) {
    if (next == first || !less(*next, next[-1])) continue;
    Element moved = std::move(*next);
    Element* at = next;
    do {
      *at = std::move(at[-1]);
      --at;
    } while (at != first && less(moved, at[-1]));
    *at = std::move(moved);
  }
}

template <class Policy, class Iterator, class Compare>
  requires contiguous_iterator<Iterator>
void __sort_impl(Iterator first, Iterator last, Compare& less) {
  std::__quicksort(std::__unwrap_iter(first), std::__unwrap_iter(last), less);
}

_LIBCPP_END_NAMESPACE_STD

// Sorting as one short function for each type. libc++'s, which sorts few elements by networks and
// looks for patterns, has 4 to 9 KB for each: 7 % of the library.
#pragma once

#include <__iterator/concepts.h>

#include <__config>

_LIBCPP_BEGIN_NAMESPACE_STD

/// What libc++'s header has every sort call. Chosen there, since it is for pointers alone.
template <class Policy, class Element, class Compare>
void __sort_dispatch(Element* first, Element* last, Compare& less);

_LIBCPP_END_NAMESPACE_STD

#include_next <__algorithm/sort.h>

_LIBCPP_BEGIN_NAMESPACE_STD

/// Quicksort. Pivots are the median of three, one of them from anywhere: no order that is met by
/// chance takes long.
template <class Policy, class Element, class Compare>
void __sort_dispatch(Element* first, Element* last, Compare& less) {
  constexpr ptrdiff_t few = 12;
  size_t anywhere = static_cast<size_t>(last - first);
  while (last - first > few) {
    anywhere = anywhere * 1'664'525 + 1'013'904'223;
    Element* const back = last - 1;
    swap(*first, first[1 + (anywhere >> 4) % static_cast<size_t>(last - first - 2)]);
    // The median to the front, what is not less than it to the back.
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
    // The smaller part by itself: of such there are few in each other.
    if (to - first < last - to) {
      std::__sort_dispatch<Policy>(first, to, less);
      first = to + 1;
    } else {
      std::__sort_dispatch<Policy>(to + 1, last, less);
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

/// Ranges of numbers would be sorted by what libc++.a has. Preferred to libc++'s, which has no
/// condition.
template <class Policy, class Iterator, class Compare>
  requires contiguous_iterator<Iterator>
void __sort_impl(Iterator first, Iterator last, Compare& less) {
  std::__sort_dispatch<Policy, iter_value_t<Iterator>, Compare>(std::__unwrap_iter(first),
                                                                std::__unwrap_iter(last), less);
}

_LIBCPP_END_NAMESPACE_STD

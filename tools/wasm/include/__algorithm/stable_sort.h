// A stable sort with one short function per type; see sort.h.
#pragma once

#include_next <__algorithm/stable_sort.h>
#include <__fwd/vector.h>  // <vector> includes this header
#include <__iterator/concepts.h>
#include <__iterator/move_iterator.h>

_LIBCPP_BEGIN_NAMESPACE_STD

/// Merge sort. Overload resolution prefers it to libc++'s function, which has no constraint.
template <class Policy, class Iterator, class Compare>
  requires random_access_iterator<Iterator>
void __stable_sort_impl(Iterator first, Iterator last, Compare& less) {
  if (last - first < 2) return;
  const Iterator middle = first + (last - first) / 2;
  std::__stable_sort_impl<Policy>(first, middle, less);
  std::__stable_sort_impl<Policy>(middle, last, less);
  vector<iter_value_t<Iterator>> front(make_move_iterator(first), make_move_iterator(middle));
  Iterator from = middle;
  for (auto next = front.begin(); next != front.end(); ++first)
    *first = from != last && less(*from, *next) ? std::move(*from++) : std::move(*next++);
}

_LIBCPP_END_NAMESPACE_STD

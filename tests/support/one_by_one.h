// Implementations of ForEach on one thread, in ascending and in descending order.
#pragma once

#include <cstddef>
#include <functional>

namespace manyply {

inline void first_to_last(std::size_t count, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
}
inline void last_to_first(std::size_t count, const std::function<void(std::size_t)>& body) {
  while (count-- > 0) body(count);
}

}  // namespace manyply

// Memory for tables that are read all over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <type_traits>

namespace manyply {

/// An array whose elements begin as anything, the first one at a cache line.
template <typename T>
class LargeArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  LargeArray() = default;
  /// `memory` outlives it.
  LargeArray(std::size_t size, std::pmr::memory_resource* memory)
      : data_(static_cast<T*>(memory->allocate(size * sizeof(T), kAlignment)),
              Free{memory, size * sizeof(T)}) {}
  [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }

 private:
  static constexpr std::size_t kAlignment = std::max(alignof(T), std::size_t{64});
  struct Free {
    std::pmr::memory_resource* memory = nullptr;
    std::size_t bytes = 0;
    void operator()(T* data) const { memory->deallocate(data, bytes, kAlignment); }
  };
  std::unique_ptr<T[], Free> data_;
};

}  // namespace manyply

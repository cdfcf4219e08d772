// Memory for tables that are read all over.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace manyply {

/// An array whose elements begin as anything. It begins where a huge page may, for whoever asks the
/// system for such pages: otherwise looks all over it wait for where its pages are.
template <typename T>
class LargeArray {
 public:
  LargeArray() = default;
  explicit LargeArray(std::size_t size)
      : data_(static_cast<T*>(::operator new(size * sizeof(T), kHugePage))) {}
  [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] T* data() { return data_.get(); }

 private:
  static constexpr std::align_val_t kHugePage{std::size_t{2} << 20};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, kHugePage); }
  };
  std::unique_ptr<T[], Free> data_;
};

}  // namespace manyply

// Arrays for large tables with random access.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <type_traits>
#include <utility>
#include <vector>

namespace manyply {

/// An array with uninitialised elements. The first element is aligned to a cache line.
template <typename T>
class LargeArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  LargeArray() = default;
  /// `memory` must outlive the array.
  LargeArray(std::size_t size, std::pmr::memory_resource* memory)
      : data_(static_cast<T*>(memory->allocate(size * sizeof(T), kAlignment)),
              Free{memory, size * sizeof(T)}) {}
  [[nodiscard]] std::size_t size() const {
    return data_ ? data_.get_deleter().bytes / sizeof(T) : 0;
  }
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

/// An array in blocks. The caller can free blocks from the front. If the array grows, elements of
/// the first block may move, unless this block already has kBlock elements. Other elements never
/// move. New elements are uninitialised. Not thread-safe.
template <typename T, std::size_t kBlock = std::size_t{1} << 17>
class BlockArray {
 public:
  /// `memory` must outlive the array.
  explicit BlockArray(std::pmr::memory_resource* memory) : memory_(memory) {}
  BlockArray(BlockArray&& other) noexcept : memory_(other.memory_) { *this = std::move(other); }
  BlockArray& operator=(BlockArray&& other) noexcept {
    memory_ = other.memory_;
    blocks_ = std::exchange(other.blocks_, {});
    size_ = std::exchange(other.size_, 0);
    room_ = std::exchange(other.room_, 0);
    return *this;
  }
  BlockArray(const BlockArray&) = delete;
  BlockArray& operator=(const BlockArray&) = delete;
  ~BlockArray() = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) { return blocks_[i / kBlock][i % kBlock]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return blocks_[i / kBlock][i % kBlock]; }

  void push_back(const T& element) {
    const T copy = element;  // a copy, because `element` may be in the block that grow() moves
    grow(1);
    (*this)[size_ - 1] = copy;
  }
  /// Adds `count` uninitialised elements.
  void grow(std::size_t count) {
    size_ += count;
    if (size_ > room_ && room_ < kBlock) grow_first_block();
    while (size_ > room_) {
      blocks_.emplace_back(kBlock, memory_);
      room_ += kBlock;
    }
  }
  /// Frees the blocks whose elements all have an index below `end`. The caller must not use these
  /// elements afterwards.
  void free_before(std::size_t end) {
    for (std::size_t block = 0; block < std::min(end, size_) / kBlock; ++block) blocks_[block] = {};
  }

 private:
  /// The first block starts small and grows up to the size of the other blocks.
  void grow_first_block() {
    const std::size_t room = std::min(kBlock, std::max(size_, 2 * room_));
    LargeArray<T> larger(room, memory_);
    if (blocks_.empty()) blocks_.emplace_back();
    std::copy_n(blocks_.front().data(), room_, larger.data());
    blocks_.front() = std::move(larger);
    room_ = room;
  }

  std::pmr::memory_resource* memory_;
  std::vector<LargeArray<T>> blocks_;  // all except the first have kBlock elements
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

}  // namespace manyply

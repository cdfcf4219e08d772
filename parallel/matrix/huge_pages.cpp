#include "parallel/matrix/huge_pages.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>

#include "core/base/machine.h"
#include "core/base/mutex.h"

namespace manyply {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// The system clears each page that it gives to a process, which can take a quarter of the time of
/// a count. So freed blocks are kept and used again.
///
/// The process never needs more memory because of this: before a block comes from the system, as
/// many bytes of unused blocks are returned to the system.
class HugePages : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes < kPage) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    const std::size_t size = whole_pages(bytes);
    const MutexLock lock(mutex_);
    void* memory = nullptr;
    if (const auto block = unused_.find(size); block != unused_.end()) {
      memory = block->second;
      unused_.erase(block);
    } else {
      return_unused(size);
      memory = size < bytes ? nullptr : system_memory::allocate(size);
      if (memory == nullptr) throw std::bad_alloc();
    }
    ++in_use_;
    return memory;
  }

  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kPage) return std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    // A larger block is not kept. It may have pages that were never used, and return_unused() would
    // count these pages as memory.
    constexpr std::size_t kMostKept = std::size_t{8} << 20;
    const std::size_t size = whole_pages(bytes);
    const MutexLock lock(mutex_);
    if (size <= kMostKept) {
      unused_.emplace(size, memory);
    } else {
      system_memory::free(memory, size);
    }
    if (--in_use_ == 0) return_unused(SIZE_MAX);  // the last count has ended
  }

  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  /// Returns unused blocks of together at least `bytes` bytes to the system. If all unused blocks
  /// together have fewer bytes, returns all of them.
  void return_unused(std::size_t bytes) MANYPLY_REQUIRES(mutex_) {
    while (bytes > 0 && !unused_.empty()) {
      const auto [size, memory] = *unused_.begin();
      unused_.erase(unused_.begin());
      system_memory::free(memory, size);
      bytes -= std::min(bytes, size);
    }
  }

  Mutex mutex_;
  std::multimap<std::size_t, void*> unused_ MANYPLY_GUARDED_BY(mutex_);  // by size
  std::size_t in_use_ MANYPLY_GUARDED_BY(mutex_) = 0;                    // number of blocks
};

}  // namespace

std::pmr::memory_resource* huge_pages() {
  static HugePages pages;
  return &pages;
}

}  // namespace manyply

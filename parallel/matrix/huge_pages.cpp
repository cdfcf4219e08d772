#include "parallel/matrix/huge_pages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "core/base/machine.h"
#include "core/base/mutex.h"

namespace manyply {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// The system clears each page that it gives to a process, which can take a quarter of the time of
/// a count. So this class keeps freed blocks and uses them again.
///
/// This does not increase the peak memory of the process: before the class takes a block from the
/// system, it returns unused blocks of at least the same total size, or all unused blocks.
class HugePages : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes < kPage) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    const std::size_t size = whole_pages(bytes);
    const MutexLock lock(mutex_);
    void* memory = size <= kMostKept ? take_unused(size) : nullptr;
    if (memory == nullptr) {
      return_unused(size);
      memory = size < bytes ? nullptr : system_memory::allocate(size);
      if (memory == nullptr) throw std::bad_alloc();
    }
    ++in_use_;
    return memory;
  }

  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kPage) return std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    const std::size_t size = whole_pages(bytes);
    if (size > kMostKept) system_memory::free(memory, size);
    const MutexLock lock(mutex_);
    if (size <= kMostKept) {
      Unused*& first = unused_[size / kPage];
      first = new (memory) Unused{first};
    }
    if (--in_use_ == 0) return_unused(SIZE_MAX);  // no count uses memory any more
  }

  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  /// Returns an unused block of `size` bytes; null if no such block is left.
  void* take_unused(std::size_t size) MANYPLY_REQUIRES(mutex_) {
    Unused*& first = unused_[size / kPage];
    return first == nullptr ? nullptr : std::exchange(first, first->next);
  }

  /// Returns unused blocks to the system: at least `bytes` bytes in total, or all blocks if they
  /// have fewer bytes.
  void return_unused(std::size_t bytes) MANYPLY_REQUIRES(mutex_) {
    for (std::size_t size = kPage; size <= kMostKept && bytes > 0;) {
      if (void* const memory = take_unused(size)) {
        system_memory::free(memory, size);
        bytes -= std::min(bytes, size);
      } else {
        size += kPage;
      }
    }
  }

  // Larger blocks are not kept. Pages of such a block that were never used take no memory, so
  // returning the block could free less memory than its size.
  static constexpr std::size_t kMostKept = std::size_t{8} << 20;

  /// Stands at the start of an unused block.
  struct Unused {
    Unused* next;
  };

  Mutex mutex_;
  /// The first unused block of each size, indexed by number of pages.
  std::array<Unused*, kMostKept / kPage + 1> unused_ MANYPLY_GUARDED_BY(mutex_){};
  std::size_t in_use_ MANYPLY_GUARDED_BY(mutex_) = 0;  // number of blocks
};

}  // namespace

std::pmr::memory_resource* huge_pages() {
  static HugePages pages;
  return &pages;
}

}  // namespace manyply

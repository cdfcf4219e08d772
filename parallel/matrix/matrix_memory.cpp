#include "parallel/matrix/matrix_memory.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "core/base/machine.h"
#include "core/base/memory.h"
#include "core/base/mutex.h"

namespace manyply {
namespace {

// A process also needs memory for code, threads and small objects, and for the unused ends of huge
// pages: kBesideMatrices bytes, measured from the start position at depth 9. Short-lived lists need
// up to a tenth of all memory.
constexpr std::uint64_t kBesideMatrices = std::uint64_t{56} << 20;
constexpr std::uint64_t kListsOf = 10;

constexpr std::size_t kPage = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// The system clears each page that it gives to a process, which can take a quarter of the time of
/// a count. So this class keeps freed blocks and uses them again. If the system can free parts of a
/// block, large blocks are kept in pieces, and small blocks can be parts of kept blocks.
///
/// Kept blocks do not increase the peak memory of the process. Before the class takes a new block
/// from the system, it returns unused blocks with at least as many bytes, or all unused blocks.
/// Callers must use nearly all pages of a block of more than kMostKept bytes. Otherwise, returning
/// the unused blocks may free less memory than the new block takes.
class HugePages : public std::pmr::memory_resource {
 public:
  void keep_at_most(std::uint64_t most) {
    const MutexLock lock(mutex_);
    if (kept_ > most) return_unused(kept_ - most);
  }

 private:
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
    const MutexLock lock(mutex_);
    if (size <= kMostKept || system_memory::can_free_parts()) {
      for (std::size_t at = 0; at < size; at += kMostKept)
        keep(static_cast<std::byte*>(memory) + at, std::min(kMostKept, size - at));
    } else {
      system_memory::free(memory, size);
    }
    if (--in_use_ == 0) return_unused(UINT64_MAX);  // no count uses memory any more
  }

  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  void keep(void* memory, std::size_t size) MANYPLY_REQUIRES(mutex_) {
    Unused*& first = unused_[size / kPage];
    first = new (memory) Unused{first};
    kept_ += size;
  }

  /// Returns an unused block of `size` bytes, which may be a part of a larger unused block. Returns
  /// null if all unused blocks are smaller.
  void* take_unused(std::size_t size) MANYPLY_REQUIRES(mutex_) {
    const std::size_t most = system_memory::can_free_parts() ? kMostKept : size;
    for (std::size_t larger = size; larger <= most; larger += kPage) {
      void* const memory = take_whole(larger);
      if (memory == nullptr) continue;
      if (larger > size) keep(static_cast<std::byte*>(memory) + size, larger - size);
      return memory;
    }
    return nullptr;
  }
  /// Returns an unused block of exactly `size` bytes; null if no such block is left.
  void* take_whole(std::size_t size) MANYPLY_REQUIRES(mutex_) {
    Unused*& first = unused_[size / kPage];
    if (first == nullptr) return nullptr;
    kept_ -= size;
    return std::exchange(first, first->next);
  }

  /// Returns unused blocks to the system: at least `bytes` bytes in total, or all blocks if they
  /// have fewer bytes.
  void return_unused(std::uint64_t bytes) MANYPLY_REQUIRES(mutex_) {
    for (std::size_t size = kPage; size <= kMostKept && bytes > 0;) {
      if (void* const memory = take_whole(size)) {
        system_memory::free(memory, size);
        bytes -= std::min<std::uint64_t>(bytes, size);
      } else {
        size += kPage;
      }
    }
  }

  static constexpr std::size_t kMostKept = std::size_t{8} << 20;

  /// Each unused block starts with this link to the next unused block of the same size.
  struct Unused {
    Unused* next;
  };

  Mutex mutex_;
  /// The first unused block of each size, indexed by number of pages.
  std::array<Unused*, kMostKept / kPage + 1> unused_ MANYPLY_GUARDED_BY(mutex_){};
  std::uint64_t kept_ MANYPLY_GUARDED_BY(mutex_) = 0;  // bytes of all unused blocks
  std::size_t in_use_ MANYPLY_GUARDED_BY(mutex_) = 0;  // number of blocks
};

HugePages& instance() {
  static HugePages pages;
  return pages;
}

}  // namespace

std::pmr::memory_resource* huge_pages() { return &instance(); }

void return_kept_pages(std::uint64_t most) { instance().keep_at_most(most); }

std::uint64_t matrix_bytes(std::uint64_t of_process) {
  if (of_process == 0) return available_memory_bytes() / 2;
  return of_process - std::min(of_process, kBesideMatrices + of_process / kListsOf);
}

std::uint64_t process_bytes(std::uint64_t of_matrices) {
  const std::uint64_t bytes = of_matrices + kBesideMatrices;
  return bytes + bytes / (kListsOf - 1);
}

void MatrixBudget::take(std::uint64_t bytes) {
  const std::uint64_t used = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (used > limit_) throw MatrixTakesTooMuch("matrices take too much memory");
  for (std::uint64_t most = most_.load(std::memory_order_relaxed);
       used > most && !most_.compare_exchange_weak(most, used, std::memory_order_relaxed);) {
  }
}

}  // namespace manyply

#include "parallel/huge_pages.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <new>
#include <vector>

#include "hash/system_memory.h"
#include "parallel/mutex.h"

namespace manyply {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;

/// Whole pages, and no more than three sizes between a power of two and the next, so that what one
/// has given back suits others. What is not touched costs nothing.
std::size_t rounded_up(std::size_t bytes) {
  const std::size_t step = std::max(kPage, std::bit_floor(bytes) / 4);
  return (bytes + step - 1) / step * step;
}

class HugePages : public std::pmr::memory_resource {
 public:
  void keep(std::uint64_t most_bytes) {
    const MutexLock lock(mutex_);
    may_keep_ += most_bytes;
  }
  void keep_less(std::uint64_t bytes) {
    const MutexLock lock(mutex_);
    may_keep_ -= bytes;
    while (kept_bytes_ > may_keep_) {
      kept_bytes_ -= kept_.back().bytes;
      system_memory::free(kept_.back().memory, kept_.back().bytes);
      kept_.pop_back();
    }
  }

 private:
  struct Block {
    void* memory;
    std::size_t bytes;
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes < kPage) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    const std::size_t size = rounded_up(bytes);
    if (size < bytes) throw std::bad_alloc();
    if (void* const memory = take_kept(size); memory != nullptr) return memory;
    void* const memory = system_memory::allocate(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kPage) return std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    const std::size_t size = rounded_up(bytes);
    if (!kept(memory, size)) system_memory::free(memory, size);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  void* take_kept(std::size_t size) {
    const MutexLock lock(mutex_);
    const auto block = std::ranges::find(kept_, size, &Block::bytes);
    if (block == kept_.end()) return nullptr;
    void* const memory = block->memory;
    kept_bytes_ -= size;
    kept_.erase(block);
    return memory;
  }
  bool kept(void* memory, std::size_t size) {
    const MutexLock lock(mutex_);
    if (size > may_keep_ - kept_bytes_) return false;
    kept_.push_back({memory, size});
    kept_bytes_ += size;
    return true;
  }

  Mutex mutex_;
  std::uint64_t may_keep_ MANYPLY_GUARDED_BY(mutex_) = 0;
  std::uint64_t kept_bytes_ MANYPLY_GUARDED_BY(mutex_) = 0;  // no more than that
  std::vector<Block> kept_ MANYPLY_GUARDED_BY(mutex_);
};

HugePages& the_pages() {
  static HugePages pages;
  return pages;
}

}  // namespace

std::pmr::memory_resource* huge_pages() { return &the_pages(); }

KeepHugePages::KeepHugePages(std::uint64_t most_bytes) : most_bytes_(most_bytes) {
  the_pages().keep(most_bytes);
}
KeepHugePages::~KeepHugePages() { the_pages().keep_less(most_bytes_); }

}  // namespace manyply

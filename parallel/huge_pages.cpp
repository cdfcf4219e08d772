#include "parallel/huge_pages.h"

#include <cstddef>
#include <new>

#include "hash/system_memory.h"

namespace manyply {
namespace {

class HugePages : public std::pmr::memory_resource {
  static constexpr std::size_t kLarge = std::size_t{2} << 20;  // a huge page

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes < kLarge) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    void* const memory = system_memory::allocate(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kLarge) {
      std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    } else {
      system_memory::free(memory, bytes);
    }
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

}  // namespace

std::pmr::memory_resource* huge_pages() {
  static HugePages pages;
  return &pages;
}

}  // namespace manyply

#include "parallel/matrix/huge_pages.h"

#include <cstddef>
#include <new>

#include "core/base/machine.h"

namespace manyply {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

class HugePages : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes < kPage) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    const std::size_t size = whole_pages(bytes);
    void* const memory = size < bytes ? nullptr : system_memory::allocate(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kPage) return std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    system_memory::free(memory, whole_pages(bytes));
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

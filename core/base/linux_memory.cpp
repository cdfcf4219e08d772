// Memory on Linux: how to map large tables.
#include <sys/mman.h>

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "core/base/linux_limits.h"
#include "core/base/system_memory.h"

namespace manyply::system_memory {

std::uint64_t available() { return available_linux_memory(); }

void* allocate(std::uint64_t bytes) {
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  // The kernel aligns large mappings to huge pages.
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  if (bytes >= kHugePage) madvise(data, bytes, MADV_HUGEPAGE);  // a failure costs only speed
  return data;
}

void free(void* data, std::uint64_t bytes) { munmap(data, bytes); }

void return_freed() {
#if defined(__GLIBC__)  // other C libraries return freed memory themselves
  ::malloc_trim(0);
#endif
}

const char* small_pages() { return nullptr; }

}  // namespace manyply::system_memory

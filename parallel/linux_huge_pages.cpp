#include <sys/mman.h>

#include "parallel/huge_pages.h"

namespace manyply {

void ask_for_huge_pages(void* memory, std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  if (bytes >= kHugePage) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
}

}  // namespace manyply

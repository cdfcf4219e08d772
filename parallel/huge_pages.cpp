#include "parallel/huge_pages.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace manyply {

void ask_for_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  if (bytes >= kHugePage) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
}

}  // namespace manyply

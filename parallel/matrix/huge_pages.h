// Provides memory on huge pages, for large arrays that are read in random order.
#pragma once

#include <cstdint>
#include <memory_resource>

namespace manyply {

/// Returns a memory resource. Blocks of less than 2 MiB come from operator new. Larger blocks come
/// from the system, on huge pages if these are available. Freed blocks are kept for later
/// use. When no block of 2 MiB or more is in use, all kept blocks are returned to the system.
/// Any thread may use the resource.
///
/// Small pages would be slow: random access would wait for address translation, and the system
/// would have to handle the first access to each page.
[[nodiscard]] std::pmr::memory_resource* huge_pages();

/// Returns freed pages that huge_pages() has kept to the system, until at most `most` bytes are
/// kept. Any thread may call it.
void return_kept_pages(std::uint64_t most);

}  // namespace manyply

// Provides memory on huge pages, for large arrays that are read in random order.
#pragma once

#include <memory_resource>

namespace manyply {

/// Returns a memory resource. Blocks of less than 2 MiB come from operator new. Larger blocks come
/// from the system, on huge pages if these are available. Freed blocks of 2 to 8 MiB are kept for
/// later use. When no block of 2 MiB or more is in use, all kept blocks are returned to the system.
/// Any thread may use the resource.
///
/// Small pages would be slow: random access would wait for address translation, and the system
/// would have to handle the first access to each page.
[[nodiscard]] std::pmr::memory_resource* huge_pages();

}  // namespace manyply

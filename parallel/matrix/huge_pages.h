// Memory for large tables with random access.
#pragma once

#include <memory_resource>

namespace manyply {

/// Returns a resource that takes blocks of 2 MiB or more from the system, on huge pages if
/// available. Small pages would be slow: random access would wait for address translation, and the
/// system would handle the first touch of each page. Smaller blocks come from operator new. Any
/// thread.
[[nodiscard]] std::pmr::memory_resource* huge_pages();

}  // namespace manyply

// Memory for large tables with random access.
#pragma once

#include <memory_resource>

namespace manyply {

/// Returns a memory resource. It takes blocks of 2 MiB or more from the system, on huge pages if
/// they are available. It keeps freed blocks of up to 8 MiB for later use, until no block is in use
/// any more. Smaller blocks come from operator new. Any thread may use it.
///
/// Small pages would be slow: random access would wait for address translation, and the system
/// would have to handle the first access to each page.
[[nodiscard]] std::pmr::memory_resource* huge_pages();

}  // namespace manyply

// Huge pages for memory that is there already.
#pragma once

#include <cstddef>

namespace manyply {

/// Asks the system to map `bytes` from `memory` on, not yet touched, by huge pages, where there are
/// as many as one has. What is refused stays on small ones.
void ask_for_huge_pages(void* memory, std::size_t bytes);

}  // namespace manyply

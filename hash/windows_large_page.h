// Large pages as Windows has them.
#pragma once

#include <cstdint>

namespace manyply::system_memory {

/// The size of such a page; 0 if the user has no right to it. Any thread.
[[nodiscard]] std::uint64_t large_page();

/// So much is about to be on small pages.
void note_small_pages(std::uint64_t bytes);

}  // namespace manyply::system_memory

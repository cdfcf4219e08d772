// Large pages on Windows.
#pragma once

#include <cstdint>

namespace manyply::system_memory {

/// Returns the size of a large page in bytes; 0 if the user may not use large pages. Any thread may
/// call it.
[[nodiscard]] std::uint64_t large_page();

}  // namespace manyply::system_memory

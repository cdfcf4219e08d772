// The functions behind memory.h, one file per operating system: linux_memory.cpp, posix_memory.cpp,
// windows_memory.cpp, wasm_memory.cpp, and plain_memory.cpp for all others. CMake selects one
// (tools/cmake/systems.cmake). No other code in hash/ depends on the system.
#pragma once

#include <cstdint>

namespace manyply::system_memory {

/// Returns the available bytes; the size of the address space if unknown.
[[nodiscard]] std::uint64_t available();

/// Returns zeroed memory, aligned to a cache line or more; null on failure. Precondition: bytes >
/// 0.
[[nodiscard]] void* allocate(std::uint64_t bytes);

/// Frees the memory that one call of allocate() returned. `bytes` must be the same.
void free(void* data, std::uint64_t bytes);

/// Makes the allocator return freed memory to the system, if possible.
void return_freed();

/// Returns one sentence for the user about how to get large pages, if allocations have used small
/// pages and the user can change that; otherwise null.
[[nodiscard]] const char* small_pages();

}  // namespace manyply::system_memory

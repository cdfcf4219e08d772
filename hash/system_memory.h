// What memory.h takes from the operating system: linux_memory.cpp knows Linux, wasm_memory.cpp
// WebAssembly; plain_memory.cpp does without any. CMake takes one of them
// (tools/cmake/systems.cmake); nothing else in hash/ looks at where it runs.
#pragma once

#include <cstdint>

namespace manyply::system_memory {

/// Bytes that may still be had; the most that can be addressed where nobody knows.
[[nodiscard]] std::uint64_t available();

/// Zeroed bytes, aligned to a cache line at least, or null. Precondition: bytes > 0.
[[nodiscard]] void* allocate(std::uint64_t bytes);

/// Gives back all that one call of allocate() gave.
void free(void* data, std::uint64_t bytes);

/// Gives back what the program has freed and its allocator still holds, where that can be done.
void return_freed();

/// What has been allocated is on small pages, and what the user may do about that, in one sentence;
/// null where there is nothing to be done.
[[nodiscard]] const char* small_pages();

}  // namespace manyply::system_memory

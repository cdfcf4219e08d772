// The memory that Linux leaves to a process.
#pragma once

#include <cstdint>
#include <filesystem>

namespace manyply {

/// available_memory_bytes() on Linux: the minimum of the system's available memory, the room in
/// each control group above this process (versions 1 and 2), and RLIMIT_AS. Ignores what cannot be
/// read. `root` contains proc/ and sys/; tests pass another one.
[[nodiscard]] std::uint64_t available_linux_memory(const std::filesystem::path& root = "/");

/// Returns freed memory that the C library's allocator still holds to the system, if the library
/// can do so. CMake selects linux_heap_trimmed.cpp or linux_heap_kept.cpp.
void trim_heap();

}  // namespace manyply

// How much memory Linux leaves to a process.
#pragma once

#include <cstdint>
#include <filesystem>

namespace manyply {

/// As available_memory_bytes(): the least of the system's available memory, the room left in each
/// cgroup above us (version 1 and 2), and RLIMIT_AS. Below `root` lie proc/ and sys/: another one
/// is for tests. What cannot be read limits nothing.
[[nodiscard]] std::uint64_t available_linux_memory(const std::filesystem::path& root = "/");

/// Gives back what the C library's allocator holds and nobody uses, where it can be asked to: CMake
/// takes linux_heap_trimmed.cpp or linux_heap_kept.cpp.
void trim_heap();

}  // namespace manyply

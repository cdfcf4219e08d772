// The memory and the processors that this process may use, and functions with which threads sleep
// and wake up.
//
// There is one implementation of these functions and of some functions of memory.h for each system:
// linux_machine.cpp, windows_machine.cpp, wasm_machine.cpp, and posix_machine.cpp for all other
// systems. CMake selects one (tools/cmake/systems.cmake).
#pragma once

#include <atomic>
#include <cstdint>

namespace manyply::system_memory {

/// Returns zeroed memory, aligned to at least a cache line; null on failure. Precondition: bytes >
/// 0.
[[nodiscard]] void* allocate(std::uint64_t bytes);

/// Frees the memory that allocate(bytes) returned, or a part of it if can_free_parts().
void free(void* data, std::uint64_t bytes);

/// Returns whether free() accepts a part of the memory that allocate() returned.
[[nodiscard]] bool can_free_parts();

/// Returns the size of a large page in bytes; 0 if the user may not use large pages. Any thread may
/// call it. Exists only on Windows.
[[nodiscard]] std::uint64_t large_page();

}  // namespace manyply::system_memory

namespace manyply {

/// Returns the number of logical processors that the system lets this process use. May be 0 if the
/// number is unknown.
int usable_processors();

/// Assigns the calling thread to some of the machine's processors, so that all threads together use
/// all processors. ThreadsArena calls it once on each thread that it starts. `thread` is the
/// thread's number, starting with 1. Only Windows needs it: without this call, all threads may
/// share one group of at most 64 processors.
void spread_thread(int thread);

/// Blocks until `number` differs from `value`. A thread that changes `number` must call
/// wake_sleepers() afterwards. Any thread may call sleep_while(). The caller must not hold a lock.
/// WebAssembly has neither this function nor wake_sleepers(), because it has no threads.
void sleep_while(const std::atomic<int>& number, int value);
/// Wakes every thread that is blocked in sleep_while() with `number`. Any thread may call it.
void wake_sleepers(std::atomic<int>& number);

}  // namespace manyply

// Memory and processors on POSIX systems other than Linux.
#include <sys/mman.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#include <limits>
#include <thread>

#include "core/base/machine.h"
#include "core/base/memory.h"

namespace manyply {

// POSIX has no portable way to query free memory. Assume that half of the physical memory is free.
std::uint64_t available_memory_bytes() {
#if defined(__APPLE__)
  std::uint64_t bytes = 0;
  std::size_t size = sizeof bytes;
  if (::sysctlbyname("hw.memsize", &bytes, &size, nullptr, 0) == 0 && bytes > 0) return bytes / 2;
#endif
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 2;
}

void return_freed_memory() {}

const char* advice_on_pages() { return nullptr; }

namespace system_memory {

void* allocate(std::uint64_t bytes) {
  void* const data =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data == MAP_FAILED ? nullptr : data;
}

void free(void* data, std::uint64_t bytes) { ::munmap(data, bytes); }
bool can_free_parts() { return true; }

}  // namespace system_memory

int usable_processors() { return static_cast<int>(std::thread::hardware_concurrency()); }

void spread_thread(int /*thread*/) {}

void sleep_while(const std::atomic<int>& number, int value) { number.wait(value); }
void wake_sleepers(std::atomic<int>& number) { number.notify_all(); }

}  // namespace manyply

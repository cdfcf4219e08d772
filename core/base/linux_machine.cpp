// Memory and processors on Linux. The CPU affinity and the control group's quota limit the number
// of processors.
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "core/base/linux_cgroups.h"
#include "core/base/machine.h"
#include "core/base/memory.h"

namespace manyply::system_memory {

void* allocate(std::uint64_t bytes) {
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  // Linux (since version 6.7) aligns large mappings to huge pages, so this code need not.
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  // If madvise() fails, the memory works, but is slower.
  if (bytes >= kHugePage) madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

void free(void* data, std::uint64_t bytes) { munmap(data, bytes); }
bool can_free_parts() { return true; }

}  // namespace manyply::system_memory

namespace manyply {
namespace {

int cores_in_affinity_mask() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return CPU_COUNT(&mask);
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

std::uint64_t available_memory_bytes() { return available_linux_memory(); }

void return_freed_memory() {
#if defined(__GLIBC__)  // other C libraries return freed memory without a call
  ::malloc_trim(0);
#endif
}

const char* advice_on_pages() { return nullptr; }

int usable_processors() {
  const int threads = std::max(1, cores_in_affinity_mask());
  // Round up: with a quota of 1.5 cores, one thread would leave half a core unused.
  const auto quota = cgroup_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
  return quota ? std::min(threads, static_cast<int>(std::ceil(std::min(*quota, 1e6)))) : threads;
}

void spread_thread(int /*thread*/) {}

void sleep_while(const std::atomic<int>& number, int value) { number.wait(value); }
void wake_sleepers(std::atomic<int>& number) { number.notify_all(); }

}  // namespace manyply

// The number of processors on Linux: limited by CPU affinity and by the quota of the control group.
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/base/linux_limits.h"
#include "core/base/processors.h"

namespace manyply {
namespace {

int cores_in_affinity_mask() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return CPU_COUNT(&mask);
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

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
